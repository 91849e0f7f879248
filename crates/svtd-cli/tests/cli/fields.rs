//! Files of other fields: pages and documents in a folder, spreadsheets, genotypes, single cells.

use std::io::Write;

use crate::workspace::Workspace;

/// Texts about two things, told apart by their words.
fn texts() -> Vec<String> {
    let halves =
        [["sun", "moon", "stars", "night", "sky"], ["bread", "wine", "oil", "salt", "cheese"]];
    (0..40)
        .map(|d| {
            let words = halves[d % 2];
            (0..12).map(|i| words[(d / 2 + i * (1 + d % 3)) % 5]).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn with_folders(names: &[&str]) -> Workspace {
    let w = Workspace::new();
    names.iter().for_each(|name| std::fs::create_dir(w.path(name)).unwrap());
    w
}

/// A zip archive of these members, deflated.
fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut sum = flate2::Crc::new();
        sum.update(content.as_bytes());
        let mut packed =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(content.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let start = bytes.len() as u32;
        let mut fields = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
        for number in [sum.sum(), packed.len() as u32, content.len() as u32] {
            fields.extend_from_slice(&number.to_le_bytes());
        }
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&fields);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&fields);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&start.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (start, size) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    let n = members.len() as u16;
    bytes.extend_from_slice(&n.to_le_bytes());
    bytes.extend_from_slice(&n.to_le_bytes());
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}

/// A text in the format of document `d`: plain, a page, a Word, OpenDocument or EPUB file.
fn dressed(d: usize, text: &str) -> (String, Vec<u8>) {
    let page = format!(
        "<!doctype html><html><head><title>no title</title></head><body><p>{text}</p>\
                        <script>var scripted = 1</script></body></html>"
    );
    let name = |ending: &str| format!("{d:02}.{ending}");
    match d % 5 {
        0 => (name("txt"), text.as_bytes().to_vec()),
        1 => (name("html"), page.into_bytes()),
        2 => {
            let xml = format!(
                "<w:document><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
            );
            (
                name("docx"),
                zipped(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &xml)]),
            )
        }
        3 => {
            let xml = format!(
                "<office:document-content><office:body><office:text><text:p>{text}</text:p>\
                               </office:text></office:body></office:document-content>"
            );
            let kind = "application/vnd.oasis.opendocument.text";
            (name("odt"), zipped(&[("mimetype", kind), ("content.xml", &xml)]))
        }
        _ => {
            let package = "<package><manifest><item id='a' href='a.xhtml'/></manifest><spine>\
                           <itemref idref='a'/></spine></package>";
            let members = [
                ("META-INF/container.xml", "<container><rootfile full-path='b.opf'/></container>"),
                ("b.opf", package),
                ("a.xhtml", page.as_str()),
            ];
            (name("epub"), zipped(&members))
        }
    }
}

const FIT: &str = "-k 2 --model single-topic --language english --no-trust";

