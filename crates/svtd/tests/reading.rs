//! Reading text through the public API: progress reports, and what counts as a document.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use svtd::CorpusReader;
use svtd::text::Preprocessing;

/// The last number reported while reading, and whether the numbers never decreased.
fn progress_of_reading(path: &Path, reader: CorpusReader) -> (u64, u64) {
    let progress = Arc::new(Mutex::new(vec![(0, 0)]));
    let watching = Arc::clone(&progress);
    reader.watched(move |done, of| watching.lock().unwrap().push((done, of))).read(path).unwrap();
    let progress = progress.lock().unwrap();
    assert!(progress.iter().map(|(done, _)| done).is_sorted());
    *progress.last().unwrap()
}

#[test]
fn whoever_watches_is_told_how_much_is_read_of_how_much() {
    let folder = tempfile::tempdir().unwrap();
    let text = "ships sail the sea\nbarns hold the wheat\n".repeat(50_000);
    let lines = folder.path().join("lines.txt");
    std::fs::write(&lines, &text).unwrap();
    let of_text = text.len() as u64;
    assert_eq!(progress_of_reading(&lines, CorpusReader::new()), (of_text, of_text));

    let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let gz = folder.path().join("lines.txt.gz");
    std::fs::write(&gz, &packed).unwrap();
    let of_packed = packed.len() as u64;
    assert_eq!(progress_of_reading(&gz, CorpusReader::new()), (of_packed, of_packed));

    let both = folder.path().join("both");
    std::fs::create_dir(&both).unwrap();
    std::fs::copy(&lines, both.join("a.txt")).unwrap();
    std::fs::copy(&gz, both.join("b.txt.gz")).unwrap();
    let all = of_text + of_packed;
    assert_eq!(progress_of_reading(&both, CorpusReader::new()), (all, all));
}

#[test]
fn a_whole_file_may_be_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let letter = folder.path().join("letter.txt");
    std::fs::write(&letter, "ships sail\nthe sea\n").unwrap();
    let reader = CorpusReader::new()
        .preprocessing(Preprocessing::new().min_df("1".parse().unwrap()))
        .whole(true);
    let corpus = reader.read(&letter).unwrap();
    assert_eq!((corpus.n_documents(), corpus.document_name(0).as_ref()), (1, "letter.txt"));
    let lines = reader.format(svtd::reading::Format::Lines).read(&letter).unwrap();
    assert_eq!(lines.n_documents(), 2);
}
