//! Readers: whatever the bytes, the answer is a corpus or a sentence.

use svtd::persist::Saved;
use svtd::reading::Format;
use svtd::text::{Apostrophes, Frequency, Ngrams, Numbers, Preprocessing, StopWords, count_texts};
use svtd::{Corpus, CorpusReader, Error};

/// Reads a corpus in a given format, or in the one detected from its contents.
pub fn read(bytes: &[u8], format: Option<Format>, name: &str) {
    // The first byte chooses options, so that they are fuzzed too.
    let (options, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let mut reader = CorpusReader::new();
    if let Some(format) = format {
        reader = reader.format(format);
        reader = reader.transposed(options & 1 == 1 && format.is_matrix());
    }
    if options & 2 == 2 {
        reader = reader.encoding(svtd::reading::Encoding::Windows1252);
    }
    if options & 4 == 4 {
        reader = reader.index_base(options >> 7);
    }
    let chosen = Preprocessing::new().min_df(Frequency::Documents(u64::from(options >> 3 & 3)));
    judge(reader.preprocessing(chosen).read_bytes(bytes.to_vec(), name));
}

/// A list of words for counts of three words.
pub fn vocabulary(bytes: &[u8]) {
    let words = String::from_utf8_lossy(bytes);
    let words: Vec<String> = words.lines().map(str::to_owned).collect();
    let n_words = words.len();
    let Ok(vocabulary) = svtd::Vocabulary::from_words(words) else { return };
    let mut builder = Corpus::builder(n_words).vocabulary(vocabulary);
    for word in 0..n_words.min(3) as u32 {
        let _ = builder.push_document([(word, 1 + word)]);
    }
    judge(builder.build());
}

/// Text into words, by every kind of rule.
pub fn tokenizer(bytes: &[u8]) {
    let (options, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let text = String::from_utf8_lossy(bytes);
    let mut chosen = Preprocessing::new()
        .lowercase(options & 1 == 0)
        .min_length(usize::from(options >> 1 & 3))
        .min_df(Frequency::Documents(1));
    chosen = match options >> 3 & 7 {
        0 => chosen.apostrophes(Some(Apostrophes::Split)),
        1 => chosen.ngrams(Ngrams { min: 1, max: 3 }),
        2 => chosen.stop_words(StopWords::None).numbers(Numbers::Keep),
        3 => chosen.token_regex(Some(r"\w+".to_owned())),
        4 => chosen.stem(Some(svtd::text::Language::English)),
        5 => chosen.max_words(Some(2)),
        _ => chosen,
    };
    let documents: Vec<&str> = text.split('\n').collect();
    judge(count_texts(&documents, &chosen));
}

/// A model file.
pub fn model(bytes: &[u8]) {
    if let Ok(saved) = Saved::from_bytes(bytes, "fuzz.svtd") {
        // What can be read can be written, and is then the same.
        let again = saved.to_bytes().map(|bytes| Saved::from_bytes(&bytes, "again.svtd"));
        assert!(
            matches!(again, Ok(Ok(_))),
            "a model that was read cannot be written and read again"
        );
    }
}

/// A corpus must be sound, an error one sentence.
fn judge(read: Result<Corpus, Error>) {
    match read {
        Ok(corpus) => {
            assert_eq!(corpus.lengths().len(), corpus.n_documents());
            assert_eq!(corpus.lengths().iter().sum::<u64>(), corpus.n_tokens());
            assert!(corpus.n_present() <= corpus.n_words());
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{sentence:?}");
        }
    }
}
