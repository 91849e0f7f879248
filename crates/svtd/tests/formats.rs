//! One corpus in every format is the same corpus, and a malformed file is refused with one sentence.
//!
//! The matrices in `tests/data` are as SciPy wrote them (`tools/build_fixtures.py`).

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::Write;
use std::path::{Path, PathBuf};

use svtd::reading::Format;
use svtd::{Corpus, CorpusReader};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Three documents over five words, the second of them empty.
fn expected() -> Corpus {
    let mut builder = Corpus::builder(5);
    builder.push_document([(1, 1), (4, 3)]).unwrap();
    builder.push_document([]).unwrap();
    builder.push_document([(1, 2)]).unwrap();
    builder.build().unwrap()
}

/// Writes `bytes` under this name in a folder of its own and reads it.
fn read_with(reader: &CorpusReader, name: &str, bytes: &[u8]) -> svtd::Result<Corpus> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    reader.read(&path)
}

fn read(name: &str, text: &str) -> Corpus {
    read_with(&CorpusReader::new(), name, text.as_bytes()).unwrap()
}

fn sentence(name: &str, format: Format, text: &[u8]) -> String {
    let error = read_with(&CorpusReader::new().format(format), name, text).unwrap_err();
    let sentence = error.to_string();
    assert!(!sentence.contains('\n') && !sentence.ends_with('.'), "{sentence}");
    sentence.split_once(name).unwrap().1.to_owned()
}

const TRANSPOSED: &str = "5\n3\n3\n2 1 1\n5 1 3\n2 3 2\n";
const DENSE: &str = "document,a,b,c,d,e\nx,0,1,0,0,3\ny,0,0,0,0,0\nz,0,2,0,0,0\n";

#[test]
fn scipy_matrices_of_every_layout_and_type_are_one_corpus() {
    for name in ["csr.npz", "csc-plain.npz", "real.npz", "int64.npz", "coo-repeated.npz"] {
        assert_eq!(Corpus::read(fixture(name)).unwrap(), expected(), "{name}");
    }
    let turned = CorpusReader::new().transposed(true).read(fixture("transposed.npz")).unwrap();
    assert_eq!(turned, expected());
    let zeros = Corpus::read(fixture("coo-repeated.npz")).unwrap();
    assert_eq!(zeros.report().n_zero_entries, 1);
}

#[test]
fn scipy_matrices_that_are_no_counts_are_told_by_their_parts() {
    for (name, expected) in [
        ("tfidf.npz", "data.npy: expected whole numbers, found 0.5; if these are weights"),
        ("negative.npz", "data.npy: expected whole numbers, found -1"),
        ("dia.npz", "expected a CSR, CSC or COO matrix, found \"dia\"; save matrix.tocsr()"),
        ("arrays.npz", "this is a zip archive, but not a matrix saved by scipy.sparse.save_npz"),
    ] {
        let error = Corpus::read(fixture(name)).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}: {expected}")), "{error}");
    }
}

#[test]
fn no_damage_to_a_scipy_matrix_goes_unnoticed_or_panics() {
    let whole = std::fs::read(fixture("csr.npz")).unwrap();
    for length in 0..whole.len() {
        read_with(&CorpusReader::new().format(Format::Npz), "cut.npz", &whole[..length])
            .unwrap_err();
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        // A changed date may go unnoticed; a changed count may not.
        if let Ok(corpus) = read_with(&CorpusReader::new().format(Format::Npz), "bad.npz", &bytes) {
            assert_eq!(corpus, expected(), "byte {at}");
        }
    }
}

