//! Cells in every dress: one table of four cells and three genes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use super::TenxFolder;
use crate::corpus::Corpus;
use crate::reading::{CorpusReader, Format};

const GENES: [&str; 3] = ["CD3D", "MS4A1", "LYZ"];
const CELLS: [&str; 4] = ["AAAC-1", "AAAG-1", "AACT-1", "AAGT-1"];
const COUNTS: [[u32; 3]; 4] = [[3, 0, 1], [0, 2, 0], [0, 0, 0], [1, 1, 5]];

fn expected() -> Corpus {
    let mut builder = Corpus::builder(3);
    for row in COUNTS {
        let words = row.iter().enumerate().filter(|(_, count)| **count > 0);
        builder.push_document(words.map(|(gene, &count)| (gene as u32, count))).unwrap();
    }
    builder.build().unwrap()
}

fn assert_expected(corpus: &Corpus) {
    let words: Vec<_> = corpus.vocabulary().iter().map(|word| word.into_owned()).collect();
    assert_eq!(words, GENES);
    for (d, name) in CELLS.iter().enumerate() {
        assert_eq!(corpus.document_name(d), *name);
        let mut found: Vec<_> = corpus.document(d).words().collect();
        let mut wanted: Vec<_> = expected().document(d).words().collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "cell {d}");
    }
}

/// `data`, `indices`, `indptr` by cells, or by genes.
#[cfg(feature = "hdf5")]
fn compressed(by_genes: bool) -> (Vec<f32>, Vec<i32>, Vec<i64>) {
    let (mut data, mut indices, mut indptr) = (Vec::new(), Vec::new(), vec![0]);
    let (outer, inner) = if by_genes { (3, 4) } else { (4, 3) };
    let at = |i: usize, j: usize| if by_genes { COUNTS[j][i] } else { COUNTS[i][j] };
    for i in 0..outer {
        for j in 0..inner {
            let count = at(i, j);
            if count > 0 {
                data.push(count as f32);
                indices.push(j as i32);
            }
        }
        indptr.push(data.len() as i64);
    }
    (data, indices, indptr)
}

#[cfg(feature = "hdf5")]
mod hdf5 {
    use hdf5_pure::{AttrValue, FileBuilder};
    use proptest::prelude::*;

    use super::*;

    fn text(value: &str) -> AttrValue {
        AttrValue::VarLenString(value.to_owned())
    }

