//! Questions as files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::writing::{Reading, Writing};
use crate::corpus::blocks::MOST_BLOCKS;
use crate::error::Result;
use crate::questions::{
    ConjugateDirections, Deal, DealRequest, Directions, FeedbackRequest, HeldOutRequest, Holding,
    KeyPart, LeavingRequest, LookRequest, Named, NamedDeal, NamedSettling, Others, Question, Rates,
    Redraw, Redrawing, Request, Scores, Settling, SliceRequest,
};

/// The part of a [`Redraw`] without its tables.
#[derive(Serialize, Deserialize)]
struct NamedRedraw {
    settling: NamedSettling,
    longest: u64,
    /// Whether the Dirichlet parameter of the mixtures is given.
    believed: bool,
    thinned: Option<f64>,
}

impl Question {
    /// The question as bytes; equal questions give equal bytes.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_bytes_for(self.asked_of.as_deref())
    }

    /// The question as bytes for the holder whose survey has this [digest](Answer::survey_digest). Others
    /// refuse it.
    pub(super) fn to_bytes_for(&self, asked_of: Option<&str>) -> Result<Vec<u8>> {
        let mut file = Writing::new("question");
        if let Some(survey) = asked_of {
            file.put("survey", survey)?;
        }
        file.put("part", &self.part)?;
        file.put("blocks", &self.n_blocks)?;
        file.put("request", &self.request.named())?;
        file.words("words", &self.words);
        if let Some(redrawing) = &self.redrawing {
            let Redraw { settling, believed, longest, thinned } = &redrawing.redraw;
            let named = NamedRedraw {
                settling: settling.named(),
                longest: *longest,
                believed: believed.is_some(),
                thinned: *thinned,
            };
            file.put("redraw", &named)?;
            file.words("redraw_words", &redrawing.words);
            file.settling("redraw_", settling);
            if let Some(believed) = believed {
                file.numbers("believed", believed.clone());
            }
        }
        match &self.request {
            Request::Pairs(_, _, table)
            | Request::Cube(_, _, table)
            | Request::Squares(_, _, table)
            | Request::Slices(_, _, SliceRequest { table, .. }) => file.matrix("table", table),
            Request::Expectation(table, weights) => {
                file.matrix("table", table);
                file.numbers("weights", weights.clone());
            }
            Request::Leaving(leaving) => {
                file.matrix("table", &leaving.logarithms);
                file.numbers("weights", leaving.weights.clone());
                file.matrix("counts", &leaving.counts);
                file.numbers("documents", leaving.documents.clone());
                file.numbers("prior", leaving.prior.clone());
            }
            Request::Towards(_, _, table, direction) => {
                file.matrix("table", table);
                file.numbers("direction", direction.clone());
            }
            Request::Look(LookRequest { rates, known, .. }) => {
                let Rates { words, inverse, alpha, eta } = rates;
                let parts: [(&str, &[f32]); 4] =
                    [("rates", words), ("inverse", inverse), ("alpha", alpha), ("eta", eta)];
                for (name, values) in parts {
                    file.numbers(name, values.iter().map(|&value| f64::from(value)).collect());
                }
                file.known(known);
            }
            Request::WordKeys(keys) => file.whole("word_keys", keys.clone()),
            Request::HeldOut(HeldOutRequest { keys, frequencies, models, .. }) => {
                if let Some(keys) = keys {
                    file.whole("word_keys", keys.clone());
                }
                file.numbers("frequencies", frequencies.clone());
                for (i, (topics, alpha)) in models.iter().enumerate() {
                    file.matrix(&format!("topics_{i}"), topics);
                    file.numbers(&format!("alpha_{i}"), alpha.clone());
                }
            }
            Request::Together(lists) => {
                let lengths = lists.iter().map(|list| list.len() as u64);
                file.whole("lengths", lengths.collect());
                file.whole("listed", lists.iter().flatten().map(|&word| u64::from(word)).collect());
            }
            Request::Deal(DealRequest { deal, .. }) => match deal {
                Deal::Begin(table, weights) => {
                    file.matrix("table", table);
                    file.numbers("weights", weights.clone());
                }
                Deal::Ask(Others { counts, documents, prior, .. }) => {
                    file.matrix("table", counts);
                    file.numbers("documents", documents.clone());
                    file.numbers("prior", prior.clone());
                }
                Deal::Keep(_) | Deal::Best | Deal::Next(_) => (),
            },
            Request::Torques(_, _, b, v) => {
                file.matrix("table", b);
                file.matrix("second", v);
            }
            Request::Directions(_, _, Directions { v, means, conjugate, .. }) => {
                file.matrix("table", v);
                file.numbers("means", means.clone());
                if let Some(ConjugateDirections { mixing, means, .. }) = conjugate {
                    file.matrix("mixing", mixing);
                    file.numbers("freed_means", means.clone());
                }
            }
            Request::Holdings(Holding::Pairs(_, _, table)) => file.matrix("table", table),
            Request::Holdings(Holding::Posteriors(table, weights)) => {
                file.matrix("table", table);
                file.numbers("weights", weights.clone());
            }
            Request::Holdings(Holding::Settled(settling)) | Request::Settled(settling) => {
                file.settling("", settling);
            }
            Request::Feedback(FeedbackRequest { logarithms, weights, scores, .. }) => {
                file.matrix("table", logarithms);
                file.numbers("weights", weights.clone());
                file.matrix("scores", &scores.words);
                file.numbers("constants", scores.constants.clone());
                file.numbers("per_word", scores.per_word.clone());
            }
            Request::Survey
            | Request::Lengths(_)
            | Request::Totals(..)
            | Request::Weighted(..)
            | Request::Digest => (),
        }
        file.0.to_bytes()
    }

    /// Reads the bytes of a question; `name` is used in messages.
    ///
    /// # Errors
    /// When they are damaged, or something else.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        let mut file = Reading::new(bytes, name, "question")?;
        let request = match file.get("request")? {
            Named::Survey => Request::Survey,
            Named::Lengths { counting } => Request::Lengths(counting),
            Named::Totals { counting, law } => Request::Totals(counting, law),
            Named::Weighted { counting, weighing } => Request::Weighted(counting, weighing),
            Named::Pairs { counting, weighing } => {
                Request::Pairs(counting, weighing, file.matrix("table")?)
            }
            Named::Cube { counting, weighing } => {
                Request::Cube(counting, weighing, file.matrix("table")?)
            }
            Named::Squares { counting, weighing } => {
                Request::Squares(counting, weighing, file.matrix("table")?)
            }
            Named::Slices { counting, weighing, rows, from, to } => {
                let slices =
                    SliceRequest { rows, features: from..to, table: file.matrix("table")? };
                Request::Slices(counting, weighing, slices)
            }
            Named::Towards { counting, weighing } => {
                let (table, direction) = (file.matrix("table")?, file.numbers("direction")?);
                Request::Towards(counting, weighing, table, direction)
            }
            Named::Expectation => {
                Request::Expectation(file.matrix("table")?, file.numbers("weights")?)
            }
            Named::Leaving { small, total } => Request::Leaving(LeavingRequest {
                logarithms: file.matrix("table")?,
                weights: file.numbers("weights")?,
                small,
                counts: file.matrix("counts")?,
                documents: file.numbers("documents")?,
                prior: file.numbers("prior")?,
                total,
            }),
            Named::Look { look, order, run, turn } => {
                let mut rates = |name: &str| -> Result<Vec<f32>> {
                    Ok(file.numbers(name)?.into_iter().map(|value| value as f32).collect())
                };
                let (words, inverse) = (rates("rates")?.into(), rates("inverse")?);
                let rates = Rates { words, inverse, alpha: rates("alpha")?, eta: rates("eta")? };
                Request::Look(LookRequest { look, order, run, turn, rates, known: file.known()? })
            }
            Named::WordKeys => Request::WordKeys(file.whole("word_keys")?),
            Named::HeldOut { models, numbered, single_topic } => {
                let keys = numbered.then(|| file.whole("word_keys")).transpose()?;
                let frequencies = file.numbers("frequencies")?;
                let mut model = |i: usize| {
                    Ok((file.matrix(&format!("topics_{i}"))?, file.numbers(&format!("alpha_{i}"))?))
                };
                let models = (0..models).map(&mut model).collect::<Result<_>>()?;
                Request::HeldOut(HeldOutRequest { keys, frequencies, single_topic, models })
            }
            Named::Together => Request::Together(file.lists()?),
            Named::Deal { run, turn, step } => {
                let deal = match step {
                    NamedDeal::Begin => {
                        Deal::Begin(file.matrix("table")?, file.numbers("weights")?)
                    }
                    NamedDeal::Ask { strength } => {
                        let (counts, documents) =
                            (file.matrix("table")?, file.numbers("documents")?);
                        let prior = file.numbers("prior")?;
                        Deal::Ask(Others { counts, documents, prior, strength })
                    }
                    NamedDeal::Keep { topics } => Deal::Keep(topics),
                    NamedDeal::Best => Deal::Best,
                    NamedDeal::Next { from, to } => Deal::Next(from..to),
                };
                Request::Deal(DealRequest { run, turn, deal })
            }
            Named::Torques { counting, weighing } => {
                let (b, v) = (file.matrix("table")?, file.matrix("second")?);
                Request::Torques(counting, weighing, b, v)
            }
            Named::Directions { counting, weighing, a1, clear } => {
                let (v, means) = (file.matrix("table")?, file.numbers("means")?);
                let conjugate = match clear {
                    Some(clear) => {
                        let (mixing, means) =
                            (file.matrix("mixing")?, file.numbers("freed_means")?);
                        Some(ConjugateDirections { mixing, means, clear })
                    }
                    None => None,
                };
                Request::Directions(counting, weighing, Directions { v, a1, means, conjugate })
            }
            Named::HoldingsOfPairs { counting, weighing } => {
                Request::Holdings(Holding::Pairs(counting, weighing, file.matrix("table")?))
            }
            Named::HoldingsOfPosteriors => {
                let (table, weights) = (file.matrix("table")?, file.numbers("weights")?);
                Request::Holdings(Holding::Posteriors(table, weights))
            }
            Named::HoldingsOfSettled(named) => {
                Request::Holdings(Holding::Settled(file.settling("", &named)?))
            }
            Named::Settled(named) => Request::Settled(file.settling("", &named)?),
            Named::Feedback { clamped } => {
                let (logarithms, weights) = (file.matrix("table")?, file.numbers("weights")?);
                let words = file.matrix("scores")?;
                let (constants, per_word) = (file.numbers("constants")?, file.numbers("per_word")?);
                let scores = Scores { words, constants, per_word };
                Request::Feedback(FeedbackRequest { logarithms, weights, scores, clamped })
            }
            Named::Digest => Request::Digest,
        };
        let redrawing = match file.get("redraw")? {
            None => None,
            Some(NamedRedraw { settling, longest, believed, thinned }) => {
                let settling = file.settling("redraw_", &settling)?;
                let believed = believed.then(|| file.numbers("believed")).transpose()?;
                let words: Arc<[String]> = file.words("redraw_words")?.into();
                let redraw = Redraw { settling, believed, longest, thinned };
                Some(Arc::new(Redrawing { words, redraw }))
            }
        };
        let part: KeyPart = file.get("part")?;
        let n_blocks: usize = file.get("blocks")?;
        if !n_blocks.is_power_of_two() || n_blocks > MOST_BLOCKS {
            return Err(file.refuse("its number of blocks is no power of two, or too large"));
        }
        let words: Arc<[String]> = file.words("words")?.into();
        let asked_of: Option<String> = file.get("survey")?;
        Ok(Self { part, n_blocks, words, request, redrawing, asked_of })
    }
}

