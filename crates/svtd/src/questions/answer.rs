//! Answers: sums over documents, which can be added.

use std::collections::HashMap;

use super::facts::{Facts, WordFacts};
use crate::error::{Error, Result};
use crate::words::WordChoice;

/// A sum over documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Tables one after the other, in the order given by the question.
    pub(crate) sums: Vec<f64>,
    /// Whole numbers, which are added exactly, modulo 2^64.
    pub(crate) whole: Vec<u64>,
    /// The answer to a survey.
    pub(crate) survey: Option<Survey>,
}

/// Words, and facts about the documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Survey {
    pub words: Vec<String>,
    /// Whether the words have no names but only numbers.
    pub numbered: bool,
    /// Whether the words come from several holders whose words were not all the same.
    pub united: bool,
    /// The smallest share of all documents for which every holder gives an answer.
    pub least_share: f64,
    /// How the words were chosen, if they were counted from text.
    pub choice: Option<WordChoice>,
    /// The facts, with words in the order of the list.
    pub facts: Facts,
}

impl Answer {
    pub(crate) fn of_sums(sums: Vec<f64>) -> Self {
        Self { sums, ..Self::default() }
    }

    /// The sum of the answers of holders of whole blocks, added along the same tree as in a fit of
    /// all documents. There is one entry for every value of the leading bits of the keys, `None`
    /// for a block without documents. The sum is `None` if all entries are.
    ///
    /// # Errors
    /// When they are answers to different questions.
    pub fn sum_along_tree(mut answers: Vec<Option<Answer>>) -> Result<Option<Answer>> {
        if answers.len() <= 1 {
            return Ok(answers.pop().flatten());
        }
        let right = Self::sum_along_tree(answers.split_off(answers.len() / 2))?;
        match (Self::sum_along_tree(answers)?, right) {
            (Some(mut left), Some(right)) => {
                left.add(&right)?;
                Ok(Some(left))
            }
            (left, right) => Ok(left.or(right)),
        }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.sums.iter().all(|sum| sum.is_finite())
    }

    /// Adds the answer of other documents to the same question.
    ///
    /// # Errors
    /// When the two are answers to different questions.
    pub fn add(&mut self, other: &Answer) -> Result<()> {
        if self.sums.len() != other.sums.len()
            || self.whole.len() != other.whole.len()
            || self.survey.is_some() != other.survey.is_some()
        {
            let reason = "two answers do not belong to the same question".to_owned();
            return Err(Error::Round { reason });
        }
        self.sums.iter_mut().zip(&other.sums).for_each(|(own, more)| *own += more);
        let whole = self.whole.iter_mut().zip(&other.whole);
        whole.for_each(|(own, more)| *own = own.wrapping_add(*more));
        if let (Some(own), Some(more)) = (&mut self.survey, &other.survey) {
            own.add(more)?;
        }
        Ok(())
    }
}

impl Survey {
    fn add(&mut self, other: &Survey) -> Result<()> {
        if self.numbered != other.numbered {
            return Err(Error::Round {
                reason:
                    "some sites know their words and others only number them; count all of them \
                         with words"
                        .to_owned(),
            });
        }
        match (&mut self.choice, &other.choice) {
            (Some(own), Some(more)) if !own.preprocessing.splits_as(&more.preprocessing) => {
                return Err(Error::Round {
                    reason: "the text of two sites was split into words in different ways; count both with \
                             the same flags"
                        .to_owned(),
                });
            }
            (Some(own), Some(more)) => own.add(more),
            (own, more) => *own = own.take().or_else(|| more.clone()),
        }
        self.least_share = self.least_share.max(other.least_share);
        self.facts.add(&other.facts);
        if self.words == other.words {
            let words = self.facts.words.iter_mut().zip(&other.facts.words);
            words.for_each(|(own, more)| own.add(more));
            self.united |= other.united;
            return Ok(());
        }
        self.united = true;
        let mut place: HashMap<&str, usize> =
            self.words.iter().enumerate().map(|(i, word)| (word.as_str(), i)).collect();
        let mut fresh: Vec<&String> = Vec::new();
        for (word, facts) in other.words.iter().zip(&other.facts.words) {
            let next = place.len();
            let at = *place.entry(word).or_insert(next);
            if at == self.facts.words.len() {
                self.facts.words.push(WordFacts::default());
                fresh.push(word);
            }
            self.facts.words[at].add(facts);
        }
        let fresh: Vec<String> = fresh.into_iter().cloned().collect();
        self.words.extend(fresh);
        Ok(())
    }
}

/// The error for an answer with another number of values than its question asks for.
pub(crate) fn wrong_size(found: usize, needed: usize) -> Error {
    Error::Round {
        reason: format!(
            "an answer has {found} numbers where {needed} are needed; it belongs to another question"
        ),
    }
}
