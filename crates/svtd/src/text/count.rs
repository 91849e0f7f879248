//! The counts of one batch: which words occur in each document, and how often.
//!
//! A word of the text is looked up once, by its spelling. Everything else about a spelling (whether it is dropped
//! and why, its stem) is computed when it is first met in the batch, and then found by its number. The row of a
//! document needs no table of its own: each word records the document in which it was last seen, and the position
//! of its count.
//!
//! # N-grams
//! An n-gram is `n` adjacent words of the text, joined by `_`. A dropped word (a stop word, a number, a short word)
//! separates its neighbours: `bank of england` does not contain the pair `bank_england`, because nobody wrote that.
//! With stemming, the parts are stems.

use std::collections::HashSet;
use std::ops::Range;

use rust_stemmers::Stemmer;

use super::batch::{Batch, Content};
use super::intern::Interner;
use crate::corpus::Vocabulary;
use crate::error::Result;
use crate::words::Reason;
use crate::words::Tokenizer;
use crate::words::stop_words;
use crate::words::{Ngrams, Numbers, Preprocessing};

/// Words longer than this many characters are dropped.
const LONGEST_WORD: usize = 100;
/// Number of their characters that are kept as an example.
const SHOWN_CHARACTERS: usize = 30;
/// The item number of a dropped word.
const NONE: u32 = u32::MAX;

/// A preprocessing, compiled for use.
pub(super) struct Rules {
    tokenizer: Tokenizer,
    stop_words: HashSet<String>,
    min_length: usize,
    drop_numbers: bool,
    lowercase: bool,
    ngrams: Ngrams,
    stemmer: Option<Stemmer>,
    listed: Option<Vocabulary>,
}

/// What was counted in a batch.
pub(super) struct Counted {
    /// The words that may be kept, as spelled in the vocabulary.
    pub(super) items: Interner,
    /// How often each of them occurs, and in how many documents.
    pub(super) totals: Vec<(u64, u32)>,
    /// Where the row of each document ends.
    pub(super) ends: Vec<usize>,
    /// Items and counts, row by row.
    pub(super) entries: Vec<(u32, u32)>,
    /// The dropped words with their number of occurrences.
    pub(super) dropped: Vec<(String, Reason, u64)>,
    /// Number of emoji, which are not words and were skipped.
    pub(super) n_emoji: u64,
}

impl Rules {
    /// Compiles the rules; the language of `preprocessing` must be resolved.
    pub(super) fn new(preprocessing: &Preprocessing, listed: Option<&Vocabulary>) -> Result<Self> {
        let tokenizer = Tokenizer::new(preprocessing)?;
        let stop_words = stop_words::set(&preprocessing.stop_words, &tokenizer);
        let algorithm = preprocessing.stem.and_then(|language| language.stemmer());
        Ok(Rules {
            stop_words,
            tokenizer,
            min_length: preprocessing.min_length,
            drop_numbers: preprocessing.numbers == Numbers::Drop,
            lowercase: preprocessing.lowercase,
            ngrams: preprocessing.ngrams,
            stemmer: algorithm.map(Stemmer::create),
            listed: listed.cloned(),
        })
    }

    /// Calls `each` with the position of every word of a text and its spelling in the vocabulary; `None` for
    /// dropped words.
    pub(super) fn for_each_place(
        &self,
        text: &str,
        mut each: impl FnMut(Range<usize>, Option<String>),
    ) {
        self.tokenizer.for_each_place(text, |range, word| each(range, self.judge(word).ok()));
    }

    /// The word as spelled in the vocabulary, or the reason why it is dropped.
    fn judge(&self, word: &str) -> Result<String, Reason> {
        let stem = match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        };
        match (self.reason_against(word), &self.listed) {
            (Some(_), Some(listed)) if listed.id(&stem).is_some() => Ok(stem),
            (Some(reason), _) => Err(reason),
            (None, _) => Ok(stem),
        }
    }

    fn reason_against(&self, word: &str) -> Option<Reason> {
        let n_characters = word.chars().count();
        if self.is_stop_word(word) {
            Some(Reason::StopWord)
        } else if self.drop_numbers && is_number(word) {
            Some(Reason::Number)
        } else if n_characters < self.min_length {
            Some(Reason::TooShort)
        } else if n_characters > LONGEST_WORD {
            Some(Reason::TooLong)
        } else {
            None
        }
    }

    fn is_stop_word(&self, word: &str) -> bool {
        match self.lowercase || self.stop_words.is_empty() {
            true => self.stop_words.contains(word),
            false => self.stop_words.contains(&word.to_lowercase()),
        }
    }
}

/// Whether a word consists of digits and signs without a letter.
fn is_number(word: &str) -> bool {
    word.contains(char::is_numeric) && !word.contains(char::is_alphabetic)
}

