//! The recommendation of a sweep in sentences, one for each kind of evidence.

use super::Recommendation;
use crate::model::choice::{found_of, reached};
use crate::model::{FoundInHalves, Kind};

/// If fewer than this share of the topics come back when just as many are fitted, a sentence says so.
const FEWER: f64 = 0.8;

/// Why this range. `looked_at` directions were measured, and halves were fitted with the numbers of topics in `counted`.
pub(super) fn reasons(
    why: &Recommendation,
    looked_at: usize,
    counted: &[FoundInHalves],
    kind: Kind,
) -> Vec<String> {
    let mut reasons = vec![directions(why, looked_at)];
    reasons.extend(prediction(why));
    if let (Some(n), Some(last)) = (why.n_found, counted.last()) {
        if n > 0 {
            reasons.push(all_found(why.all_found));
        }
        reasons.push(there(why, n, last.n_topics, counted));
    } else {
        reasons.push(
            "whether topics come back in halves of the documents was not looked at: documents or words are too few, \
             or too much alike"
                .to_owned(),
        );
    }
    if kind == Kind::SingleTopic && why.follows_model && why.n_clear.is_some_and(|n| n > 1) {
        reasons.push(
            "topics too rare for a direction of their own are not counted here; svtd fit -k auto looks for them, and \
             may choose more"
                .to_owned(),
        );
    }
    reasons
}

fn directions(why: &Recommendation, looked_at: usize) -> String {
    const NOISE: &str = "clearly out of the noise of the raw counts (z > 3)";
    if !why.follows_model {
        let bursts = "directions above the noise do not count topics here: words come in bursts, as in text, or \
                      documents are few";
        return match why.n_found {
            Some(_) => format!("{bursts}. What comes back in halves of the documents counts"),
            None => bursts.to_owned(),
        };
    }
    match why.n_clear {
        None => "a part of the documents is too few to tell topics from noise".to_owned(),
        Some(0) => format!("no direction stands {NOISE}"),
        Some(1) if looked_at == 1 => format!("the one direction that was looked at stands {NOISE}"),
        Some(n) if n >= looked_at => {
            format!(
                "all {n} directions that were looked at stand {NOISE}; more topics may be there"
            )
        }
        Some(1) => format!("1 direction stands {NOISE}; more topics may be chance"),
        Some(n) => format!("{n} directions stand {NOISE}; more topics may be chance"),
    }
}

fn prediction(why: &Recommendation) -> Option<String> {
    let (best, as_good) = (why.best?, why.as_good?);
    let verb = if best == 1 { "topic predicts" } else { "topics predict" };
    let best_alone = format!("{best} {verb} held-out words best");
    Some(match best == as_good {
        true => best_alone,
        false => format!("{best_alone}, and {as_good} as well within one standard error"),
    })
}

/// The sentence about the largest number of topics of which nine in ten or more come back in halves.
fn all_found(all: Option<usize>) -> String {
    match all {
        Some(1) => "one topic, fitted alone, comes back in independent halves of the documents".to_owned(),
        Some(k) => format!(
            "with {k} topic{}, nine in ten or more come back in independent halves of the documents: what you see is \
             there",
            plural(k)
        ),
        None => "with each number that was tried, some topics do not come back in independent halves of the documents"
            .to_owned(),
    }
}

/// The sentence about the number `n` of topics that come back in halves when up to `asked` are fitted.
fn there(why: &Recommendation, n: usize, asked: usize, counted: &[FoundInHalves]) -> String {
    let (are, come) = if n == 1 { ("is", "comes") } else { ("are", "come") };
    if n == 0 {
        return format!(
            "no topic comes back in independent halves of the documents, with up to {asked} asked for: do not rely on \
             them; add documents, or cut long ones into passages"
        );
    }
    if why.plateau_beyond {
        return format!(
            "{n} topic{} {come} back with up to {asked} asked for, the end of the range, and more may beyond it: ask \
             for a wider range",
            plural(n)
        );
    }
    let there = format!("at least {n} topic{} {are} there", plural(n));
    match (found_of(counted, n), reached(counted)) {
        (Some(found), Some(with)) if with > n && found < FEWER * n as f64 => format!(
            "{there}: so many come back when {with} or more are asked for (up to {asked}), but only about {found:.0} when \
             {n} are; {with} topics show more of them"
        ),
        _ => format!("{there}: no more come back with up to {asked} asked for"),
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::super::recommendation::recommend;
    use super::*;
    use crate::choosing::SweepFit;

    fn said(found: &[(usize, f64)], is_text: bool) -> (Recommendation, Vec<String>) {
        let fit = |n_topics| SweepFit {
            n_topics,
            log_likelihood: None,
            standard_error: None,
            behind: None,
            npmi: None,
            exclusivity: 0.5,
            halves: None,
            split: None,
            topics: Vec::new(),
        };
        let counted: Vec<FoundInHalves> = found
            .iter()
            .map(|&(n_topics, n_found)| FoundInHalves { n_topics, n_found, mean_words: 5.0 })
            .collect();
        let fits: Vec<SweepFit> = (2..=counted[counted.len() - 1].n_topics).map(fit).collect();
        let why = recommend(&fits, Some(12), &counted, !is_text);
        let reasons = reasons(&why, 12, &counted, Kind::Lda);
        (why, reasons)
    }

    #[test]
    fn where_nothing_comes_back_no_directions_are_recommended() {
        let (why, reasons) = said(&[(2, 0.0), (3, 0.5), (8, 0.0)], true);
        assert_eq!((why.low, why.high), (2, 2), "{reasons:?}");
        assert!(reasons[1].contains("do not rely on them"), "{reasons:?}");
        assert!(!reasons.iter().any(|r| r.contains("stand clearly") || r.contains("at least 0")));
    }

    #[test]
    fn a_number_that_shows_fewer_topics_than_are_there_is_told() {
        let (why, reasons) = said(&[(2, 2.0), (8, 3.5), (18, 9.5), (27, 10.0), (40, 10.0)], true);
        assert_eq!(why.high, 10);
        assert!(reasons.iter().any(|r| r.contains("18 topics show more of them")), "{reasons:?}");
        let (_, reasons) = said(&[(2, 1.0), (8, 8.0), (10, 10.0), (15, 10.0), (22, 10.0)], false);
        assert!(reasons[0].starts_with("all 12 directions"), "{reasons:?}");
        let all = "with 10 topics, nine in ten or more come back";
        assert!(reasons[1].starts_with(all), "{reasons:?}");
        assert!(reasons[2].ends_with("no more come back with up to 22 asked for"), "{reasons:?}");
    }

    #[test]
    fn halves_that_were_not_looked_at_are_named() {
        let (why, _) = said(&[(2, 2.0)], true);
        let why = Recommendation { n_found: None, all_found: None, ..why };
        let reasons = reasons(&why, 12, &[], Kind::Lda);
        assert!(!reasons[0].contains("comes back"), "{reasons:?}");
        assert!(reasons.iter().any(|r| r.contains("was not looked at")), "{reasons:?}");
        assert!(all_found(Some(1)).starts_with("one topic, fitted alone, comes back"));
    }

    #[test]
    fn one_topic_is_not_many() {
        let (_, reasons) = said(&[(2, 1.0), (3, 1.0), (5, 1.0), (8, 1.0)], true);
        assert!(reasons.iter().any(|r| r.starts_with("at least 1 topic is there")), "{reasons:?}");
    }
}
