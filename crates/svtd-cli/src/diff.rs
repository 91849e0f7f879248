//! `svtd diff`: two models side by side.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::Model;
use svtd::evaluation::{Comparison, MovedWord, TopicPair};

use crate::args::{Common, Diff};
use crate::failure::{Outcome, printable};
use crate::terminal::{Screen, cut};
use crate::{input, json, listing, records};

/// Number of words that describe a topic.
const CAPTION: usize = 5;

/// Width of the columns before the words.
const MARGIN: usize = 25;

/// Runs the command.
pub fn run(args: &Diff, common: &Common) -> Outcome {
    if let (Some(old), Some(new)) = (records::model(&args.old)?, records::model(&args.new)?) {
        return records::diff(&old, &new, args, common);
    }
    let (old, new) = (input::model(&args.old)?.model, input::model(&args.new)?.model);
    let comparison = Comparison::new(old.topics(), new.topics(), args.top)?;
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", json::document("diff", to_json(&comparison, &old, &new)))?;
    } else {
        write_text(&mut out, &Screen::stdout(common), &comparison, &old, &new)?;
    }
    Ok(out.flush()?)
}

fn write_text(
    out: &mut dyn Write,
    screen: &Screen,
    comparison: &Comparison,
    old: &Model,
    new: &Model,
) -> io::Result<()> {
    writeln!(out, "{}", summary(comparison))?;
    writeln!(
        out,
        "words: {} in both, {} only in the old model, {} only in the new one\n",
        comparison.n_shared_words, comparison.n_words_only_old, comparison.n_words_only_new
    )?;
    writeln!(out, "{}", screen.bold("  old    new  distance   words"))?;
    let width = screen.width.map_or(usize::MAX, |width| width.saturating_sub(MARGIN).max(10));
    let caption =
        |model: &Model, j: usize| cut(&listing::words(model, j, CAPTION).join(" "), width);
    for pair in &comparison.pairs {
        let (words, sure) = (caption(old, pair.old), if pair.doubtful { "?" } else { " " });
        let (a, b, distance) = (pair.old + 1, pair.new + 1, pair.distance);
        writeln!(out, "{a:5}  {b:5}  {distance:8.3} {sure} {words}")?;
        write_moved(out, screen, "more", &pair.gained)?;
        write_moved(out, screen, "less", &pair.lost)?;
    }
    for &j in &comparison.only_old {
        writeln!(out, "{:5}      -  {:8}   {}", j + 1, "gone", caption(old, j))?;
    }
    for &j in &comparison.only_new {
        writeln!(out, "    -  {:5}  {:8}   {}", j + 1, "new", caption(new, j))?;
    }
    if comparison.pairs.iter().any(|pair| pair.doubtful) {
        let sentence = "?: no closer to each other than to another topic of their own model; \
                        perhaps not the same topic";
        writeln!(out, "{}", screen.warning(sentence))?;
    }
    Ok(())
}

fn summary(comparison: &Comparison) -> String {
    let mut text = format!("{} topics matched", comparison.pairs.len());
    if let Some(mean) = comparison.mean_distance() {
        text += &format!(", mean distance {mean:.3} (0 is equal, 1 has nothing in common)");
    }
    for (left, what) in [(&comparison.only_old, "gone"), (&comparison.only_new, "new")] {
        if !left.is_empty() {
            text += &format!("; {} {what}", left.len());
        }
    }
    text
}

/// The words of a topic that grew or fell, if the change is large enough to show.
pub fn write_moved(
    out: &mut dyn Write,
    screen: &Screen,
    what: &str,
    words: &[MovedWord],
) -> io::Result<()> {
    // Smaller changes would be printed as equal.
    let shown = |word: &&MovedWord| (word.new - word.old).abs() >= 5e-5;
    let moved: Vec<String> = words
        .iter()
        .filter(shown)
        .map(|w| {
            let (word, old, new) = (printable(&w.word), 100.0 * w.old, 100.0 * w.new);
            format!("{word}\u{a0}{old:.2}→{new:.2}%")
        })
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let text = screen.wrapped(&moved, MARGIN + 6);
    writeln!(out, "{:MARGIN$}{} {text}", "", screen.dim(&format!("{what}:")))
}

fn to_json(comparison: &Comparison, old: &Model, new: &Model) -> Value {
    let words = |model: &Model, j: usize| -> Vec<String> {
        let top = model.topics().topic(j).top_words(CAPTION);
        top.into_iter().map(|(word, _)| word.into_owned()).collect()
    };
    let moved = |words: &[MovedWord]| -> Vec<Value> {
        let word = |w: &MovedWord| json!({ "word": w.word, "old": w.old, "new": w.new });
        words.iter().map(word).collect()
    };
    let pair = |pair: &TopicPair| {
        json!({
            "old": pair.old + 1,
            "new": pair.new + 1,
            "distance": pair.distance,
            "doubtful": pair.doubtful,
            "words": words(old, pair.old),
            "gained": moved(&pair.gained),
            "lost": moved(&pair.lost),
        })
    };
    let left = |model: &Model, topics: &[usize]| -> Vec<Value> {
        topics.iter().map(|&j| json!({ "topic": j + 1, "words": words(model, j) })).collect()
    };
    json!({
        "pairs": comparison.pairs.iter().map(pair).collect::<Vec<_>>(),
        "mean_distance": comparison.mean_distance(),
        "only_old": left(old, &comparison.only_old),
        "only_new": left(new, &comparison.only_new),
        "n_shared_words": comparison.n_shared_words,
        "n_words_only_old": comparison.n_words_only_old,
        "n_words_only_new": comparison.n_words_only_new,
    })
}