/// Counts the words of every document of a batch.
pub(super) fn count(batch: &Batch, rules: &Rules) -> Counted {
    let mut counter = Counter::new(rules);
    for content in batch.contents() {
        counter.begin_document();
        match content {
            Content::Text(text) => {
                rules.tokenizer.for_each_word(text, |word| counter.add(word));
                counter.n_emoji += rules.tokenizer.n_emoji(text);
            }
            Content::Words { text, start, ends } => {
                Content::for_each_given(text, start, ends, |word| counter.add(word));
            }
        }
        counter.ends.push(counter.entries.len());
    }
    counter.finish()
}

struct Counter<'a> {
    rules: &'a Rules,
    /// The words as spelled in the text, and what is known about each.
    words: Interner,
    meanings: Vec<Meaning>,
    items: Interner,
    /// For each item the document in which it was last seen, and the position of its entry.
    last_seen: Vec<(u32, u32)>,
    document: u32,
    /// The items immediately before the current word, for n-grams.
    before: Vec<u32>,
    joined: String,
    ends: Vec<usize>,
    entries: Vec<(u32, u32)>,
    n_emoji: u64,
}

/// The item of a word, or the reason why it has none and how often it occurred.
struct Meaning {
    item: u32,
    reason: Reason,
    n_dropped: u64,
}

impl<'a> Counter<'a> {
    fn new(rules: &'a Rules) -> Self {
        Counter {
            rules,
            words: Interner::default(),
            meanings: Vec::new(),
            items: Interner::default(),
            last_seen: Vec::new(),
            document: 0,
            before: Vec::new(),
            joined: String::new(),
            ends: Vec::new(),
            entries: Vec::new(),
            n_emoji: 0,
        }
    }

    fn begin_document(&mut self) {
        self.document += 1;
        self.before.clear();
    }

    #[inline]
    fn add(&mut self, word: &str) {
        if word.len() > 4 * LONGEST_WORD {
            return self.drop_monster(word);
        }
        let (id, is_new) = self.words.intern(word);
        if is_new {
            self.learn(word);
        }
        let meaning = &mut self.meanings[id as usize];
        let item = meaning.item;
        if item == NONE {
            meaning.n_dropped += 1;
            self.before.clear();
        } else if self.rules.ngrams.max == 1 {
            self.add_item(item);
        } else {
            self.add_ngrams(item);
        }
    }

    #[inline]
    fn add_item(&mut self, item: u32) {
        let (document, at) = &mut self.last_seen[item as usize];
        if *document == self.document {
            self.entries[*at as usize].1 += 1;
        } else {
            // A batch has fewer than 2³² words because it is cut at a few million bytes, and no
            // reader hands out documents of more than a gigabyte.
            (*document, *at) = (self.document, self.entries.len() as u32);
            self.entries.push((item, 1));
        }
    }

    fn add_ngrams(&mut self, item: u32) {
        let Ngrams { min, max } = self.rules.ngrams;
        if self.before.len() == max {
            self.before.remove(0);
        }
        self.before.push(item);
        if min == 1 {
            self.add_item(item);
        }
        for n in min.max(2)..=self.before.len() {
            let mut joined = std::mem::take(&mut self.joined);
            joined.clear();
            for (i, &part) in self.before[self.before.len() - n..].iter().enumerate() {
                if i > 0 {
                    joined.push('_');
                }
                joined.push_str(self.items.word(part));
            }
            let ngram = self.item(&joined);
            self.add_item(ngram);
            self.joined = joined;
        }
    }

    fn item(&mut self, spelling: &str) -> u32 {
        let (item, is_new) = self.items.intern(spelling);
        if is_new {
            self.last_seen.push((0, 0));
        }
        item
    }

    /// Classifies a word that is met for the first time.
    fn learn(&mut self, word: &str) {
        let meaning = match self.rules.judge(word) {
            Ok(spelling) => {
                let item = self.item(&spelling);
                Meaning { item, reason: Reason::NotListed, n_dropped: 0 }
            }
            Err(reason) => Meaning { item: NONE, reason, n_dropped: 0 },
        };
        self.meanings.push(meaning);
    }

    /// Records a string that is too long to be a word.
    fn drop_monster(&mut self, word: &str) {
        let start: String = word.chars().take(SHOWN_CHARACTERS).collect();
        let (id, is_new) = self.words.intern(&(start + "…"));
        if is_new {
            self.meanings.push(Meaning { item: NONE, reason: Reason::TooLong, n_dropped: 0 });
        }
        self.meanings[id as usize].n_dropped += 1;
        self.before.clear();
    }

    fn finish(mut self) -> Counted {
        let mut totals = vec![(0, 0); self.items.len()];
        for &(item, count) in &self.entries {
            let (occurrences, documents) = &mut totals[item as usize];
            *occurrences += u64::from(count);
            *documents += 1;
        }
        let dropped = (0_u32..)
            .zip(&self.meanings)
            .filter(|(_, meaning)| meaning.n_dropped > 0)
            .map(|(id, m)| (self.words.word(id).to_owned(), m.reason, m.n_dropped))
            .collect();
        self.entries.shrink_to_fit();
        let Self { items, ends, entries, n_emoji, .. } = self;
        Counted { items, totals, ends, entries, dropped, n_emoji }
    }
}
