//! Shares over time and by label, estimated without a prior as `svtd trends` does.

use std::collections::BTreeMap;

use svtd::evaluation::{DocumentShares, Moment, Periods, Shares};

use super::LONGEST_NAME;
use super::asked::Asked;
use crate::Report;
use crate::html::shown;

/// The largest number of labels; of more, the most frequent are shown.
const MOST_LABELS: usize = 40;

/// Groups of documents and the shares of the topics in each.
pub struct Groups {
    /// The names of the groups.
    pub names: Vec<String>,
    /// The shares with their errors.
    pub shares: Shares,
    /// Number of documents that are in no group.
    pub n_left_out: usize,
    /// Number of documents that are in a group but have no word that the model knows, and so no share.
    pub n_without_words: usize,
    /// Number of labels that are not shown.
    pub n_labels_left_out: usize,
    /// The bounds of the groups, if they are periods.
    pub span: Option<Span>,
}

/// The bounds of periods.
pub struct Span {
    /// The length of a period, as text.
    pub unit: String,
    /// Where each begins, and where the last one ends, in years.
    pub bounds: Vec<f64>,
}

pub(super) fn over_time(report: &Report<'_>, documents: &DocumentShares) -> Option<Groups> {
    let moments: Vec<Option<Moment>> =
        report.times.as_ref()?.iter().map(|text| Moment::parse(text)).collect();
    let periods = Periods::of(&moments)?;
    let shares = documents.by_group(&periods.of_document, periods.names.len());
    let timed = (0..moments.len()).filter(|&d| periods.of_document[d].is_some());
    Some(Groups {
        n_without_words: timed.filter(|&d| !documents.has_words(d)).count(),
        n_left_out: periods.of_document.iter().filter(|p| p.is_none()).count(),
        n_labels_left_out: 0,
        span: Some(Span { unit: periods.unit.to_string(), bounds: periods.bounds }),
        names: periods.names,
        shares,
    })
}

pub(super) fn by_label(
    report: &Report<'_>,
    asked: &Asked<'_>,
    documents: &DocumentShares,
) -> Option<Groups> {
    let labels = asked.labels(report)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let mut names: Vec<&str> = counts.keys().copied().collect();
    if names.len() < 2 {
        return None;
    }
    // The most frequent ones, sorted by name again.
    names.sort_by_key(|name| std::cmp::Reverse(counts[name]));
    let n_labels_left_out = names.len().saturating_sub(MOST_LABELS);
    names.truncate(MOST_LABELS);
    names.sort_unstable();
    let places: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let groups: Vec<Option<usize>> =
        labels.iter().map(|label| places.get(label.as_ref()).copied()).collect();
    let grouped = (0..groups.len()).filter(|&d| groups[d].is_some());
    Some(Groups {
        shares: documents.by_group(&groups, names.len()),
        n_without_words: grouped.filter(|&d| !documents.has_words(d)).count(),
        n_left_out: groups.iter().filter(|g| g.is_none()).count(),
        n_labels_left_out,
        names: names.iter().map(|name| group_name(name)).collect(),
        span: None,
    })
}

fn group_name(label: &str) -> String {
    match shown(label, LONGEST_NAME) {
        empty if empty.trim().is_empty() => "(no label)".to_owned(),
        label => label.into_owned(),
    }
}