#[test]
fn text_formats_are_told_apart_and_are_one_corpus() {
    let lda_c = "2 1:1 4:3\n0\n1 1:2\n";
    let from_zero = "a 1:1 4:3\nb 0:0 # nothing\nc qid:7 1:2\n\n";
    for (name, text) in [
        ("counts.dat", lda_c),
        ("counts.dat", "2 4:3 1:1\r\n0\r\n1 1:2\r\n\r\n"),
        ("counts.dat", "\u{feff}2 1:1 4:3\n0\n1 1:2.0"),
    ] {
        assert_eq!(read(name, text), expected(), "{text:?}");
    }
    let svm = read_with(&CorpusReader::new().format(Format::SvmLight), "c", from_zero.as_bytes());
    let svm = svm.unwrap();
    assert_eq!(svm.digest(), expected().digest());
    assert_eq!((svm.label(0), svm.label(2)), (Some("a"), Some("c")));
    assert!(svm.report().notes[0].ends_with("words are numbered from 0"));
    // Without an index 0, words are numbered from 1.
    let svm = read("counts.svm", "-1 2:1 5:3\n+1\n-1 2:2\n");
    assert_eq!(svm.digest(), expected().digest());
    assert_eq!(svm.label(1), Some("+1"));
}

#[test]
fn a_vocabulary_may_be_wider_than_the_largest_word_of_an_open_ended_format() {
    let folder = tempfile::tempdir().unwrap();
    let words = folder.path().join("words.txt");
    std::fs::write(&words, "a\nb\nc\nd\ne\nf\n").unwrap();
    let path = folder.path().join("counts.ldac");
    std::fs::write(&path, "2 1:1 4:3\n").unwrap();
    let corpus = CorpusReader::new().vocabulary_file(&words).read(&path).unwrap();
    assert_eq!((corpus.n_words(), &*corpus.vocabulary().word(5)), (6, "f"));
    std::fs::write(&words, "a\nb\n").unwrap();
    let error = CorpusReader::new().vocabulary_file(&words).read(&path).unwrap_err().to_string();
    assert!(error.contains("needed 5 words, as ") && error.contains("found 2 words"), "{error}");
}

#[test]
fn a_dense_table_brings_its_words_and_names() {
    for text in [
        DENSE.to_owned(),
        DENSE.replace(',', "\t"),
        DENSE.replace(',', ";").replace('\n', "\r\n"),
        DENSE.replace("a,b", "\"a\",b").replace("x,0,1", "\"x\",0,\"1\""),
        DENSE.replace("document", ""),
    ] {
        let corpus = read("counts.csv", &text);
        assert_eq!(corpus.rows(), expected().rows(), "{text}");
        assert_eq!(corpus.vocabulary().word(1), "b");
        assert_eq!(corpus.document_name(2), "z");
    }
    // Without names, all columns are words; a number in an id column is a name.
    let corpus = read("counts.csv", "a,b\n1,0\n2,5\n");
    assert_eq!((corpus.n_words(), corpus.has_names(), corpus.n_tokens()), (2, false, 8));
    let corpus = read("counts.csv", "id,a,b\n17,1,0\n18,2,5\n");
    assert_eq!((corpus.n_words(), &*corpus.document_name(1)), (2, "18"));
    let corpus = read("counts.csv", "d,\"a,\"\"1\"\"\",b\nx,1,0\n");
    assert_eq!(corpus.vocabulary().word(0), "a,\"1\"");
}

#[test]
fn a_matrix_may_lie_on_its_side() {
    let reader = CorpusReader::new().transposed(true);
    let turned = |name: &str, text: &str| read_with(&reader, name, text.as_bytes());
    assert_eq!(turned("docword.txt", TRANSPOSED).unwrap(), expected());
    let mtx = "%%MatrixMarket matrix coordinate integer general\n5 3 3\n2 1 1\n5 1 3\n2 3 2\n";
    assert_eq!(turned("a.mtx", mtx).unwrap(), expected());
    let table = "word,x,y,z\na,0,0,0\nb,1,0,2\nc,0,0,0\nd,0,0,0\ne,3,0,0\n";
    let corpus = turned("a.csv", table).unwrap();
    assert_eq!(corpus.rows(), expected().rows());
    assert_eq!((&*corpus.vocabulary().word(4), &*corpus.document_name(0)), ("e", "x"));

    let error = turned("a.txt", "5\n3\n1\n6 1 1\n").unwrap_err().to_string();
    assert!(error.ends_with("line 4: expected a word from 1 to 5, found \"6\""), "{error}");
    let error = turned("a.txt", "5\n3\n2\n2 1 1\n2 1 1\n").unwrap_err().to_string();
    assert!(error.ends_with("word 2 of document 1 was already counted on line 4"), "{error}");
    let error = turned("a.ldac", "1 1:1\n").unwrap_err().to_string();
    assert!(error.contains("documents that stand one on a line"), "{error}");
}

