//! A corpus whose documents are held elsewhere: vocabulary and totals are here, everything else is asked for.
//!
//! Such a corpus has no rows. A fit asks for sums over documents with [`Corpus::asked`]; everything else is
//! rejected before it begins ([`Options`](crate::model::Options)).

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::blocks;
use super::names::Names;
use super::ranking::Ranking;
use super::{Corpus, CorpusReport, KeyPart, SparseCounts, Vocabulary};
use crate::error::{Error, Result};
use crate::memory::Limit;
use crate::questions::{
    Answer, Ask, Facts, Question, Redraw, Redrawing, Request, Survey, WordFacts, wrong_size,
};
use crate::stop;
use crate::words::WordChoice;

/// Who holds the documents, and which of them are meant.
#[derive(Clone)]
pub(super) struct Elsewhere {
    who: Arc<dyn Ask>,
    part: KeyPart,
    /// The number of blocks into which all documents are cut, including those outside this part.
    pub n_blocks: usize,
    /// The words that occur, in feature order.
    words: Arc<[String]>,
    /// The smallest share of all documents for which every holder gives an answer.
    least_share: f64,
    /// Set when documents simulated from a model answer instead of the real ones.
    redrawing: Option<Arc<Redrawing>>,
}

impl Elsewhere {
    fn ask(&self, words: Arc<[String]>, request: Request) -> Result<Answer> {
        let (part, n_blocks, redrawing) =
            (self.part.clone(), self.n_blocks, self.redrawing.clone());
        self.who.ask(&Question { part, n_blocks, words, request, redrawing, asked_of: None })
    }
}

impl Corpus {
    /// A corpus of documents that others hold.
    ///
    /// It can be fitted, but has no documents to look at: [`rows`](Self::rows) and [`lengths`](Self::lengths) are
    /// empty.
    ///
    /// # Errors
    /// When nobody answers, or there are no documents.
    pub fn elsewhere(who: Arc<dyn Ask>) -> Result<Corpus> {
        let survey = survey(&*who, &Question::first())?;
        let vocabulary = vocabulary(&survey)?;
        Ok(assemble(Asking::all(who), None, vocabulary, &survey))
    }

    /// Whether the documents are elsewhere.
    pub fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Returns an error for things that need the documents themselves.
    pub(crate) fn must_be_here(&self, what: &str) -> Result<()> {
        match self.is_elsewhere() {
            false => Ok(()),
            true => Err(Error::Round {
                reason: format!(
                    "{what} needs the documents, and those of this corpus are elsewhere; do it where they are"
                ),
            }),
        }
    }

    /// Asks the holders of the documents; `None` when the documents are here.
    ///
    /// # Errors
    /// When somebody does not answer.
    pub(crate) fn asked(&self, request: impl FnOnce() -> Request) -> Result<Option<Answer>> {
        let Some(elsewhere) = &self.elsewhere else {
            return Ok(None);
        };
        let words = Arc::clone(&elsewhere.words);
        elsewhere.ask(words, request()).map(Some)
    }

    /// As [`asked_or_fail`](Self::asked_or_fail), about all words in the order of the vocabulary.
    pub(crate) fn asked_of_all_words(&self, request: impl FnOnce() -> Request) -> Option<Answer> {
        let elsewhere = self.elsewhere.as_ref()?;
        let words = self.vocabulary.iter().map(|word| word.into_owned()).collect();
        let answer = elsewhere.ask(words, request());
        Some(answer.unwrap_or_else(|error| stop::fail(error)))
    }

    /// As [`asked`](Self::asked), for places where an error cannot be returned.
    pub(crate) fn asked_or_fail(&self, request: impl FnOnce() -> Request) -> Option<Answer> {
        self.asked(request).unwrap_or_else(|error| stop::fail(error))
    }

    /// The sum of the documents' fingerprints, from the holders.
    pub(super) fn asked_digest(&self) -> Option<[u64; 8]> {
        let answer = self.asked_or_fail(|| Request::Digest)?;
        let sums = answer.whole.as_slice().try_into();
        Some(sums.unwrap_or_else(|_| stop::fail(wrong_size(answer.whole.len(), 8))))
    }