impl Writing {
    fn settling(&mut self, prefix: &str, settling: &Settling) {
        self.numbers(&format!("{prefix}alpha"), settling.alpha.clone());
        for (i, topics) in settling.stages.iter().enumerate() {
            self.matrix(&format!("{prefix}topics_{i}"), topics);
        }
    }
}

impl Reading<'_> {
    /// Lists of words.
    fn lists(&mut self) -> Result<Vec<Vec<u32>>> {
        let (lengths, words) = (self.whole("lengths")?, self.whole("listed")?);
        let words: Option<Vec<u32>> = words.iter().map(|&word| word.try_into().ok()).collect();
        let total = lengths.iter().try_fold(0_u64, |sum, length| sum.checked_add(*length));
        let fitting = words.filter(|words| total == Some(words.len() as u64));
        let words = fitting.ok_or_else(|| self.refuse("its lists of words do not fit"))?;
        let mut rest = words.as_slice();
        let mut list = |length: u64| {
            let (own, behind) = rest.split_at(length as usize);
            rest = behind;
            own.to_vec()
        };
        Ok(lengths.into_iter().map(&mut list).collect())
    }

    fn settling(&mut self, prefix: &str, named: &NamedSettling) -> Result<Settling> {
        let NamedSettling { order, stages, nudge } = *named;
        let alpha = self.numbers(&format!("{prefix}alpha"))?;
        let stages = (0..stages).map(|i| self.matrix(&format!("{prefix}topics_{i}")));
        Ok(Settling { stages: stages.collect::<Result<_>>()?, alpha, order, nudge })
    }
}
