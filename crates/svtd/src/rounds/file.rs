//! Answers, and the state of respondents, as files.

use std::path::Path;

use super::respondent::{Dealing, Respondent, SweepState};
use super::writing::{Reading, Writing};
use crate::error::{Error, Result};
use crate::fit::collapsed_vb::Mixtures;
use crate::questions::{Answer, Facts, Question, Request, Survey};

impl Answer {
    /// The digest of an answer to the [first question](Question::first). Later questions contain
    /// it, so that a holder of other documents with the same words can refuse them.
    ///
    /// # Errors
    /// When the answer cannot be written down.
    pub(super) fn survey_digest(&self) -> Result<String> {
        Ok(digest_of(&self.to_bytes(&digest_of(&Question::first().to_bytes()?))?))
    }

    /// The answer as bytes, with the digest of the question that it answers.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn to_bytes(&self, question: &str) -> Result<Vec<u8>> {
        let mut file = Writing::new("answer");
        file.put("question", question)?;
        file.numbers("sums", self.sums.clone());
        file.whole("whole", self.whole.clone());
        if let Some(Survey { words, numbered, united, least_share, choice, facts }) = &self.survey {
            file.put("least_share", least_share)?;
            file.put("choice", choice)?;
            file.put("numbered", numbered)?;
            file.put("united", united)?;
            file.words("words", words);
            let halves = |x: u128| [x as u64, (x >> 64) as u64];
            let Facts { n_documents, n_nonzeros, n_different, n_short, .. } = *facts;
            let mut whole = vec![n_documents, n_nonzeros, n_different];
            whole.extend(n_short);
            whole.extend(halves(facts.squared_counts));
            whole.extend(halves(facts.squared_lengths));
            whole.extend(&facts.by_key);
            file.whole("facts", whole);
            file.known(&facts.words);
        }
        file.0.to_bytes()
    }

    /// Reads the bytes of an answer to a question of this digest; `name` is used in messages.
    ///
    /// # Errors
    /// When they are damaged, something else, or the answer to another question.
    pub fn from_bytes(bytes: &[u8], name: &str, question: &str) -> Result<Self> {
        let mut file = Reading::new(bytes, name, "answer")?;
        let answered: String = file.get("question")?;
        if answered != question {
            return Err(file.refuse(
                "it answers another question, or an older one; answer the present question again",
            ));
        }
        let survey = match file.container.header.contains_key("numbered") {
            false => None,
            true => Some(file.survey()?),
        };
        Ok(Self { sums: file.numbers("sums")?, whole: file.whole("whole")?, survey })
    }
}

impl Respondent {
    /// The state kept between two questions, as bytes; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn state(&self) -> Result<Option<Vec<u8>>> {
        let mut file = Writing::new("state");
        if let Some(Dealing { run, turn, scores }) = &*self.dealing() {
            file.put("dealing", &[run, turn])?;
            file.matrix("scores", scores);
        }
        if let Some(SweepState { run, turn, mixtures }) = &*self.sweep_state() {
            file.put("run", run)?;
            file.put("turn", turn)?;
            file.put("order", &mixtures.order())?;
            file.numbers("mixtures", mixtures.values().map(f64::from).collect());
        }
        match file.0.arrays.is_empty() {
            true => Ok(None),
            false => file.0.to_bytes().map(Some),
        }
    }

    /// Continues from a kept state; `name` is used in messages.
    ///
    /// # Errors
    /// When it is damaged, or something else, or when the question was asked of other documents.
    pub fn resume(&self, bytes: &[u8], name: &str, question: &Question) -> Result<()> {
        if !question.leaves_state() {
            return Ok(());
        }
        self.check_asked(question)?;
        let mut file = Reading::new(bytes, name, "state")?;
        match &question.request {
            Request::Deal(deal) => {
                let kept: Option<[u64; 2]> = file.get("dealing")?;
                if kept == Some([deal.run, deal.turn]) {
                    let (run, turn, scores) = (deal.run, deal.turn, file.matrix("scores")?);
                    *self.dealing() = Some(Dealing { run, turn, scores });
                }
            }
            Request::Look(look) => {
                let kept: (Option<u64>, Option<u64>) = (file.get("run")?, file.get("turn")?);
                if kept == (Some(look.run), Some(look.turn)) {
                    let (run, turn, order) = (look.run, look.turn, file.get("order")?);
                    let values: Vec<f32> =
                        file.numbers("mixtures")?.into_iter().map(|value| value as f32).collect();
                    let width = look.rates.alpha.len();
                    let mixtures = self.with_documents(question, |documents| {
                        Mixtures::from_values(documents.rows(), order, width, &values)
                    })??;
                    *self.sweep_state() = Some(SweepState { run, turn, mixtures });
                }
            }
            _ => (),
        }
        Ok(())
    }
}

/// Reads a file of rounds.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let io = |source| Error::Io { path: path.display().to_string(), source };
    std::fs::read(path).map_err(io)
}

/// The digest with which an answer identifies its question.
pub fn digest_of(question: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(question).iter().map(|byte| format!("{byte:02x}")).collect()
}
