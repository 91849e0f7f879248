//! The layouts of other programs.
//!
//! | program | layout |
//! |---|---|
//! | pyLDAvis | the five arguments of `prepare`, by name |
//! | OCTIS | the dictionary that `train_model` returns: `topics`, `topic-word-matrix`, `topic-document-matrix` |
//! | MALLET | `--output-topic-keys`: number, alpha, words; `--output-doc-topics`: number, name, shares; tabs between, counted from 0 |

use serde_json::{Value, json};
use svtd::linalg::Matrix;
use svtd::{Corpus, Model};

use super::tables::leading;
use crate::failure::{Failure, Outcome};
use crate::mixtures::Mixtures;
use crate::printable::{on_one_line, without_blanks};

/// A model, and its documents if there are any, as plain JSON.
pub fn plain(model: &Model, documents: Option<&(&Corpus, Matrix)>, n_words: usize) -> Value {
    let topics = model.topics();
    let topic = |j: usize| {
        let words = topics.topic(j).top_words(n_words);
        let words: Vec<Value> = words
            .iter()
            .map(|(word, probability)| json!({ "word": word, "probability": probability }))
            .collect();
        let mut value = json!({ "number": j + 1, "share": topics.weights()[j], "words": words });
        if let Some(name) = topics.topic(j).name() {
            value["name"] = json!(name);
        }
        if let Model::Lda(lda) = model {
            value["alpha"] = json!(lda.alpha()[j]);
        }
        value
    };
    let mut object = json!({
        "model": model.kind(),
        "topics": (0..topics.len()).map(topic).collect::<Vec<_>>(),
        "vocabulary": topics.vocabulary().iter().collect::<Vec<_>>(),
        "topic_word": rows_by_topic(model),
    });
    if let Some((corpus, mixtures)) = documents {
        let document =
            |d: usize| json!({ "document": corpus.document_name(d), "mixture": mixtures.row(d) });
        object["documents"] = (0..corpus.n_documents()).map(document).collect();
    }
    object
}

/// The dictionary of an OCTIS model.
pub fn octis(model: &Model, mixtures: Option<&Matrix>, n_words: usize) -> Value {
    let topics = model.topics();
    let words: Vec<Vec<String>> = (0..topics.len()).map(|j| leading(model, j, n_words)).collect();
    let mut object = json!({ "topics": words, "topic-word-matrix": rows_by_topic(model) });
    if let Some(mixtures) = mixtures {
        let by_topic = (0..topics.len()).map(|j| json!(mixtures.column(j)));
        object["topic-document-matrix"] = by_topic.collect();
    }
    object
}

/// The arguments of `pyLDAvis.prepare`.
///
/// It divides by the frequency of every word, so only words that occur in the documents are passed on, with their
/// probabilities normalised again. Documents without words are left out too.
pub fn pyldavis(model: &Model, corpus: &Corpus, mixtures: &Matrix) -> Outcome<Value> {
    let topics = model.topics();
    let mut frequency = vec![0_u64; topics.vocabulary().len()];
    let by_name = !topics.vocabulary().is_numbered() && !corpus.vocabulary().is_numbered();
    let model_word = |word: u32| match by_name {
        true => topics.vocabulary().id(&corpus.vocabulary().word(word as usize)),
        false => Some(word),
    };
    for (feature, total) in corpus.feature_totals().iter().enumerate() {
        if let Some(word) = model_word(corpus.word_of_feature()[feature]) {
            frequency[word as usize] += total;
        }
    }
    let known = |i: &usize| frequency[*i] > 0 && topics.iter().any(|t| t.probability(*i) > 0.0);
    let words: Vec<usize> = (0..frequency.len()).filter(known).collect();
    let dists = topics.iter().map(|topic| {
        let row: Vec<f64> = words.iter().map(|&i| topic.probability(i)).collect();
        let total: f64 = row.iter().sum();
        (total > 0.0).then(|| row.iter().map(|p| p / total).collect::<Vec<f64>>())
    });
    let dists: Option<Vec<Vec<f64>>> = dists.collect();
    let Some(dists) = dists else {
        return Err(Failure::Request(
            "some topic has no word in these documents, so pyLDAvis cannot show it; give it the \
             documents that the model was fitted on"
                .to_owned(),
        ));
    };
    // Words that the model does not know are left out, so they do not count either.
    let is_shown: Vec<bool> = (0..frequency.len()).map(|i| known(&i)).collect();
    let length = |d: usize| -> u64 {
        let words = corpus.document(d).words();
        let shown =
            words.filter(|&(word, _)| model_word(word).is_some_and(|i| is_shown[i as usize]));
        shown.map(|(_, count)| u64::from(count)).sum()
    };
    let lengths: Vec<u64> = (0..corpus.n_documents()).map(length).collect();
    let documents: Vec<usize> = (0..corpus.n_documents()).filter(|&d| lengths[d] > 0).collect();
    let word = |&i: &usize| topics.vocabulary().word(i).into_owned();
    Ok(json!({
        "topic_term_dists": dists,
        "doc_topic_dists": documents.iter().map(|&d| mixtures.row(d)).collect::<Vec<_>>(),
        "doc_lengths": documents.iter().map(|&d| lengths[d]).collect::<Vec<_>>(),
        "vocab": words.iter().map(word).collect::<Vec<_>>(),
        "term_frequency": words.iter().map(|&i| frequency[i]).collect::<Vec<_>>(),
    }))
}

/// A line for each topic; a single-topic model has weights in place of alpha.
pub fn mallet_keys(model: &Model, n_words: usize) -> impl Iterator<Item = String> {
    let alpha = match model {
        Model::Lda(lda) => lda.alpha(),
        Model::SingleTopic(_) => model.topics().weights(),
    };
    alpha.iter().enumerate().map(move |(j, alpha)| {
        let words: Vec<String> =
            leading(model, j, n_words).iter().map(|word| without_blanks(word)).collect();
        format!("{j}\t{alpha:.5}\t{} ", words.join(" "))
    })
}

/// One line for each document, all topics in order.
pub fn mallet_documents<'a>(
    corpus: &'a Corpus,
    mixtures: &'a Mixtures<'_>,
) -> impl Iterator<Item = String> + 'a {
    (0..corpus.n_documents()).map(|d| {
        let shares: Vec<String> =
            mixtures.row(d).iter().map(|share| format!("{share:?}")).collect();
        // A tab or line break inside a name would end its column.
        let name = on_one_line(&corpus.document_name(d).replace('\t', " "));
        format!("{d}\t{name}\t{}", shares.join("\t"))
    })
}

/// Topics x words.
fn rows_by_topic(model: &Model) -> Vec<&[f64]> {
    let word_topic = model.topics().word_topic();
    (0..model.topics().len()).map(|j| word_topic.column(j)).collect()
}
