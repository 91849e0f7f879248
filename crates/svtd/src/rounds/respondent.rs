//! A respondent answers for the documents it holds.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::choosing::evidence::dealing::StepSums;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::evaluation::{HeldOutWords, Judgement, TokenHalves, together, word_sums};
use crate::fit::collapsed_vb::Mixtures;
use crate::fit::expectation::Expected;
use crate::linalg::Matrix;
use crate::memory;
use crate::moments::documents::Documents;
use crate::moments::{MomentWeights, towards_sums};
use crate::questions::{
    Answer, Ask, Counting, HeldOutRequest, Holding, KeyPart, Question, Redrawing, Request, Survey,
    Weighing,
};
use crate::trust::{Holdings, held_pairs, held_words, torque_sums};

/// Number of [`View`]s that are kept: all documents, and the two parts on which candidates are compared.
const VIEWS: usize = 3;

/// Answers for the documents of a corpus.
///
/// Between questions it keeps the documents with words numbered as in the question, and the mixtures of a run of
/// sweeps.
pub struct Respondent {
    corpus: Corpus,
    /// Sums over fewer documents than this are not given.
    pub(super) least: usize,
    views: Mutex<Vec<Arc<View>>>,
    redrawn: Mutex<Option<Redrawn>>,
    sweep_state: Mutex<Option<SweepState>>,
    dealing: Mutex<Option<Dealing>>,
    /// The digest of the survey of all documents, once it was computed.
    survey: OnceLock<String>,
}

/// The documents that a question is about, with words numbered as in the question.
struct View {
    part: KeyPart,
    n_blocks: usize,
    words: Arc<[String]>,
    redrawing: Option<Arc<Redrawing>>,
    corpus: Corpus,
}

/// Simulated documents, with the part and the parameters they were simulated for.
type Redrawn = (KeyPart, Arc<Redrawing>, Arc<Corpus>);

/// The state between two steps of collapsed variational Bayes.
pub(super) struct SweepState {
    pub run: u64,
    /// The number of the next step.
    pub turn: u64,
    pub mixtures: Mixtures,
}

/// The state between two steps of assigning documents to topics.
pub(super) struct Dealing {
    pub run: u64,
    /// The number of the next step.
    pub turn: u64,
    /// Log-scores of the topics, documents x topics.
    pub scores: Matrix,
}

impl Respondent {
    /// Answers for these documents, if a sum is over at least `least` documents with words.
    pub fn new(corpus: Corpus, least: usize) -> Self {
        Self {
            corpus: corpus.into_key_order(),
            least,
            views: Mutex::default(),
            redrawn: Mutex::default(),
            sweep_state: Mutex::default(),
            dealing: Mutex::default(),
            survey: OnceLock::new(),
        }
    }

    /// Returns an error for a question that was asked about other documents.
    pub(super) fn check_asked(&self, question: &Question) -> Result<()> {
        let Some(asked_of) = &question.asked_of else { return Ok(()) };
        let own = match self.survey.get() {
            Some(own) => own.clone(),
            None => self.answer(&Question::first())?.survey_digest()?,
        };
        match self.survey.get_or_init(|| own) == asked_of {
            true => Ok(()),
            false => Err(Error::Round {
                reason: "the question was asked of other documents than these, or some were added or removed \
                         since the survey; name the documents that the survey was answered with, or begin the \
                         fit anew with empty folders"
                    .to_owned(),
            }),
        }
    }

    /// The state between two steps of collapsed variational Bayes.
    pub(super) fn sweep_state(&self) -> std::sync::MutexGuard<'_, Option<SweepState>> {
        self.sweep_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state between two steps of assigning documents to topics.
    pub(super) fn dealing(&self) -> std::sync::MutexGuard<'_, Option<Dealing>> {
        self.dealing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with the documents as a question needs them.
    pub(super) fn with_documents<T>(
        &self,
        question: &Question,
        look: impl FnOnce(&Corpus) -> T,
    ) -> Result<T> {
        Ok(look(&self.view(question)?.corpus))
    }