#[test]
fn every_format_may_be_packed() {
    let csr = std::fs::read(fixture("csr.npz")).unwrap();
    for (name, bytes) in [
        ("a.npz", &csr[..]),
        ("a.ldac", b"2 1:1 4:3\n0\n1 1:2\n"),
        ("a.txt", b"3\n5\n3\n1 2 1\n1 5 3\n3 2 2\n"),
    ] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        let packed = [gzip.finish().unwrap(), zstd::encode_all(bytes, 3).unwrap()];
        for bytes in &packed {
            assert_eq!(read_with(&CorpusReader::new(), name, bytes).unwrap(), expected());
        }
        let cut = &packed[1][..packed[1].len() - 2];
        let error = read_with(&CorpusReader::new(), name, cut).unwrap_err().to_string();
        assert!(error.contains("the zstd data ends early"), "{error}");
    }
}

#[test]
fn malformed_documents_on_lines_are_told_with_their_line() {
    for (format, text, expected) in [
        (Format::LdaC, "2 1:1\n", ", line 1: declared 2 pairs, found 1: is the line cut short?"),
        (Format::LdaC, "x 1:1\n", ", line 1: expected the number of pairs in front, found \"x\""),
        (Format::LdaC, "1 1:1\n1 3\n", ", line 2: expected word:count, found \"3\""),
        (Format::LdaC, "1 -1:1\n", ", line 1: expected word:count, found \"-1:1\""),
        (Format::LdaC, "1 1:-1\n", ", line 1: expected a whole number of occurrences"),
        (Format::LdaC, "1 1:0.5\n", ", line 1: expected a whole number of occurrences"),
        (Format::LdaC, "2 1:1 1:2\n", ", line 1: word 1 is counted twice in this document"),
        (Format::LdaC, "1 1:1\n\n1 1:1\n", ", line 2: expected a document, found an empty line"),
        (Format::LdaC, "1 4294967295:1\n", ", line 1: a word number of \"4294967295:1\""),
        (Format::LdaC, "1 4294967294:1\n", ": 4294967295 words declared for 1 entries"),
        (Format::SvmLight, "1:1 2:1\n", ", line 1: expected a label in front, found \"1:1\""),
        (Format::SvmLight, "1 1:1\n1 x:1\n", ", line 2: expected word:count, found \"x:1\""),
        (Format::SvmLight, "1 1:0.25\n", ", line 1: expected a whole number of occurrences"),
        (Format::SvmLight, "1 2:1 2:1\n", ", line 1: index 2 is counted twice"),
        (Format::CountsCsv, "", ": the file is empty; text or a table of counts is needed"),
        (Format::CountsCsv, "1,2\n3,4\n", ", line 1: expected a first row of words"),
        (Format::CountsCsv, "id\nx\n", ", line 1: expected a row of words, found no word"),
        (Format::CountsCsv, "a,b\n1,2\n3\n", ", line 3: expected 2 cells as in the first row"),
        (Format::CountsCsv, "a,b\n1,2,3\n", ", line 2: expected 2 cells as in the first row"),
        (Format::CountsCsv, "a,b\n1,\n", ", line 2: expected a whole number of occurrences"),
        (Format::CountsCsv, "a,b\n1,x\n", ", line 2: expected a whole number of occurrences"),
        (Format::CountsCsv, "a,b\n1,\"2\n", ", line 2: a quote is opened and not closed"),
        (Format::CountsCsv, "a,b\n\n1,2\n", ", line 2: expected a row of counts, found an empty"),
    ] {
        let found = sentence("bad.txt", format, text.as_bytes());
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
    let repeated = read_with(&CorpusReader::new(), "a.csv", b"a,b,a\n1,0,0\n").unwrap_err();
    assert!(repeated.to_string().contains("the word \"a\" is listed twice"), "{repeated}");
}

#[test]
fn what_is_read_and_as_what_is_told_before_it_is_read() {
    let describe = |reader: &CorpusReader, path: &Path| reader.open(path).unwrap().description();
    let path = fixture("csc-plain.npz");
    assert!(describe(&CorpusReader::new(), &path).ends_with("csc-plain.npz as SciPy CSC"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, TRANSPOSED).unwrap();
    let turned = CorpusReader::new().transposed(true);
    assert!(describe(&turned, &path).ends_with("as UCI docword, documents as columns"));
    std::fs::write(&path, "1 3:1\n2 1:1 4:1\n").unwrap();
    let description = describe(&CorpusReader::new(), &path);
    assert!(description.contains("as LDA-C because "), "{description}");
    assert!(description.ends_with("format svmlight reads it so"), "{description}");
}

/// With words, names and labels, and counts that take more than a byte.
fn rich(largest: u32) -> Corpus {
    let words = ["sole", "amor", "più", "luna", "stelle"].map(String::from).to_vec();
    let mut builder = Corpus::builder(5).vocabulary(svtd::Vocabulary::from_words(words).unwrap());
    builder.push_document([(1, largest), (4, 3)]).unwrap();
    builder.push_document([]).unwrap();
    builder.push_document([(1, 2), (0, 1)]).unwrap();
    let names = ["inferno", "", "paradiso"].map(String::from).to_vec();
    let labels = ["a", "b", "a"].map(String::from).to_vec();
    builder.names(names).labels(labels).build().unwrap()
}

fn saved(corpus: &Corpus) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svtdc");
    corpus.save(&path, false).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn a_saved_corpus_is_read_back_as_it_was() {
    let many = {
        let mut builder = Corpus::builder(70_000);
        for d in 0..3000_u32 {
            builder.push_document((0..40).map(|i| ((d * 31 + i * 1201) % 70_000, i + 1))).unwrap();
        }
        builder.build().unwrap()
    };
    for corpus in [expected(), rich(200), rich(60_000), rich(70_000), many] {
        let bytes = saved(&corpus);
        let read = read_with(&CorpusReader::new(), "a.svtdc", &bytes).unwrap();
        assert_eq!(read, corpus);
        assert_eq!(read.label(0), corpus.label(0));
        assert_eq!(saved(&read), bytes, "the bytes are a function of the corpus");
        let packed = zstd::encode_all(&bytes[..], 3).unwrap();
        assert_eq!(read_with(&CorpusReader::new(), "a.svtdc.zst", &packed).unwrap(), corpus);
    }
}

#[test]
fn no_damage_to_a_saved_corpus_goes_unnoticed() {
    let whole = saved(&rich(300));
    let reader = CorpusReader::new().format(Format::Svtdc);
    let refused = |bytes: &[u8]| read_with(&reader, "a.svtdc", bytes).unwrap_err().to_string();
    assert!(refused(b"").contains("the file is empty"));
    for length in 1..whole.len() {
        let error = refused(&whole[..length]);
        assert!(error.ends_with("the corpus file is cut short; count it again"), "{error}");
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            refused(&bytes);
        }
    }
    assert!(refused(&[&whole[..], b"x"].concat()).contains("bytes follow after its end"));
    let mut newer = whole.clone();
    newer[7] = 9;
    assert!(refused(&newer).contains("version 9, and this svtd reads up to 2"));
    let words = CorpusReader::new().vocabulary_file("words.txt");
    let error = read_with(&words, "a.svtdc", &whole).unwrap_err().to_string();
    assert!(error.contains("which has its own words"), "{error}");
}

#[cfg(feature = "parquet")]
mod parquet {
    use svtd::reading::Columns;
    use svtd::text::{Frequency, Preprocessing, StopWords};

    use super::*;

    fn named(set: impl FnOnce(&mut Columns)) -> CorpusReader {
        let mut columns = Columns::default();
        set(&mut columns);
        CorpusReader::new().columns(columns)
    }

    #[test]
    fn lists_of_numbers_and_counts_are_documents() {
        let reader = named(|columns| columns.label = Some("class".to_owned()));
        let opened = reader.open(fixture("documents.parquet")).unwrap();
        let description = opened.description();
        assert!(
            description.ends_with("as Parquet, counts in columns \"indices\" and \"counts\""),
            "{description}"
        );
        let corpus = opened.read().unwrap();
        assert_eq!(corpus.rows(), expected().rows());
        assert_eq!(corpus.document_name(1), "purgatorio");
        assert_eq!((corpus.label(0), corpus.label(1)), (Some("1"), Some("2")));
    }

    #[test]
    fn lists_of_words_are_documents() {
        let reader =
            named(|columns| columns.tokens = Some("tokens".to_owned())).preprocessing(every_word());
        let corpus = reader.read(fixture("documents.parquet")).unwrap();
        assert_eq!(corpus.lengths(), [4, 0, 2]);
        let word = |name| corpus.vocabulary().id(name).unwrap();
        let mut entries: Vec<_> = corpus.document(0).words().collect();
        entries.sort_unstable();
        assert_eq!(entries, [(word("amor"), 1), (word("stelle"), 3)]);
        assert_eq!(corpus.document_name(2), "paradiso");
    }

    /// No filter that the tiny corpus would not survive.
    fn every_word() -> Preprocessing {
        Preprocessing::new().stop_words(StopWords::None).min_df(Frequency::Documents(1))
    }

    #[test]
    fn text_is_split_into_words_whatever_it_is_packed_with() {
        for packing in ["zstd", "gzip", "lz4", "plain"] {
            let reader = CorpusReader::new().preprocessing(every_word());
            let opened = reader.open(fixture(&format!("text-{packing}.parquet"))).unwrap();
            assert!(opened.description().ends_with("Parquet, text in column \"text\""));
            let corpus = opened.read().unwrap();
            assert_eq!(corpus.lengths(), [4, 0, 2], "{packing}");
            assert!(corpus.word_choice().is_some());
        }
    }

    #[test]
    fn columns_that_do_not_fit_are_told_by_name() {
        type Set = fn(&mut Columns);
        let table: [(Set, &str); 5] = [
            (
                |c| c.tokens = Some("none".to_owned()),
                "there is no column \"none\"; the columns are \"id\", ",
            ),
            (|c| c.tokens = Some("text".to_owned()), "column \"text\" does not hold lists of text"),
            (
                |c| c.counts = Some("tokens".to_owned()),
                "column \"tokens\" does not hold lists of whole",
            ),
            (
                |c| c.counts = Some("weights".to_owned()),
                "row 1: column \"weights\": expected a whole number, found 0.5",
            ),
            (
                |c| c.id = Some("tokens".to_owned()),
                "column \"tokens\" does not hold one value a row",
            ),
        ];
        for (set, needle) in table {
            let error = named(set).read(fixture("documents.parquet")).unwrap_err().to_string();
            assert!(error.contains(&format!("documents.parquet: {needle}")), "{error}");
        }
        let reader = CorpusReader::new().text_columns(["date"]);
        let error = reader.read(fixture("documents.parquet")).unwrap_err().to_string();
        assert!(error.contains("column \"date\" does not hold text"), "{error}");
    }

    #[test]
    fn damage_to_a_parquet_file_is_told_in_one_sentence() {
        let whole = std::fs::read(fixture("documents.parquet")).unwrap();
        let reader = CorpusReader::new().format(Format::Parquet);
        for length in (0..whole.len()).step_by(97) {
            let error = read_with(&reader, "a.parquet", &whole[..length]).unwrap_err().to_string();
            assert!(error.contains("a.parquet: ") && !error.contains('\n'), "{error}");
        }
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            // Some bytes are counts themselves, without a checksum; no change of a byte may cause a panic.
            let _ = read_with(&reader, "a.parquet", &bytes);
        }
    }
}