#[test]
fn a_folder_of_documents_in_any_dress_is_a_folder_of_text() {
    let w = with_folders(&["plain", "mixed"]);
    for (d, text) in texts().iter().enumerate() {
        w.write(&format!("plain/{d:02}.txt"), text.as_bytes());
        let (name, bytes) = dressed(d, text);
        w.write(&format!("mixed/{name}"), &bytes);
    }
    w.must(&format!("fit plain {FIT} -o plain.svtd"));
    let ran = w.svtd(&format!("fit mixed {FIT} -o mixed.svtd"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let topics = |model: &str| w.must(&format!("topics {model}")).stdout;
    assert_eq!(topics("plain.svtd"), topics("mixed.svtd"));
    assert!(!topics("mixed.svtd").contains("scripted"));
    let one = w.must("infer mixed.svtd mixed/02.docx mixed/04.epub").stdout;
    assert!(one.contains("02.docx") && one.contains("04.epub"), "{one}");
}

#[test]
fn pdfs_are_skipped_and_bad_files_end_the_reading_unless_they_are_skipped() {
    let w = with_folders(&["texts", "pdfs"]);
    for (d, text) in texts().iter().enumerate() {
        w.write(&format!("texts/{d:02}.txt"), text.as_bytes());
    }
    w.write("texts/paper.pdf", b"%PDF-1.7 ...");
    let ran = w.svtd(&format!("fit texts {FIT} -o a.svtd"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 PDFs were skipped") && ran.stderr.contains("pdftotext: paper.pdf"),
        "{}",
        ran.stderr
    );
    w.write("texts/photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF");
    w.write("texts/broken.docx", b"PK\x03\x04 and nothing");
    let ran = w.svtd(&format!("fit texts {FIT} -o b.svtd"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("broken.docx"), "{}", ran.stderr);
    let ran = w.svtd(&format!("fit texts {FIT} --skip-bad -o b.svtd"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("skipped: ") && ran.stderr.contains("broken.docx"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("photo.jpg: this is an image"), "{}", ran.stderr);
    let topics = |model: &str| w.must(&format!("topics {model}")).stdout;
    assert_eq!(topics("a.svtd"), topics("b.svtd"));
    w.write("pdfs/one.pdf", b"%PDF-1.7 ...");
    let ran = w.svtd(&format!("fit pdfs {FIT} -o c.svtd"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("there is no text in this folder: 1 PDFs were skipped"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_spreadsheet_is_a_table_with_a_column_of_text() {
    let w = Workspace::new();
    let (mut csv, mut sheet) = ("id,body\n".to_owned(), String::new());
    sheet.push_str("<row r='1'><c r='A1' t='inlineStr'><is><t>id</t></is></c><c r='B1' t='s'><v>0</v></c></row>");
    let mut shared = "<sst><si><t>body</t></si>".to_owned();
    for (d, text) in texts().iter().enumerate() {
        csv.push_str(&format!("{d},{text}\n"));
        shared.push_str(&format!("<si><t>{text}</t></si>"));
        let row = d + 2;
        sheet.push_str(&format!(
            "<row r='{row}'><c r='A{row}'><v>{d}</v></c><c r='B{row}' t='s'><v>{}</v></c></row>",
            d + 1
        ));
    }
    w.write("texts.csv", csv.as_bytes());
    let sheet = format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>");
    let shared = format!("{shared}</sst>");
    let members = [
        ("xl/workbook.xml", "<workbook><sheets><sheet name='a' r:id='r1'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='r1' Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        ("xl/sharedStrings.xml", &shared),
        ("xl/worksheets/sheet1.xml", &sheet),
    ];
    w.write("texts.xlsx", &zipped(&members));
    w.must(&format!("fit texts.csv {FIT} --text-column body -o a.svtd"));
    w.must(&format!("fit texts.xlsx {FIT} --text-column body -o b.svtd"));
    assert_eq!(w.read("a.svtd"), w.read("b.svtd"));
    let ran = w.svtd(&format!("fit texts.xlsx {FIT} --text-column title -o c.svtd"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("no column \"title\"; found \"id\", \"body\""), "{}", ran.stderr);
}

/// Genotypes of individuals of two populations and some between, as PLINK keeps them. Nobody has
/// allele 1 of the first variant, which PLINK writes as `0`.
fn write_genotypes(w: &Workspace) -> Vec<f64> {
    let (n, n_variants) = (90_usize, 200_usize);
    let share = |d: usize| [0.0, 1.0, 0.5][d % 3];
    // A number that looks random and is the same everywhere.
    let unit = |a: usize, b: usize| {
        let mut x =
            (a as u64 * 1_000_003 + b as u64 * 7_919 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^= x >> 31;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut bed = vec![0x6c, 0x1b, 0x01];
    let mut bim = String::new();
    for v in 0..n_variants {
        let [a, b] = [1_000_001, 1_000_002]
            .map(|population| if v == 0 { 0.0 } else { 0.05 + 0.9 * unit(v, population) });
        let mut bytes = vec![0_u8; n.div_ceil(4)];
        for d in 0..n {
            let p = share(d) * a + (1.0 - share(d)) * b;
            let copies = u8::from(unit(v, 2 * d) < p) + u8::from(unit(v, 2 * d + 1) < p);
            let code = if unit(v, d + 500_000) < 0.01 {
                0b01
            } else {
                [0b11, 0b10, 0b00][copies as usize]
            };
            bytes[d / 4] |= code << (2 * (d % 4));
        }
        bed.extend(bytes);
        let first = if v == 0 { '0' } else { 'A' };
        bim.push_str(&format!("1\trs{v}\t0\t{}\t{first}\tG\n", v + 1));
    }
    let fam: String = (0..n).map(|d| format!("f{d} i{d} 0 0 1 -9\n")).collect();
    w.write("people.bed", &bed);
    w.write("people.bim", bim.as_bytes());
    w.write("people.fam", fam.as_bytes());
    (0..n).map(share).collect()
}

#[test]
fn genotypes_are_read_and_ancestries_written_as_admixture_does() {
    let w = Workspace::new();
    let truth = write_genotypes(&w);
    let ran = w.svtd("fit people.bed -k 2 --no-trust -o people.svtd");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("genotypes") && ran.stderr.contains("are missing"),
        "{}",
        ran.stderr
    );
    assert!(w.must("topics people.svtd").stdout.contains("rs"), "alleles are words");
    w.must("export people.svtd people.bed --to admixture -o people");
    let numbers = |name: &str| -> Vec<Vec<f64>> {
        let text = String::from_utf8(w.read(name)).unwrap();
        text.lines().map(|line| line.split(' ').map(|n| n.parse().unwrap()).collect()).collect()
    };
    let (q, p) = (numbers("people.2.Q"), numbers("people.2.P"));
    assert_eq!((q.len(), p.len()), (90, 200));
    assert!(q.iter().all(|row| row.len() == 2 && (row.iter().sum::<f64>() - 1.0).abs() < 1e-5));
    assert!(p.iter().flatten().all(|&p| (1e-5..=1.0 - 1e-5).contains(&p)));
    assert_eq!(p[0], [0.99999, 0.99999], "frequencies are those of allele 2");
    let error = |column: usize| {
        let off = truth.iter().zip(&q).map(|(truth, row)| (truth - row[column]).abs());
        off.sum::<f64>() / truth.len() as f64
    };
    assert!(error(0).min(error(1)) < 0.12, "{} {}", error(0), error(1));
    let ran = w.svtd("export people.svtd --to admixture -o again");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    std::fs::remove_file(w.path("people.fam")).unwrap();
    let ran = w.svtd("fit people.bed -k 2 -o b.svtd");
    assert!(ran.stderr.contains("PLINK genotypes need people.fam beside them"), "{}", ran.stderr);
}

#[test]
fn words_that_are_no_alleles_have_no_frequencies() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 3 --no-trust -o m.svtd");
    let ran = w.svtd("export m.svtd docword.lda.txt --to admixture -o m");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("the words of this model are no alleles"), "{}", ran.stderr);
    assert!(!w.names().iter().any(|name| name.ends_with(".Q")));
}

#[test]
fn markers_are_words_that_stand_out_of_their_errors() {
    let w = Workspace::with_single_topics();
    w.must("fit docword.one.txt -k 4 --model single-topic -o m.svtd");
    w.must("export m.svtd --to markers --top 5 -o m");
    let table = String::from_utf8(w.read("m.markers.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("topic,word,probability,error,elsewhere,log_fold,z"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() > 10 && rows.len() <= 20);
    for pair in rows.windows(2).filter(|pair| pair[0][0] == pair[1][0]) {
        let z = |row: &[&str]| row[6].parse::<f64>().unwrap();
        assert!(z(&pair[0]) >= z(&pair[1]));
    }
}

#[test]
fn a_layer_is_only_for_cells() {
    let w = Workspace::with_mixtures();
    let ran = w.svtd("fit docword.lda.txt -k 3 --layer counts -o m.svtd");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("layer must be left out but for AnnData (.h5ad)"),
        "{}",
        ran.stderr
    );
}