    fn answer(&self, question: &Question) -> Result<Answer> {
        if let Request::Survey = question.request {
            return self.survey(question);
        }
        let view = self.view(question)?;
        let corpus = &view.corpus;
        let (rows, n) = (corpus.rows(), corpus.n_present());
        let documents = |counting: &Counting| Documents::new(rows, n, *counting);
        let weighed = |counting: &Counting, weighing: &Weighing| {
            let documents = documents(counting);
            let weights = documents.weights(weighing, None);
            (documents, weights)
        };
        let product =
            |counting: &Counting,
             weighing: &Weighing,
             table: &Matrix,
             of: &dyn Fn(&Documents<'_>, &Matrix, &MomentWeights) -> Vec<f64>| {
                check_rows(table, n)?;
                let (documents, weights) = weighed(counting, weighing);
                Ok::<_, Error>(of(&documents, table, &weights))
            };
        let sums = match &question.request {
            Request::Survey => Vec::new(),
            Request::Lengths(counting) => documents(counting).length_sums().to_row(),
            Request::Totals(counting, law) => documents(counting).totals(*law, None).to_vec(),
            Request::Weighted(counting, weighing) => {
                let (documents, weights) = weighed(counting, weighing);
                documents.first(&weights).to_table()
            }
            Request::Pairs(counting, weighing, q) => {
                product(counting, weighing, q, &|d, q, w| d.pairs(q, w).values().to_vec())?
            }
            Request::Cube(counting, weighing, w) => {
                product(counting, weighing, w, &|d, q, w| d.cube(q, w).to_table())?
            }
            Request::Squares(counting, weighing, v) => {
                product(counting, weighing, v, &|d, q, w| d.squares(q, w).values().to_vec())?
            }
            Request::Slices(counting, weighing, slices) => {
                check(slices.fits(n))?;
                let (documents, weights) = weighed(counting, weighing);
                slices.sums(&documents.table(&weights), *counting).to_table()
            }
            Request::Expectation(logarithms, weights) => {
                check_rows(logarithms, n)?;
                check_columns(logarithms, weights.len())?;
                Expected::of(corpus, logarithms, weights).into_table(corpus)
            }
            Request::Leaving(leaving) => {
                check(leaving.fits(n))?;
                leaving.sums(corpus, self.least)
            }
            Request::Towards(counting, weighing, table, direction) => {
                check(direction.len() == n)?;
                product(counting, weighing, table, &|d, table, w| {
                    towards_sums(&d.table(w), table, direction)
                })?
            }
            Request::HeldOut(held_out) => judged(corpus, held_out)?,
            Request::Torques(counting, weighing, b, v) => {
                check_columns(v, b.n_columns())?;
                check_rows(v, n)?;
                product(counting, weighing, b, &|d, b, w| torque_sums(&d.table(w), b, v))?
            }
            Request::Directions(counting, weighing, directions) => {
                check(directions.fit(n))?;
                let (documents, weights) = weighed(counting, weighing);
                directions.sums(&documents.table(&weights))
            }
            Request::Holdings(holding) => {
                let held = match holding {
                    Holding::Pairs(counting, weighing, b) => {
                        check_rows(b, n)?;
                        let (documents, weights) = weighed(counting, weighing);
                        held_pairs(&documents.table(&weights), b)
                    }
                    Holding::Posteriors(logarithms, weights) => {
                        check_rows(logarithms, n)?;
                        check_columns(logarithms, weights.len())?;
                        held_words(corpus, logarithms, weights)
                    }
                    Holding::Settled(settling) => {
                        check(settling.fits(n))?;
                        settling.of(corpus).holdings()
                    }
                };
                Holdings::coarsened(Holdings::sums(rows, &held), self.least)
            }
            Request::Settled(settling) => {
                check(settling.fits(n))?;
                settling.sums(corpus, &settling.of(corpus)).values().to_vec()
            }
            Request::Feedback(feedback) => {
                check(feedback.fits(n))?;
                feedback.sums(corpus, self.least)
            }
            Request::Look(look) => {
                let whole = self.look(corpus, look)?;
                return Ok(Answer { whole, ..Answer::default() });
            }
            Request::WordKeys(keys) => {
                check(keys.len() == n)?;
                let whole = word_sums(corpus, keys);
                return Ok(Answer { whole, ..Answer::default() });
            }
            Request::Together(lists) => {
                check(lists.iter().flatten().all(|&word| (word as usize) < n))?;
                let whole = together(corpus, lists);
                return Ok(Answer { whole, ..Answer::default() });
            }
            Request::Deal(request) => {
                let StepSums { sums, whole } = self.deal(corpus, request)?;
                return Ok(Answer { sums, whole, ..Answer::default() });
            }
            Request::Digest => {
                let whole = corpus.digest_sum().to_vec();
                return Ok(Answer { whole, ..Answer::default() });
            }
        };
        Ok(Answer::of_sums(sums))
    }

    fn survey(&self, question: &Question) -> Result<Answer> {
        let survey = |documents: &Corpus| {
            self.check_size(documents)?;
            let survey = Survey { least_share: self.least_share(), ..documents.survey() };
            Ok(Answer { survey: Some(survey), ..Answer::default() })
        };
        match &question.redrawing {
            Some(redrawing) => survey(&*self.redrawn(question, redrawing)?),
            None if question.part == KeyPart::all() => survey(&self.corpus),
            None => survey(&self.corpus.part(question.part.clone()).0),
        }
    }

