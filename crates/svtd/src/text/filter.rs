//! The filters that need the whole corpus: by number of documents and by frequency.
//!
//! Words in too few or too many documents are dropped first; of the rest the most frequent are kept, ties by
//! spelling. That is also their order in the vocabulary, so it depends on the counts alone. A given list of words
//! overrides all of this: its words are kept in its order, others are dropped.

use std::cmp::Reverse;

use super::intern::Interner;
use crate::corpus::Vocabulary;
use crate::error::Result;
use crate::words::Preprocessing;
use crate::words::{Dropped, Reason};

/// The id of an item that is dropped.
pub(super) const DROPPED: u32 = u32::MAX;

/// The result of the filters.
pub(super) struct Selection {
    pub(super) vocabulary: Vocabulary,
    /// The word id of each item, or [`DROPPED`].
    pub(super) word_of_item: Vec<u32>,
    pub(super) dropped: Vec<Dropped>,
}

/// Applies the filters to items with their occurrences and numbers of documents.
pub(super) fn select(
    items: &Interner,
    totals: &[(u64, u64)],
    n_documents: u64,
    preprocessing: &Preprocessing,
    listed: Option<&Vocabulary>,
) -> Result<Selection> {
    let reasons: Vec<Option<Reason>> = match listed {
        Some(listed) => unlisted(items, listed),
        None => filtered(items, totals, n_documents, preprocessing),
    };
    let dropped = Reason::ALL
        .iter()
        .filter_map(|&reason| {
            let words = (0_u32..).zip(&reasons).zip(totals);
            let words = words.filter(|((_, r), (n, _))| **r == Some(reason) && *n > 0);
            let words = words.map(|((item, _), &(n, _))| (items.word(item), n)).collect();
            Dropped::sum(reason, words)
        })
        .collect();
    let (vocabulary, word_of_item) = match listed {
        Some(listed) => {
            let id = |item| listed.id(items.word(item)).unwrap_or(DROPPED);
            (listed.clone(), (0..items.len() as u32).map(id).collect())
        }
        None => ordered(items, totals, &reasons)?,
    };
    Ok(Selection { vocabulary, word_of_item, dropped })
}

fn unlisted(items: &Interner, listed: &Vocabulary) -> Vec<Option<Reason>> {
    (0..items.len() as u32)
        .map(|item| listed.id(items.word(item)).is_none().then_some(Reason::NotListed))
        .collect()
}

fn filtered(
    items: &Interner,
    totals: &[(u64, u64)],
    n_documents: u64,
    preprocessing: &Preprocessing,
) -> Vec<Option<Reason>> {
    let fewest = preprocessing.min_df.at_least(n_documents);
    let most = preprocessing.max_df.at_most(n_documents);
    let mut reasons: Vec<Option<Reason>> = totals
        .iter()
        .map(|&(_, documents)| {
            // An item that was only ever a part of n-grams is not a word: it occurs in no document.
            if documents < fewest.max(1) {
                Some(Reason::MinDf)
            } else if documents > most {
                Some(Reason::MaxDf)
            } else {
                None
            }
        })
        .collect();
    if let Some(max_words) = preprocessing.max_words {
        for &item in by_frequency(items, totals, &reasons).iter().skip(max_words) {
            reasons[item as usize] = Some(Reason::MaxWords);
        }
    }
    reasons
}

/// The kept items, most frequent first, ties by spelling.
fn by_frequency(items: &Interner, totals: &[(u64, u64)], reasons: &[Option<Reason>]) -> Vec<u32> {
    let kept = (0_u32..).zip(reasons).filter(|(_, reason)| reason.is_none());
    let mut kept: Vec<u32> = kept.map(|(item, _)| item).collect();
    kept.sort_unstable_by_key(|&item| (Reverse(totals[item as usize].0), items.word(item)));
    kept
}

fn ordered(
    items: &Interner,
    totals: &[(u64, u64)],
    reasons: &[Option<Reason>],
) -> Result<(Vocabulary, Vec<u32>)> {
    let kept = by_frequency(items, totals, reasons);
    let mut word_of_item = vec![DROPPED; items.len()];
    for (&item, word) in kept.iter().zip(0..) {
        word_of_item[item as usize] = word;
    }
    let words = kept.iter().map(|&item| items.word(item).to_owned()).collect();
    Ok((Vocabulary::from_words(words)?, word_of_item))
}
