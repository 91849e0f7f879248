//! The passage of a text where a topic is densest.
//!
//! Among all stretches of the text that begin and end with a word and are no longer than asked for, this finds the
//! one whose words have the largest sum of pulls towards the topic. It is then widened to whole sentences or lines
//! as far as the length allows, so that it can be read.
//!
//! # Cost
//! One pass over the words with two pointers, after one pass over the sentences.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The densest passage of at most `most` bytes: where in `text` it begins and ends, on character boundaries.
/// `pulls` lists the words by rising position, each with its pull towards the topic; negative pulls count as zero.
/// If no word pulls, the passage is the beginning of the text.
pub fn densest_passage(text: &str, pulls: &[(Range<usize>, f64)], most: usize) -> Range<usize> {
    if text.len() <= most {
        return 0..text.len();
    }
    let core = densest(pulls, most).unwrap_or(0..0);
    widened(text, core, most)
}

/// The stretch of words with the largest sum; of equal ones the shortest, then the first.
fn densest(pulls: &[(Range<usize>, f64)], most: usize) -> Option<Range<usize>> {
    let pull = |i: usize| pulls[i].1.max(0.0);
    let mut best: Option<(f64, Range<usize>)> = None;
    let (mut first, mut sum) = (0, 0.0);
    for last in 0..pulls.len() {
        sum += pull(last);
        while first < last && pulls[last].0.end - pulls[first].0.start > most {
            sum -= pull(first);
            first += 1;
        }
        // Words without a pull at the front make the stretch longer for nothing.
        while first < last && pull(first) == 0.0 {
            first += 1;
        }
        let found = pulls[first].0.start..pulls[last].0.end;
        if found.len() <= most && best.as_ref().is_none_or(|(b, _)| sum > *b + 1e-12) && sum > 0.0 {
            best = Some((sum, found));
        }
    }
    best.map(|(_, range)| range)
}

/// Extends a stretch to whole sentences or lines as far as they fit; if a sentence does not fit, by some of its
/// words.
fn widened(text: &str, core: Range<usize>, most: usize) -> Range<usize> {
    let mut bounds: Vec<usize> =
        text.split_sentence_bound_indices().map(|(at, _)| at).chain([text.len()]).collect();
    bounds.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    bounds.sort_unstable();
    bounds.dedup();
    let fits = |range: &Range<usize>| range.len() <= most;
    let before = bounds.iter().rev().find(|&&at| at <= core.start).copied().unwrap_or(0);
    let after = bounds.iter().find(|&&at| at >= core.end).copied().unwrap_or(text.len());
    let mut range = core;
    for wider in [before..range.end, range.start..after, before..after] {
        if fits(&wider) && wider.len() > range.len() {
            range = wider;
        }
    }
    // What is left of the length goes to the words that follow.
    if range.end < after || range.start == range.end {
        let end = floor_boundary(text, range.start + most);
        let cut =
            text[range.end..end].rfind(char::is_whitespace).map_or(range.end, |at| range.end + at);
        range.end = if cut > range.end {
            cut
        } else if range.is_empty() {
            end
        } else {
            range.end
        };
    }
    trimmed(text, range)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = start + text[start..range.end].trim_end().len();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "I was walking home. The ships lay in the harbour, and ships came and went. \
                        Nothing else happened on that day, nor on the next one, nor ever again.";

    /// The words of a list pull, all others do not.
    fn pulls(text: &str, of: &[&str]) -> Vec<(Range<usize>, f64)> {
        text.unicode_word_indices()
            .map(|(at, word)| (at..at + word.len(), f64::from(u8::from(of.contains(&word)))))
            .collect()
    }

    #[test]
    fn a_whole_sentence_is_chosen_when_it_fits() {
        let pulls = pulls(TEXT, &["ships", "harbour"]);
        let range = densest_passage(TEXT, &pulls, 70);
        assert_eq!(&TEXT[range], "The ships lay in the harbour, and ships came and went.");
    }

    #[test]
    fn a_sentence_too_long_is_cut_between_words() {
        let pulls = pulls(TEXT, &["ships", "harbour"]);
        let range = densest_passage(TEXT, &pulls, 40);
        assert!(range.len() <= 40);
        assert_eq!(&TEXT[range.clone()], "The ships lay in the harbour, and ships");
    }

    #[test]
    fn a_text_that_fits_is_taken_whole_and_one_without_pulls_from_its_beginning() {
        assert_eq!(densest_passage(TEXT, &[], 500), 0..TEXT.len());
        let range = densest_passage(TEXT, &pulls(TEXT, &[]), 30);
        assert_eq!(&TEXT[range], "I was walking home. The ships");
        assert_eq!(densest_passage("", &[], 10), 0..0);
    }

    #[test]
    fn characters_of_several_bytes_are_never_cut() {
        let text = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏";
        for most in 1..text.len() {
            let range = densest_passage(text, &pulls(text, &["月"]), most);
            assert!(text.get(range).is_some());
        }
    }
}
