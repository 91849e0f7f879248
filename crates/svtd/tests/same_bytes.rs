//! A model is a function of the set of documents: the bytes of its file do not depend on the number
//! of threads, on the order of the documents, or on how they were spread over files.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::{Corpus, CorpusReader, Lda, Model, SingleTopic};

/// A corpus of several blocks: few words, many documents, some of them empty or equal.
fn corpus() -> Corpus {
    let source = LdaSource::zipf(60, 4, 3.0, 60.0, 0.8, 11);
    let drawn = source.draw(900, &Lengths::Uniform(0..=50), 12).0;
    let again: Vec<usize> = (0..900).chain(0..60).collect();
    drawn.subset(&again)
}

fn fits(corpus: &Corpus) -> [Model; 2] {
    [
        Model::Lda(Lda::params(4).fit(corpus).unwrap()),
        Model::SingleTopic(SingleTopic::params(4).fit(corpus).unwrap()),
    ]
}

/// The files of both models, trust included.
fn bytes(corpus: &Corpus) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.svtd");
    let saved = fits(corpus).map(|model| {
        model.save(&path, corpus, true).unwrap();
        std::fs::read(&path).unwrap()
    });
    saved.into()
}

fn reordered(corpus: &Corpus, order: impl Fn(usize) -> u64) -> Corpus {
    let mut documents: Vec<usize> = (0..corpus.n_documents()).collect();
    documents.sort_by_key(|&d| order(d));
    corpus.subset(&documents)
}

#[test]
fn threads_and_the_order_of_documents_change_no_byte() {
    let corpus = corpus();
    let expected = bytes(&corpus);
    let backwards = reordered(&corpus, |d| u64::MAX - d as u64);
    let shuffled = reordered(&corpus, |d| (d as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for (threads, corpus) in
        [(1, &corpus), (2, &backwards), (3, &shuffled), (8, &corpus), (16, &backwards)]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| bytes(corpus)) == expected, "{threads} threads");
    }
}

#[test]
fn a_limit_on_memory_changes_no_byte() {
    let source = LdaSource::zipf(200, 4, 3.0, 60.0, 0.8, 13);
    let drawn = source.draw(6000, &Lengths::Uniform(0..=80), 14).0;
    let expected = bytes(&drawn);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts.svtdc");
    drawn.save(&path, true).unwrap();
    // Arrays above a quarter of a megabyte lie in files, and those of this corpus are larger.
    assert!(drawn.n_nonzeros() * 4 > 2 << 18);
    let limit = svtd::reading::Limit::of(16 << 20, folder.path()).unwrap();
    let read = CorpusReader::new().within(&limit).read(&path).unwrap();
    assert!(read.rows().memory_bytes() < drawn.rows().memory_bytes() / 4);
    assert!(read == drawn);
    assert!(bytes(&read) == expected);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "files without a name");
}

#[test]
fn text_counted_within_a_limit_is_the_same_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.txt");
    let lines: String = (0..30_000_u64)
        .map(|d| {
            let word = |i: u64| format!("w{} ", mixed(d * 31 + i) % 5000);
            (0..d % 40).map(word).collect::<String>() + "\n"
        })
        .collect();
    std::fs::write(&path, lines).unwrap();
    let limit = svtd::reading::Limit::of(16 << 20, folder.path()).unwrap();
    let expected = CorpusReader::new().read(&path).unwrap();
    let read = CorpusReader::new().within(&limit).read(&path).unwrap();
    assert!(read.rows().memory_bytes() < expected.rows().memory_bytes() / 4);
    assert!(read == expected && read.digest() == expected.digest());
    assert!(read.into_key_order() == expected.into_key_order());
}