    /// A file with a matrix (CSR, CSC or dense) in `X` and in a layer, each times a factor.
    fn anndata(encoding: &str, x: f32, layer: f32) -> Vec<u8> {
        let mut file = FileBuilder::new();
        file.set_attr("encoding-type", text("anndata"));
        for (frame, names) in [("obs", &CELLS[..]), ("var", &GENES[..])] {
            let mut group = file.create_group(frame);
            group.set_attr("_index", text("names"));
            group.create_dataset("names").with_vlen_strings(names);
            if frame == "obs" {
                let mut kind = group.create_group("kind");
                kind.create_dataset("codes").with_i8_data(&[0, 1, -1, 1]);
                kind.create_dataset("categories").with_vlen_strings(&["T", "B"]);
                group.add_group(kind.finish());
            }
            file.add_group(group.finish());
        }
        let mut layers = file.create_group("layers");
        for (name, factor) in [("X", x), ("counts", layer)] {
            if encoding == "array" {
                let dense: Vec<f32> =
                    COUNTS.iter().flatten().map(|&count| count as f32 * factor).collect();
                let target = match name {
                    "X" => file.create_dataset(name),
                    _ => layers.create_dataset(name),
                };
                target.with_f32_data(&dense).with_shape(&[4, 3]);
                continue;
            }
            let (data, indices, indptr) = compressed(encoding == "csc_matrix");
            let data: Vec<f32> = data.iter().map(|count| count * factor).collect();
            let mut group = match name {
                "X" => file.create_group(name),
                _ => layers.create_group(name),
            };
            group.set_attr("encoding-type", text(encoding));
            group.set_attr("shape", AttrValue::I64Array(vec![4, 3]));
            group.create_dataset("data").with_f32_data(&data);
            group.create_dataset("indices").with_i32_data(&indices);
            group.create_dataset("indptr").with_i64_data(&indptr);
            match name {
                "X" => file.add_group(group.finish()),
                _ => layers.add_group(group.finish()),
            }
        }
        file.add_group(layers.finish());
        file.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> crate::Result<Corpus> {
        CorpusReader::new().read_bytes_as(bytes, Format::H5ad)
    }

    #[test]
    fn anndata_is_read_by_rows_by_columns_and_dense() {
        for encoding in ["csr_matrix", "csc_matrix", "array"] {
            let bytes = anndata(encoding, 1.0, 0.5);
            assert_expected(&read(&bytes).unwrap());
            let layer = CorpusReader::new().layer("counts");
            let bytes = anndata(encoding, 0.5, 1.0);
            assert_expected(&layer.read_bytes_as(&bytes, Format::H5ad).unwrap());
        }
    }

    #[test]
    fn what_is_no_counts_is_refused_and_the_counts_are_named() {
        let error = read(&anndata("csr_matrix", 0.5, 1.0)).unwrap_err().to_string();
        assert!(error.contains("X holds 1.5, so it is no table of counts"), "{error}");
        assert!(error.contains("layer \"counts\" holds counts (--layer counts)"), "{error}");
        let layer = CorpusReader::new().layer("counts");
        let error = layer.read_bytes_as(&anndata("array", 1.0, 0.3), Format::H5ad).unwrap_err();
        assert!(error.to_string().contains("X holds counts: leave out the layer"), "{error}");
        let neither = read(&anndata("csc_matrix", 0.5, -1.0)).unwrap_err().to_string();
        assert!(neither.contains("adata.layers[\"counts\"] = adata.X.copy()"), "{neither}");
        let missing = CorpusReader::new().layer("spliced");
        let error = missing.read_bytes_as(&anndata("array", 1.0, 1.0), Format::H5ad).unwrap_err();
        assert!(error.to_string().contains("no layer \"spliced\"; found counts"), "{error}");
    }

    #[test]
    fn a_column_of_obs_may_be_the_label() {
        let mut columns =
            crate::reading::Columns { label: Some("kind".to_owned()), ..Default::default() };
        let bytes = anndata("csr_matrix", 1.0, 1.0);
        let corpus = CorpusReader::new()
            .columns(columns.clone())
            .read_bytes_as(&bytes, Format::H5ad)
            .unwrap();
        let labels: Vec<Option<&str>> = (0..4).map(|d| corpus.label(d)).collect();
        assert_eq!(labels, [Some("T"), Some("B"), Some(""), Some("B")]);
        columns.label = Some("age".to_owned());
        let error =
            CorpusReader::new().columns(columns).read_bytes_as(&bytes, Format::H5ad).unwrap_err();
        assert!(error.to_string().contains("obs has no column \"age\"; found kind"), "{error}");
    }

    fn tenx(kinds: &[&str]) -> Vec<u8> {
        let (data, indices, indptr) = compressed(false);
        let data: Vec<i32> = data.iter().map(|&count| count as i32).collect();
        let mut file = FileBuilder::new();
        let mut group = file.create_group("matrix");
        group.create_dataset("data").with_i32_data(&data);
        group.create_dataset("indices").with_i32_data(&indices);
        group.create_dataset("indptr").with_i64_data(&indptr);
        group.create_dataset("shape").with_i32_data(&[3, 4]);
        group.create_dataset("barcodes").with_ascii_strings(&CELLS).unwrap();
        let mut features = group.create_group("features");
        features.create_dataset("id").with_ascii_strings(&["g1", "g2", "g3"]).unwrap();
        features.create_dataset("name").with_ascii_strings(&GENES).unwrap();
        features.create_dataset("feature_type").with_ascii_strings(kinds).unwrap();
        group.add_group(features.finish());
        file.add_group(group.finish());
        file.finish().unwrap()
    }

    #[test]
    fn the_file_of_10x_is_read_with_its_names() {
        assert_expected(&read(&tenx(&["Gene Expression"; 3])).unwrap());
        let kinds = ["Gene Expression", "Antibody Capture", "Gene Expression"];
        let corpus = read(&tenx(&kinds)).unwrap();
        let words: Vec<_> = corpus.vocabulary().iter().map(|word| word.into_owned()).collect();
        assert_eq!(words, ["CD3D", "LYZ"]);
        assert_eq!(corpus.document(3).words().map(|(_, n)| n).sum::<u32>(), 6);
        assert!(corpus.report().notes[0].starts_with("1 features are no gene expression"));
    }

    #[test]
    fn other_files_of_hdf5_are_told() {
        let mut file = FileBuilder::new();
        file.create_dataset("temperature").with_f64_data(&[1.0]);
        let error = read(&file.finish().unwrap()).unwrap_err().to_string();
        assert!(error.contains("neither AnnData (.h5ad) nor of 10x"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Damage anywhere ends in a sentence or in a corpus, never in a panic.
        #[test]
        fn damaged_files_are_refused_or_read(at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let mut bytes = anndata("csr_matrix", 1.0, 1.0);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if cut {
                bytes.truncate(at);
            }
            let _ = read(&bytes);
        }
    }
}

fn folder(features: &str, packed: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut matrix = "%%MatrixMarket matrix coordinate integer general\n%\n3 4 6\n".to_owned();
    for (cell, row) in COUNTS.iter().enumerate() {
        for (gene, count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
            matrix.push_str(&format!("{} {} {count}\n", gene + 1, cell + 1));
        }
    }
    let rows: String =
        GENES.iter().enumerate().map(|(i, g)| format!("g{i}\t{g}\tGene Expression\n")).collect();
    let files =
        [("matrix.mtx", matrix), (features, rows), ("barcodes.tsv", CELLS.join("\n") + "\n")];
    for (name, content) in files {
        if packed {
            let file = std::fs::File::create(folder.path().join(format!("{name}.gz"))).unwrap();
            let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            std::io::Write::write_all(&mut out, content.as_bytes()).unwrap();
            out.finish().unwrap();
        } else {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
    }
    folder
}

#[test]
fn a_folder_of_10x_has_features_as_rows_and_barcodes_as_names() {
    for (features, packed) in [("features.tsv", true), ("genes.tsv", false)] {
        let folder = folder(features, packed);
        let opened = CorpusReader::new().open(folder.path()).unwrap();
        assert_eq!(opened.format(), Format::TenxFolder);
        assert_expected(&opened.read().unwrap());
    }
}

#[test]
fn a_folder_that_lacks_one_of_three_is_no_folder_of_10x() {
    let folder = folder("features.tsv", false);
    std::fs::remove_file(folder.path().join("barcodes.tsv")).unwrap();
    assert!(TenxFolder::in_folder(folder.path()).is_none());
    let asked = CorpusReader::new().format(Format::TenxFolder).open(folder.path());
    assert!(asked.err().unwrap().to_string().contains("expected a folder with matrix.mtx"));
}

#[test]
fn lists_that_do_not_fit_the_matrix_are_refused() {
    let folder = folder("features.tsv", false);
    std::fs::write(folder.path().join("barcodes.tsv"), "A\nB\n").unwrap();
    let error = CorpusReader::new().read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("3 x 4, but there are 3 features and 2 barcodes"), "{error}");
}
