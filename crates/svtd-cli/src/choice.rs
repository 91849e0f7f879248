//! How many topics the data shows, in a sentence.

use svtd::choosing::Choice;
use svtd::moments::Counting;

/// If fewer than this share of the chosen topics come back when just as many are fitted, a note
/// says so.
const FEWER: f64 = 0.8;

/// How many directions stand out of the noise, and the conclusion.
pub fn sentence(choice: &Choice) -> String {
    if !choice.counted.is_empty() {
        return come_back(choice);
    }
    let clear = choice.n_clear();
    let stand = if clear == 1 { "stands" } else { "stand" };
    let noise = match choice.counting {
        Counting::Raw => "noise",
        Counting::Damped => "noise of the damped counts 1 + log x",
    };
    match choice.first_unclear() {
        _ if choice.limit_reached() => format!(
            "{clear} or more stand out of the {noise}, all that were looked for; as with most text, \
             choose k by what you want to read (svtd sweep)"
        ),
        Some(first) if clear == 0 => format!(
            "none stands clearly out of the {noise} (z > 3; the first has {first:.1}); add documents"
        ),
        Some(next) => format!(
            "{clear} {stand} clearly out of the {noise} (z > 3; the next has {next:.1}); {}",
            beyond(choice)
        ),
        None => format!("{clear} {stand} clearly out of the {noise}, one for every word"),
    }
}

/// How many topics independent halves of the documents both find.
fn come_back(choice: &Choice) -> String {
    let (n, limit) = (choice.n_topics, choice.limit);
    let asked = choice.counted.last().map_or(0, |last| last.n_topics);
    if choice.nothing_came_back() && n == 1 {
        return format!(
            "with up to {asked} asked for, no topic comes back in independent halves of the documents: they show \
             no groups, and one topic stands for all; add documents, or cut long ones into passages"
        );
    }
    if choice.nothing_came_back() {
        return format!(
            "no topic comes back in independent halves of the documents, with up to {asked} asked for: \
             do not rely on them; add documents, or cut long ones into passages"
        );
    }
    if n == 1 {
        return format!(
            "only one topic comes back in independent halves of the documents, with up to {asked} asked \
             for: they show no groups; add documents, cut long ones into passages, or ask for a number"
        );
    }
    if choice.limit_reached() {
        let fewer = match choice.found_again() {
            Some((found, with)) if with > n && found < FEWER * n as f64 => {
                format!(
                    ", but only about {found:.0} of {n} when {n} are: -k {with} shows more of them"
                )
            }
            _ => String::new(),
        };
        return format!(
            "{n} topics come back in independent halves of the documents when {asked} are asked for, the \
             most that so many documents (or the limit of {limit}) allow{fewer}; more may be there (svtd sweep)"
        );
    }
    let bursts =
        "words come in bursts, as in text, so directions above the noise do not count topics";
    match choice.found_again() {
        Some((found, with)) if with > n && found < FEWER * n as f64 => format!(
            "at least {n} topics come back in independent halves of the documents when {with} or more are \
             asked for (up to {asked}), but only about {found:.0} of {n} when {n} are: -k {with} shows \
             more of them; {bursts}"
        ),
        _ => format!(
            "at least {n} topics come back in independent halves of the documents, also when more are \
             asked for (up to {asked}); {bursts}"
        ),
    }
}

/// What the evidence says about topics that are too rare for a direction of their own.
fn beyond(choice: &Choice) -> String {
    let clear = choice.n_clear();
    let Some(kept) = choice.kept else {
        return match &choice.not_asked {
            Some(why) => format!(
                "rarer topics could not be looked for ({why}), so these directions alone decide"
            ),
            None => "more than that may be chance".to_owned(),
        };
    };
    let all = if kept.n_topics == kept.of { "; there may be others (svtd sweep)" } else { "" };
    let least = kept.least.unwrap_or(0.0);
    match kept.n_topics {
        n if n > clear => format!(
            "the evidence supports {} more, too rare for a direction of their own (the weakest of all \
             topics adds {least:.0} nats){all}",
            n - clear
        ),
        n if n < clear => format!("but the evidence supports only {n}"),
        _ => "the evidence supports as many; more than that may be chance".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svtd::choosing::FoundInHalves;

    #[test]
    fn a_choice_by_directions_alone_says_why_rarer_topics_were_not_looked_for() {
        let mut choice = Choice {
            n_topics: 2,
            z_scores: vec![9.0, 5.0, 0.4],
            limit: 100,
            kept: None,
            not_asked: Some("no document has three words".to_owned()),
            counting: Counting::Raw,
            repeats_explained: None,
            is_text: false,
            counted: Vec::new(),
        };
        let text = sentence(&choice);
        assert!(text.contains("could not be looked for (no document has three words)"), "{text}");
        choice.not_asked = None;
        assert!(sentence(&choice).ends_with("more than that may be chance"));
    }

    #[test]
    fn a_choice_by_what_comes_back_says_at_least() {
        let found = |n_topics, n_found| FoundInHalves { n_topics, n_found, mean_words: 5.0 };
        let mut choice = Choice {
            n_topics: 10,
            z_scores: vec![9.0; 24],
            limit: 100,
            kept: None,
            not_asked: None,
            counting: Counting::Damped,
            repeats_explained: Some(0.4),
            is_text: true,
            counted: vec![found(12, 10.0), found(18, 10.0), found(27, 10.0)],
        };
        assert!(
            sentence(&choice).contains(
                "at least 10 topics come back in independent halves of the documents, also"
            )
        );
        choice.counted = vec![found(8, 4.0), found(12, 6.0), found(18, 10.0), found(27, 10.0)];
        let text = sentence(&choice);
        assert!(text.contains("only about 5 of 10 when 10 are: -k 18 shows more"), "{text}");
        choice.counted = vec![found(45, 40.0), found(67, 55.0), found(100, 70.0)];
        assert!(sentence(&choice).contains("more may be there"), "{}", sentence(&choice));
        choice.counted = vec![found(2, 0.0), found(3, 0.0)];
        assert!(sentence(&choice).contains("no topic comes back"), "{}", sentence(&choice));
    }

    #[test]
    fn one_topic_that_may_reproduce_is_not_called_unreliable_because_two_do_not() {
        let found = |n_topics| FoundInHalves { n_topics, n_found: 0.0, mean_words: 3.0 };
        let mut choice = Choice {
            n_topics: 1,
            z_scores: vec![9.0, 0.1],
            limit: 100,
            kept: None,
            not_asked: None,
            counting: Counting::Damped,
            repeats_explained: Some(0.4),
            is_text: true,
            counted: vec![found(2), found(3)],
        };
        let text = sentence(&choice);
        assert!(text.contains("no groups") && !text.contains("do not rely"), "{text}");
        choice.counted = Vec::new();
        assert!(sentence(&choice).starts_with("1 stands clearly"), "{}", sentence(&choice));
    }
}