    /// A part of the documents of a corpus that is elsewhere.
    pub(super) fn part_elsewhere(&self, part: &KeyPart) -> Option<Corpus> {
        let elsewhere = self.elsewhere.as_ref()?;
        let part = elsewhere.part.and(part);
        let found = survey(&*elsewhere.who, &Question::survey(part.clone()));
        let survey = found.unwrap_or_else(|error| stop::fail(error));
        let asking = Asking { who: Arc::clone(&elsewhere.who), part, redrawing: None };
        Some(assemble(asking, Some(elsewhere.n_blocks), self.vocabulary.clone(), &survey))
    }

    /// Documents simulated in place of those elsewhere; their words are the features of this corpus, called by
    /// number.
    pub(crate) fn redrawn_elsewhere(&self, redraw: &Redraw) -> Option<Corpus> {
        let elsewhere = self.elsewhere.as_ref()?;
        let (part, words) = (elsewhere.part.clone(), Arc::clone(&elsewhere.words));
        let redrawing = Some(Arc::new(Redrawing { words, redraw: redraw.clone() }));
        let question = Question { redrawing: redrawing.clone(), ..Question::survey(part.clone()) };
        let found = survey(&*elsewhere.who, &question);
        let survey = found.unwrap_or_else(|error| stop::fail(error));
        let asking = Asking { who: Arc::clone(&elsewhere.who), part, redrawing };
        let vocabulary = Vocabulary::numbered(survey.words.len());
        Some(assemble(asking, None, vocabulary, &survey))
    }

    /// This corpus, restricted to the documents of a part.
    pub(super) fn among_elsewhere(&self, part: &KeyPart) -> Option<Corpus> {
        let elsewhere = self.elsewhere.as_ref()?;
        let elsewhere = Elsewhere { part: elsewhere.part.and(part), ..elsewhere.clone() };
        Some(Corpus { elsewhere: Some(elsewhere), ..self.clone() })
    }

    /// Whether the holders of the documents give answers for parts as small as this share of them. They may refuse
    /// sums over few documents.
    pub(crate) fn answers_for(&self, share: f64) -> bool {
        share >= self.least_share()
    }

    /// The smallest share of the documents for which the holders give answers.
    pub(crate) fn least_share(&self) -> f64 {
        self.elsewhere.as_ref().map_or(0.0, |elsewhere| elsewhere.least_share)
    }

    /// The words of the vocabulary and what is known of them: the answer to a survey.
    pub(crate) fn survey(&self) -> Survey {
        let facts = self.facts();
        let of_word = |&feature: &u32| facts.words[feature as usize];
        let words = self.feature_of_word().iter().map(of_word).collect();
        Survey {
            words: self.vocabulary.iter().map(|word| word.into_owned()).collect(),
            numbered: self.vocabulary.is_numbered(),
            united: false,
            least_share: 0.0,
            choice: self.word_choice().cloned(),
            facts: Facts { words, ..facts.clone() },
        }
    }

    /// The documents of a part over the given words, which become its features in this order, cut into `n_blocks`
    /// blocks by their keys. Counts are copied where documents are left out or words get other numbers, and shared
    /// otherwise.
    ///
    /// # Errors
    /// When a document has a word that is not among them.
    pub(crate) fn seen_over(
        &self,
        part: &KeyPart,
        words: &[String],
        n_blocks: usize,
    ) -> Result<Corpus> {
        let vocabulary = Vocabulary::from_words(words.to_vec())?;
        let part = match *part == KeyPart::all() && self.keys().is_sorted() {
            true => Cow::Borrowed(self),
            false => Cow::Owned(self.part(part.clone()).0),
        };
        let missing = |word: &str| Error::Round {
            reason: format!(
                "the question does not know the word {word:?}, which occurs here; it was asked of other \
                 documents"
            ),
        };
        let mut renamed: Vec<u32> = part.word_of_feature()[..part.n_present()]
            .iter()
            .map(|&id| {
                let word = part.vocabulary.word(id as usize);
                vocabulary.id(&word).ok_or_else(|| missing(&word))
            })
            .collect::<Result<_>>()?;
        let mut rows = part.rows.clone().of_columns(part.n_words().max(words.len()));
        if renamed.iter().zip(0..).any(|(&new, old)| new != old) {
            // Words that do not occur here have no entries to rename.
            renamed.resize(rows.n_columns(), 0);
            rows.relabel(&renamed);
        }
        let mut rows = rows.of_columns(words.len());
        rows.cut_into(part.keys(), n_blocks);
        let totals = rows.column_sums();
        Ok(Corpus {
            rows,
            columns: OnceLock::new(),
            keys: part.keys.clone(),
            facts: OnceLock::new(),
            lengths: part.lengths.clone(),
            ranking: Ranking::as_given(totals),
            vocabulary,
            names: part.names.clone(),
            word_choice: None,
            report: part.report.clone(),
            elsewhere: None,
        })
    }
}