    /// Documents simulated in place of those of a question, which are kept for the next question.
    fn redrawn(&self, question: &Question, redrawing: &Arc<Redrawing>) -> Result<Arc<Corpus>> {
        let mut kept = self.redrawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((part, known, redrawn)) = &*kept
            && (part, known) == (&question.part, redrawing)
        {
            return Ok(Arc::clone(redrawn));
        }
        let Redrawing { words, redraw } = &**redrawing;
        let documents = self.corpus.seen_over(&question.part, words, 1)?;
        self.check_size(&documents)?;
        check(redraw.fits(documents.n_present()))?;
        let redrawn = Arc::new(redraw.of(&documents).into_key_order());
        *kept = Some((question.part.clone(), Arc::clone(redrawing), Arc::clone(&redrawn)));
        Ok(redrawn)
    }

    /// The documents as a question needs them.
    fn view(&self, question: &Question) -> Result<Arc<View>> {
        let Question { part, n_blocks, words, redrawing, .. } = question;
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |view: &Arc<View>| {
            (&view.part, &view.n_blocks) == (part, n_blocks)
                && (&view.words, &view.redrawing) == (words, redrawing)
        };
        if let Some(at) = views.iter().position(same) {
            let view = views.remove(at);
            views.push(Arc::clone(&view));
            return Ok(view);
        }
        let corpus = match redrawing {
            Some(redrawing) => {
                let redrawn = self.redrawn(question, redrawing)?;
                redrawn.seen_over(&KeyPart::all(), words, *n_blocks)?
            }
            None => self.corpus.seen_over(part, words, *n_blocks)?,
        };
        self.check_size(&corpus)?;
        let (part, n_blocks, words) = (part.clone(), *n_blocks, Arc::clone(words));
        let redrawing = redrawing.clone();
        let view = Arc::new(View { part, n_blocks, words, redrawing, corpus });
        if views.len() == VIEWS {
            views.remove(0);
        }
        views.push(Arc::clone(&view));
        Ok(view)
    }

    /// The smallest share of the documents for which sums are given almost surely. Keys are as good as random, so a
    /// part has at most four standard deviations fewer documents than expected.
    fn least_share(&self) -> f64 {
        let (n, least) = (self.corpus.facts().n_with_words() as f64, self.least as f64);
        (least + 4.0 * least.sqrt()) / n.max(1.0)
    }

    /// Returns an error for sums over too few documents.
    fn check_size(&self, part: &Corpus) -> Result<()> {
        let n = part.n_documents() - part.report().n_empty;
        match n >= self.least {
            true => Ok(()),
            false => Err(Error::Round {
                reason: format!(
                    "the question is about {n} documents here, and sums over fewer than {} are not given \
                     away; ask with more documents, or agree on a lower --min-documents",
                    self.least
                ),
            }),
        }
    }
}

impl Ask for Respondent {
    fn ask(&self, question: &Question) -> Result<Answer> {
        memory::caught(|| {
            self.check_asked(question)?;
            self.answer(question)
        })
    }
}

/// The scores of models that were fitted elsewhere.
fn judged(documents: &Corpus, request: &HeldOutRequest) -> Result<Vec<f64>> {
    let HeldOutRequest { keys, frequencies, single_topic, models } = request;
    let n = documents.n_words();
    let fits = |(topics, alpha): &(Matrix, Vec<f64>)| {
        topics.n_rows() == n && topics.n_columns() == alpha.len()
    };
    let keys_fit = keys.as_ref().is_none_or(|keys| keys.len() == n);
    let models_fit = models.len() <= Judgement::MOST && models.iter().all(fits);
    if frequencies.len() != n || !keys_fit || !models_fit {
        let reason = "the models do not fit their words; the question is damaged".to_owned();
        return Err(Error::Round { reason });
    }
    let halves = match keys {
        Some(keys) => TokenHalves::of_keys(documents, keys.clone()),
        None => TokenHalves::new(documents),
    };
    let vocabulary = documents.vocabulary();
    let held_out = HeldOutWords::of_words(vocabulary, frequencies.clone(), documents, &halves);
    let scores: Vec<_> = match &held_out {
        Some(held_out) => models
            .iter()
            .map(|(topics, prior)| held_out.completions_of(topics, prior, *single_topic))
            .collect(),
        None => Vec::new(),
    };
    Ok(Judgement::of_scores(documents, &scores.iter().collect::<Vec<_>>()).to_row())
}

pub(super) fn check(fits: bool) -> Result<()> {
    match fits {
        true => Ok(()),
        false => Err(Error::Round {
            reason: "the tables of a question do not fit each other; it is damaged".to_owned(),
        }),
    }
}

fn check_rows(table: &Matrix, n: usize) -> Result<()> {
    match table.n_rows() == n {
        true => Ok(()),
        false => Err(damaged(table.n_rows(), n, "rows")),
    }
}

fn check_columns(table: &Matrix, k: usize) -> Result<()> {
    match table.n_columns() == k {
        true => Ok(()),
        false => Err(damaged(table.n_columns(), k, "columns")),
    }
}

fn damaged(found: usize, needed: usize, what: &str) -> Error {
    let reason =
        format!("a table has {found} {what} where {needed} are needed; the question is damaged");
    Error::Round { reason }
}