/// A number that looks random.
fn mixed(n: u64) -> u64 {
    let n = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (n ^ (n >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

#[test]
fn weights_of_the_callers_own_move_with_their_documents() {
    let source = SingleTopicSource::zipf(50, 3, 4.0, 80.0, 8.0, 5);
    let corpus = source.draw(300, &Lengths::Uniform(3..=30), 6).0;
    let weights: Vec<f64> = (0..300).map(|d| 1.0 + (d % 7) as f64).collect();
    let order: Vec<usize> = (0..300).rev().collect();
    let law = svtd::moments::DocumentWeights::Custom(weights);
    let fit = |corpus: &Corpus, law: svtd::moments::DocumentWeights| {
        SingleTopic::params(3).weights(law).trust(false).fit(corpus).unwrap()
    };
    let forwards = fit(&corpus, law.clone());
    let backwards = fit(&corpus.subset(&order), law.of(&order));
    assert_eq!(forwards.topics().word_topic(), backwards.topics().word_topic());
    assert_eq!(*forwards.options(), *Model::SingleTopic(forwards.clone()).options());
}

#[test]
fn the_order_of_the_vocabulary_changes_no_probability() {
    let corpus = corpus();
    let words: Vec<String> = (0..60).map(|i| format!("w{:02}", i * 37 % 60)).collect();
    let named = |turn: &dyn Fn(usize) -> usize| {
        let mut list = vec![String::new(); 60];
        (0..60).for_each(|i| list[turn(i)] = words[i].clone());
        let vocabulary = svtd::Vocabulary::from_words(list).unwrap();
        let mut builder = Corpus::builder(60).vocabulary(vocabulary);
        for d in 0..corpus.n_documents() {
            let turned = corpus.document(d).words().map(|(i, x)| (turn(i as usize) as u32, x));
            builder.push_document(turned.collect::<Vec<_>>()).unwrap();
        }
        builder.build().unwrap()
    };
    let (one, other) = (named(&|i| i), named(&|i| 59 - i));
    for (one, other) in fits(&one).iter().zip(fits(&other)) {
        for i in 0..60 {
            let (here, there) =
                (one.topics().word_topic().row(i), other.topics().word_topic().row(59 - i));
            assert_eq!(here, there, "word {i}");
        }
    }
}

#[test]
fn files_in_any_number_and_order_are_one_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let texts: Vec<String> = corpus_of_sentences();
    let jsonl = |texts: &[String]| -> String {
        texts.iter().map(|text| format!("{{\"text\": \"{text}\"}}\n")).collect()
    };
    std::fs::write(at("all.jsonl"), jsonl(&texts)).unwrap();
    std::fs::write(at("a.jsonl"), jsonl(&texts[..50])).unwrap();
    std::fs::write(at("b.jsonl"), jsonl(&texts[50..90])).unwrap();
    std::fs::write(at("c.jsonl"), jsonl(&texts[90..])).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    for (d, text) in texts.iter().enumerate() {
        std::fs::write(at("folder").join(format!("{d}.txt")), text).unwrap();
    }
    let read = |names: &[&str]| {
        let reader = CorpusReader::new();
        let open = |name: &&str| reader.open(Path::new(&at(name))).unwrap();
        reader.read_all(names.iter().map(open).collect()).unwrap()
    };
    let whole = read(&["all.jsonl"]);
    let expected = bytes(&whole);
    for names in [&["a.jsonl", "b.jsonl", "c.jsonl"][..], &["c.jsonl", "a.jsonl", "b.jsonl"]] {
        assert!(bytes(&read(names)) == expected, "{names:?}");
    }
    assert!(bytes(&read(&["folder"])) == expected, "a folder of the same texts");
    // Counted corpora are united by word.
    whole.save(at("all.svtdc"), true).unwrap();
    let halves = [(0..60).collect::<Vec<usize>>(), (60..texts.len()).collect()];
    for (half, name) in halves.iter().zip(["h1.svtdc", "h2.svtdc"]) {
        whole.subset(half).save(at(name), true).unwrap();
    }
    let united = read(&["h2.svtdc", "h1.svtdc"]);
    assert_eq!(united.digest(), whole.digest());
    for (one, other) in fits(&united).iter().zip(fits(&whole)) {
        assert_eq!(one.topics().word_topic(), other.topics().word_topic());
    }
}

/// 130 short texts about three things.
fn corpus_of_sentences() -> Vec<String> {
    let things = [
        ["sea", "ship", "wave", "harbour", "sail", "storm", "island"],
        ["bread", "oven", "flour", "butter", "dough", "crust", "yeast"],
        ["star", "planet", "orbit", "moon", "comet", "galaxy", "telescope"],
    ];
    let sentence = |d: usize| {
        let words = (0..9 + d % 5).map(|i| {
            let thing = if (d * 7 + i * 3).is_multiple_of(11) { (d + 1) % 3 } else { d % 3 };
            things[thing][(d * 5 + i * i + i * d) % 7]
        });
        words.collect::<Vec<_>>().join(" ")
    };
    (0..130).map(sentence).collect()
}