impl Answer {
    /// Into how many blocks a fit cuts the documents that a survey of all of them found; `None` for the answer
    /// to another question.
    pub fn n_blocks(&self) -> Option<usize> {
        let facts = &self.survey.as_ref()?.facts;
        let n_present = facts.words.iter().filter(|word| word.total > 0).count();
        Some(blocks::n_blocks(facts.n_nonzeros as usize, n_present))
    }
}

/// Who is asked about which documents.
struct Asking {
    who: Arc<dyn Ask>,
    part: KeyPart,
    redrawing: Option<Arc<Redrawing>>,
}

impl Asking {
    fn all(who: Arc<dyn Ask>) -> Self {
        Self { who, part: KeyPart::all(), redrawing: None }
    }
}

fn survey(who: &dyn Ask, question: &Question) -> Result<Survey> {
    let answer = who.ask(question)?;
    let wrong = |reason: &str| Error::Round { reason: reason.to_owned() };
    let survey = answer.survey.ok_or_else(|| {
        wrong("the answer to a survey tells no words; it belongs to another question")
    })?;
    let possible = survey.facts.are_possible() && survey.least_share >= 0.0;
    match possible && survey.facts.words.len() == survey.words.len() {
        true => Ok(survey),
        false => Err(wrong("the numbers of a survey contradict each other; an answer is damaged")),
    }
}

/// The words of all holders, ordered as for several inputs: unchanged if all have the same words, otherwise by
/// falling frequency.
fn vocabulary(survey: &Survey) -> Result<Vocabulary> {
    if survey.numbered {
        return Ok(Vocabulary::numbered(survey.words.len()));
    }
    if !survey.united {
        return Vocabulary::from_words(survey.words.clone());
    }
    let mut order: Vec<(&String, &WordFacts)> =
        survey.words.iter().zip(&survey.facts.words).collect();
    order.sort_by(|a, b| b.1.total.cmp(&a.1.total).then_with(|| a.0.cmp(b.0)));
    Vocabulary::from_words(order.into_iter().map(|(word, _)| word.clone()).collect())
}

/// The corpus described by a survey, over the words of all holders.
fn assemble(
    asking: Asking,
    n_blocks: Option<usize>,
    vocabulary: Vocabulary,
    survey: &Survey,
) -> Corpus {
    let mut known = vec![WordFacts::default(); vocabulary.len()];
    for (word, facts) in survey.words.iter().zip(&survey.facts.words) {
        if let Some(id) = vocabulary.id(word) {
            known[id as usize] = *facts;
        }
    }
    let totals: Vec<u64> = known.iter().map(|word| word.total).collect();
    let ranking = Ranking::by_frequency(&totals, &vocabulary);
    let present = &ranking.word_of_feature[..ranking.n_present];
    let words = present.iter().map(|&id| vocabulary.word(id as usize).into_owned()).collect();
    let by_feature = ranking.word_of_feature.iter().map(|&id| known[id as usize]).collect();
    let n_nonzeros = survey.facts.n_nonzeros as usize;
    let n_blocks = n_blocks.unwrap_or_else(|| blocks::n_blocks(n_nonzeros, ranking.n_present));
    let (n_kept, least_share) = (ranking.n_present as u64, survey.least_share);
    let Asking { who, part, redrawing } = asking;
    let [n_empty, n_one_word, n_two_words] = survey.facts.n_short.map(|n| n as usize);
    let report = CorpusReport {
        n_empty,
        n_one_word,
        n_two_words,
        n_absent_words: vocabulary.len() - ranking.n_present,
        ..CorpusReport::default()
    };
    Corpus {
        rows: SparseCounts::with_columns(vocabulary.len(), &Limit::none()),
        columns: OnceLock::new(),
        keys: OnceLock::new(),
        facts: OnceLock::from(Facts { words: by_feature, ..survey.facts.clone() }),
        lengths: Vec::new(),
        ranking,
        vocabulary,
        names: Names::default(),
        word_choice: survey.choice.clone().map(|choice| Arc::new(WordChoice { n_kept, ..choice })),
        report,
        elsewhere: Some(Elsewhere { who, part, n_blocks, words, least_share, redrawing }),
    }
}
