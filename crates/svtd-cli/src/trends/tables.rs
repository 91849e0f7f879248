//! TopicTrends for programs: tables and JSON.

use std::rc::Rc;

use serde_json::{Value, json};
use svtd::evaluation::PeriodWord;

use super::{Series, Share, TopicTrends};
use crate::output::{Column, Table};

/// Number of words that describe a topic.
const CAPTION: usize = 5;

/// One row for each group, period and topic that has documents.
pub(super) fn shares<'a>(trends: &'a TopicTrends) -> Table<'a> {
    let k = trends.saved.model.topics().len();
    let mut rows: Vec<(&Series, usize, usize, Share)> = Vec::new();
    for series in &trends.series {
        for period in 0..trends.periods.names.len() {
            rows.extend((0..k).filter_map(|topic| {
                Some((series, period, topic, trends.share(series, period, topic)?))
            }));
        }
    }
    let rows = Rc::new(rows);
    let n_rows = rows.len();
    let row = |read: fn(&(&Series, usize, usize, Share)) -> f64| {
        let rows = Rc::clone(&rows);
        move |i: usize| read(&rows[i])
    };
    let (by_period, by_group, by_topic, by_size) =
        (Rc::clone(&rows), Rc::clone(&rows), Rc::clone(&rows), Rc::clone(&rows));
    let columns = vec![
        Column::text("period", move |i| trends.periods.names[by_period[i].1].clone()),
        Column::text("group", move |i| by_group[i].0.group.clone().unwrap_or_default()),
        Column::whole("topic", move |i| by_topic[i].2 as i64 + 1),
        Column::whole("documents", move |i| by_size[i].3.n_documents as i64),
        Column::real("share", row(|(.., share)| share.share)),
        // A period of one document has no interval: the whole range is given.
        Column::real("low", row(|(.., share)| share.band.map_or(0.0, |[low, _]| low))),
        Column::real("high", row(|(.., share)| share.band.map_or(1.0, |[_, high]| high))),
    ];
    Table { n_rows, columns, is_list: false }
}

/// One row for each period, topic and word that changed.
pub(super) fn words<'a>(trends: &'a TopicTrends) -> Table<'a> {
    let mut rows: Vec<(usize, usize, &PeriodWord)> = Vec::new();
    for (period, topics) in trends.words.iter().enumerate() {
        for (topic, moved) in topics.iter().enumerate() {
            rows.extend(moved.gained.iter().chain(&moved.lost).map(|word| (period, topic, word)));
        }
    }
    let rows = Rc::new(rows);
    let n_rows = rows.len();
    let real = |read: fn(&PeriodWord) -> f64| {
        let rows = Rc::clone(&rows);
        move |i: usize| read(rows[i].2)
    };
    let vocabulary = trends.saved.model.topics().vocabulary();
    let (by_period, by_topic, by_word, by_evidence) =
        (Rc::clone(&rows), Rc::clone(&rows), Rc::clone(&rows), Rc::clone(&rows));
    let evidence = move |i: usize| {
        let (period, topic, _) = by_evidence[i];
        trends.words[period][topic].evidence
    };
    let columns = vec![
        Column::text("period", move |i| trends.periods.names[by_period[i].0].clone()),
        Column::whole("topic", move |i| by_topic[i].1 as i64 + 1),
        Column::text("word", move |i| vocabulary.word(by_word[i].2.word).into_owned()),
        Column::real("whole", real(|word| word.whole)),
        Column::real("in_period", real(|word| word.period)),
        Column::real("z", real(|word| word.z)),
        Column::real("evidence", evidence),
    ];
    Table { n_rows, columns, is_list: false }
}

pub(super) fn to_json(trends: &TopicTrends) -> Value {
    let topics = trends.saved.model.topics();
    let period = |period: usize| {
        json!({
            "period": trends.periods.names[period],
            "documents": trends.series[0].shares.n_documents[period],
        })
    };
    let topic = |topic: usize| {
        let words = topics.topic(topic).top_words(CAPTION);
        let words: Vec<_> = words.into_iter().map(|(word, _)| word.into_owned()).collect();
        json!({
            "topic": topic + 1,
            "name": topics.topic(topic).name(),
            "words": words,
            "shares": trends.series.iter().flat_map(|series| shares_json(trends, series, topic)).collect::<Vec<_>>(),
            "moved": (0..trends.words.len()).map(|period| moved_json(trends, period, topic)).collect::<Vec<_>>(),
        })
    };
    json!({
        "every": trends.periods.unit.to_string(),
        "periods": (0..trends.periods.names.len()).map(period).collect::<Vec<_>>(),
        "groups": trends.series.iter().filter_map(|series| series.group.as_ref()).collect::<Vec<_>>(),
        "left_out": trends.n_left_out,
        "topics": (0..topics.len()).map(topic).collect::<Vec<_>>(),
    })
}

fn shares_json(trends: &TopicTrends, series: &Series, topic: usize) -> Vec<Value> {
    let value = |period: usize| {
        let found = trends.share(series, period, topic)?;
        Some(json!({
            "period": trends.periods.names[period],
            "group": series.group,
            "documents": found.n_documents,
            "share": found.share,
            "low": found.band.map(|[low, _]| low),
            "high": found.band.map(|[_, high]| high),
        }))
    };
    (0..trends.periods.names.len()).filter_map(value).collect()
}

fn moved_json(trends: &TopicTrends, period: usize, topic: usize) -> Value {
    let found = &trends.words[period][topic];
    let vocabulary = trends.saved.model.topics().vocabulary();
    let words = |words: &[PeriodWord]| -> Vec<Value> {
        let word = |w: &PeriodWord| {
            json!({
                "word": vocabulary.word(w.word), "whole": w.whole, "in_period": w.period, "z": w.z,
            })
        };
        words.iter().map(word).collect()
    };
    json!({
        "period": trends.periods.names[period],
        "evidence": found.evidence,
        "gained": words(&found.gained),
        "lost": words(&found.lost),
    })
}
