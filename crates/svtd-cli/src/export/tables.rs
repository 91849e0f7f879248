//! The tables of `svtd export`: topics, their words, and how reliable they are.

use svtd::Model;
use svtd::linalg::Matrix;
use svtd::model::{Marker, Standing};

use crate::infer;
use crate::output::{Column, Table};

/// Number, share, alpha and leading words of each topic.
pub(super) fn topics(model: &Model, n_words: usize) -> Table<'_> {
    let topics = model.topics();
    let mut columns = vec![
        Column::whole("topic", |j| j as i64 + 1),
        Column::real("share", |j| topics.weights()[j]),
    ];
    if topics.names().is_some() {
        let name = |j: usize| topics.topic(j).name().unwrap_or_default().to_owned();
        columns.push(Column::text("name", name));
    }
    if let Model::Lda(lda) = model {
        columns.push(Column::real("alpha", |j| lda.alpha()[j]));
    }
    columns.push(Column::text("words", move |j| leading(model, j, n_words).join(" ")));
    Table { n_rows: topics.len(), columns, is_list: false }
}

/// The probability of each word in each topic, one row for each word.
pub(super) fn words(model: &Model) -> Table<'_> {
    let topics = model.topics();
    let mut columns = vec![Column::text("word", |i| topics.vocabulary().word(i).into_owned())];
    columns.extend(
        (0..topics.len()).map(|j| {
            Column::real(infer::column_name(model, j), move |i| topics.word_topic()[(i, j)])
        }),
    );
    Table { n_rows: topics.vocabulary().len(), columns, is_list: false }
}

/// The words that distinguish the topics, one per row.
pub(super) fn markers<'m>(model: &'m Model, found: &'m [Marker]) -> Table<'m> {
    let vocabulary = model.topics().vocabulary();
    let real =
        |name: &str, value: fn(&Marker) -> f64| Column::real(name, move |i| value(&found[i]));
    let columns = vec![
        Column::whole("topic", |i| found[i].topic as i64 + 1),
        Column::text("word", |i| vocabulary.word(found[i].word).into_owned()),
        real("probability", |marker| marker.probability),
        real("error", |marker| marker.error.unwrap_or(f64::NAN)),
        real("elsewhere", |marker| marker.elsewhere),
        real("log_fold", |marker| marker.log_fold),
        real("z", |marker| marker.z.unwrap_or(f64::NAN)),
    ];
    Table { n_rows: found.len(), columns, is_list: false }
}

/// Numbers for every word in every topic: topics x words.
pub(super) fn by_topic<'m>(model: &'m Model, numbers: &'m Matrix) -> Table<'m> {
    let topics = model.topics();
    let column = |i: usize| {
        let word = topics.vocabulary().word(i).into_owned();
        Column::real(word, move |j| numbers[(i, j)])
    };
    let columns = (0..topics.vocabulary().len()).map(column).collect();
    Table { n_rows: topics.len(), columns, is_list: false }
}

/// What is known about each topic as numbers, one column each; NaN where it is not known.
const TRUST: [&str; 13] = [
    "found_again",
    "by_chance",
    "half_distance",
    "n_splits",
    "documents",
    "clipped",
    "z",
    "expected_error",
    "mean_change",
    "changed_groups",
    "nearest",
    "nearest_distance",
    "documents_holding_half",
];

pub(super) fn trust(model: &Model) -> Table<'_> {
    let topics = &model.diagnostics().topics;
    let known = move |j: usize, column: usize| {
        let topic = &topics[j];
        let trust = topic.trust.as_ref();
        let stability = trust.and_then(|trust| trust.stability.as_ref());
        let nearest = trust.and_then(|trust| trust.nearest.as_ref());
        match TRUST[column] {
            "found_again" => topic.halves().map(|halves| halves.found_again),
            "by_chance" => topic.halves().map(|halves| halves.by_chance),
            "half_distance" => topic.halves().map(|halves| halves.half_distance),
            "n_splits" => topic.halves().map(|halves| halves.n_splits as f64),
            "documents" => Some(topic.documents),
            "clipped" => Some(topic.clipped),
            "z" => trust.and_then(|trust| trust.z),
            "expected_error" => stability.map(|stability| stability.expected_error),
            "mean_change" => stability.map(|stability| stability.mean_change),
            "changed_groups" => stability.map(|stability| stability.n_changed as f64),
            "nearest" => nearest.map(|nearest| nearest.topic as f64 + 1.0),
            "nearest_distance" => nearest.map(|nearest| nearest.distance),
            _ => trust.map(|trust| trust.driven.documents as f64),
        }
    };
    let standing = |j: usize| topics[j].standing().map_or("", Standing::name).to_owned();
    let mut columns = vec![Column::whole("topic", |j| j as i64 + 1)];
    let number = |c: usize| Column::real(TRUST[c], move |j| known(j, c).unwrap_or(f64::NAN));
    columns.extend((0..TRUST.len()).map(number));
    columns.push(Column::text("standing", standing));
    Table { n_rows: topics.len(), columns, is_list: false }
}

/// A table of one column of numbers.
pub(super) fn list<'a>(name: &str, values: &'a [f64]) -> Table<'a> {
    let columns = vec![Column::real(name, |i| values[i])];
    Table { n_rows: values.len(), columns, is_list: true }
}

/// The likeliest words of a topic.
pub(super) fn leading(model: &Model, j: usize, n: usize) -> Vec<String> {
    let top = model.topics().topic(j).top_words(n);
    top.into_iter().map(|(word, _)| word.into_owned()).collect()
}
