//! Real-world input: other encodings, files that are not text, malformed tables.

use std::fs;

use crate::malformed::refuses;
use crate::text::{FIT, TEXTS, csv, folder};
use crate::workspace::Workspace;

#[test]
fn other_encodings_are_read_when_named_and_told_when_not() {
    let w = Workspace::new();
    let latin: Vec<u8> =
        TEXTS.join("\n").replace("storm", "orkän").chars().map(|c| c as u8).collect();
    w.write("latin.txt", &latin);
    refuses(
        &w,
        "fit latin.txt -k 2",
        1,
        &["latin.txt, line 5: byte 6 is the byte 0xe4", "latin-1"],
    );
    w.must(&format!("fit latin.txt --encoding latin-1 {FIT}"));
    w.must(&format!("fit latin.txt --encoding windows-1252 {FIT}"));
    folder(&w);
    w.write("docs/d2.txt", b"mixed encodings: perch\xe9\n");
    refuses(
        &w,
        "fit docs -k 2",
        1,
        &["docs/d2.txt: after 22 bytes comes the byte 0xe9", "; --skip-bad passes over files"],
    );
    refuses(&w, "fit docs -k 2 --encoding ebcdic", 2, &["utf-8, latin-1 or windows-1252"]);
}

#[test]
fn what_is_no_text_is_told_for_what_it_is() {
    let w = Workspace::new();
    w.write("paper.txt", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n");
    w.write("photo.txt", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00");
    w.write("image.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    w.write("zeros.txt", b"some text\nand then\0 a zero\n");
    w.write("wide.txt", b"\xff\xfeh\0e\0l\0l\0o\0\n\0");
    for (file, needle) in [
        ("paper.txt", "paper.txt: this is a PDF; extract its text first"),
        ("photo.txt", "photo.txt: this is an image"),
        ("image.txt", "image.txt: this is an image"),
        ("zeros.txt", "zeros.txt, line 2: byte 9 is a zero byte"),
        ("wide.txt", "wide.txt: this is text in UTF-16"),
    ] {
        refuses(&w, &format!("fit {file} -k 2"), 1, &[needle]);
    }
    fs::create_dir_all(w.path("empty/inner")).unwrap();
    refuses(&w, "fit empty -k 2", 1, &["empty: there are no files in this folder"]);
    folder(&w);
    w.write("docs/cover.png", b"\x89PNG\r\n");
    refuses(&w, "fit docs -k 2", 1, &["docs/cover.png: this is an image"]);
    refuses(
        &w,
        "fit docs -k 2 --files *.md",
        1,
        &["none of the 9 files in this folder is called *.md"],
    );
    w.must(&format!("fit docs --files *.txt {FIT}"));
}

#[test]
fn how_the_lines_of_a_table_end_changes_nothing() {
    let w = Workspace::new();
    let table = csv(',');
    w.write("table.csv", table.as_bytes());
    w.write("unended.csv", table.trim_end().as_bytes());
    w.write("blank.csv", format!("{table}\n\r\n").as_bytes());
    w.write("old.csv", table.replace('\n', "\r").as_bytes());
    w.must(&format!("fit table.csv {FIT} -o expected.svtd"));
    for name in ["unended.csv", "blank.csv", "old.csv"] {
        w.must(&format!("fit {name} {FIT} --force -o found.svtd"));
        assert_eq!(w.read("found.svtd"), w.read("expected.svtd"), "{name}");
    }
}

#[test]
fn malformed_objects_and_tables_are_told_with_file_and_line() {
    let w = Workspace::new();
    let good = "{\"text\":\"the sun\"}\n".repeat(16);
    w.write("broken.jsonl", format!("{good}{{\"text\": \"the \n{good}").as_bytes());
    w.write("lacking.jsonl", format!("{good}{{\"body\": \"x\"}}\n").as_bytes());
    w.write("number.jsonl", format!("{good}{{\"text\": 5}}\n").as_bytes());
    w.write("strange.jsonl", b"{\"a\":\"x\",\"b\":\"y\"}\n");
    w.write("list.jsonl", b"[1,2]\n");
    w.write("ragged.csv", b"id,text\n1,some words\n2,some, more words\n");
    w.write("nameless.csv", b"a,b\nsome words,other words\n");
    w.write("table.csv", csv(',').as_bytes());
    w.write("head.csv", b"id,text\n");
    w.write("headless.csv", b"17,some words\n18,other words\n");
    w.write("open.csv", b"id,text\n1,some words\n2,\"other words\n3,more words\n4,words\n");
    w.write("open-head.csv", b"id,\"text\n1,some words\n2,other words\n");
    w.write("mac.txt", b"some words\rother words\rmore words\r");
    for (line, code, needle) in [
        ("broken.jsonl", 1, "broken.jsonl, line 17: expected a JSON object"),
        ("lacking.jsonl", 1, "lacking.jsonl, line 17: this object has no \"text\""),
        ("number.jsonl", 1, "number.jsonl, line 17: \"text\" must be a string"),
        (
            "strange.jsonl",
            1,
            "strange.jsonl, line 1: no column is called \"text\"; found \"a\", \"b\"",
        ),
        ("list.jsonl", 1, "list.jsonl, line 1: expected a JSON object"),
        ("ragged.csv", 1, "ragged.csv, line 3: 3 cells in a table of 2 columns"),
        ("nameless.csv", 1, "nameless.csv, line 1: no column is called \"text\""),
        ("headless.csv", 1, "(--text-column); is the first row a document?"),
        ("open.csv", 1, "open.csv, line 3: a cell of this row begins with a quote that is never"),
        ("open-head.csv", 1, "open-head.csv, line 1: a cell of this row begins with a quote that"),
        ("mac.txt", 1, "mac.txt: lines end in carriage returns alone"),
        ("table.csv --text-column body", 1, "table.csv, line 1: there is no column \"body\""),
        ("head.csv", 1, "head.csv: the corpus has no words"),
        ("table.csv --transpose", 2, "transpose"),
        (
            "table.csv --stop-words klingon",
            2,
            "--stop-words klingon is neither a file nor one of auto",
        ),
        ("table.csv --stem polish", 2, "stem must be a language with a Snowball stemmer"),
        ("table.csv --token-regex (", 2, "token-regex must be a regular expression"),
        ("table.csv --ngrams 2..1", 2, "a range such as 1..2"),
        ("table.csv --min-df 1.5", 2, "a number of documents such as 5"),
        ("table.csv --numbers maybe", 2, "keep or drop"),
        ("table.csv --language klingon", 2, "one of danish"),
    ] {
        refuses(&w, &format!("fit {line} -k 2"), code, &[needle]);
    }
}
