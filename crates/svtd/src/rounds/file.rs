//! Questions and answers as files: the [container](crate::persist::container) of model files.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Survey};
use super::question::{HeldOutRequest, LookRequest, Named, Question, Request};
use super::respondent::{Respondent, Sweeping};
use crate::corpus::KeyRange;
use crate::corpus::blocks::MOST_BLOCKS;
use crate::corpus::facts::{Facts, WordFacts};
use crate::error::{Error, Result};
use crate::fit::collapsed_vb::{Mixtures, Order, Rates};
use crate::linalg::Matrix;
use crate::persist::container::{Array, Container};

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
        file.put("range", &self.range)?;
        file.put("blocks", &self.n_blocks)?;
        file.put("request", &self.request.named())?;
        file.words("words", &self.words);
        match &self.request {
            Request::Pairs(_, _, table)
            | Request::Cube(_, _, table)
            | Request::Squares(_, _, table) => file.matrix("table", table),
            Request::Expectation(table, weights) => {
                file.matrix("table", table);
                file.numbers("weights", weights.clone());
            }
            Request::Look(LookRequest { rates, known, .. }) => {
                let Rates { words, inverse, alpha, eta } = rates;
                let parts =
                    [("rates", words), ("inverse", inverse), ("alpha", alpha), ("eta", eta)];
                for (name, values) in parts {
                    file.numbers(name, values.iter().map(|&value| f64::from(value)).collect());
                }
                file.known(known);
            }
            Request::HeldOut(HeldOutRequest { frequencies, models, .. }) => {
                file.numbers("frequencies", frequencies.clone());
                for (i, (topics, alpha)) in models.iter().enumerate() {
                    file.matrix(&format!("topics_{i}"), topics);
                    file.numbers(&format!("alpha_{i}"), alpha.clone());
                }
            }
            Request::Survey
            | Request::Lengths(_)
            | Request::Totals(..)
            | Request::Weighted(..)
            | Request::Digest => (),
        }
        file.0.to_bytes()
    }

    /// Reads the bytes of a question; `name` is what messages call them.
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
            Named::Expectation => {
                Request::Expectation(file.matrix("table")?, file.numbers("weights")?)
            }
            Named::Look { look, order, run, turn } => {
                let mut rates = |name: &str| -> Result<Vec<f32>> {
                    Ok(file.numbers(name)?.into_iter().map(|value| value as f32).collect())
                };
                let (words, inverse) = (rates("rates")?, rates("inverse")?);
                let rates = Rates { words, inverse, alpha: rates("alpha")?, eta: rates("eta")? };
                Request::Look(LookRequest { look, order, run, turn, rates, known: file.known()? })
            }
            Named::HeldOut { models, numbered } => {
                let frequencies = file.numbers("frequencies")?;
                let mut model = |i: usize| {
                    Ok((file.matrix(&format!("topics_{i}"))?, file.numbers(&format!("alpha_{i}"))?))
                };
                let models = (0..models).map(&mut model).collect::<Result<_>>()?;
                Request::HeldOut(HeldOutRequest { numbered, frequencies, models })
            }
            Named::Digest => Request::Digest,
        };
        let range: KeyRange = file.get("range")?;
        let n_blocks: usize = file.get("blocks")?;
        if !n_blocks.is_power_of_two() || n_blocks > MOST_BLOCKS {
            return Err(file.refuse("its number of blocks is no power of two, or too large"));
        }
        let words: Arc<[String]> = file.words("words")?.into();
        let asked_of: Option<String> = file.get("survey")?;
        Ok(Self { range, n_blocks, words, request, asked_of })
    }
}

impl Answer {
    /// The digest of an answer to the [first question](Question::first), by which later questions tell
    /// the documents that they are asked of from others with the same words.
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
        if let Some(Survey { words, numbered, united, choice, facts }) = &self.survey {
            file.put("choice", choice)?;
            file.put("numbered", numbered)?;
            file.put("united", united)?;
            file.words("words", words);
            let halves = |x: u128| [x as u64, (x >> 64) as u64];
            let Facts { n_documents, n_nonzeros, n_short, .. } = *facts;
            let mut whole = vec![n_documents, n_nonzeros];
            whole.extend(n_short);
            whole.extend(halves(facts.squared_counts));
            whole.extend(halves(facts.squared_lengths));
            whole.extend(&facts.by_key);
            file.whole("facts", whole);
            file.known(&facts.words);
        }
        file.0.to_bytes()
    }

    /// Reads the bytes of an answer to a question of this digest; `name` is what messages call them.
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
    /// What is kept between two questions, as bytes; `None` when there is nothing.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn state(&self) -> Result<Option<Vec<u8>>> {
        let kept = self.sweeping();
        let Some(Sweeping { run, turn, mixtures }) = &*kept else {
            return Ok(None);
        };
        let mut file = Writing::new("state");
        file.put("run", run)?;
        file.put("turn", turn)?;
        file.put("order", &mixtures.order())?;
        file.numbers("mixtures", mixtures.values().map(f64::from).collect());
        file.0.to_bytes().map(Some)
    }

    /// Goes on from what was kept; `name` is what messages call it.
    ///
    /// # Errors
    /// When it is damaged, or something else, or when the question was asked of other documents.
    pub fn resume(&self, bytes: &[u8], name: &str, question: &Question) -> Result<()> {
        let Request::Look(look) = &question.request else {
            return Ok(());
        };
        self.check_asked(question)?;
        let mut file = Reading::new(bytes, name, "state")?;
        let (run, turn): (u64, u64) = (file.get("run")?, file.get("turn")?);
        let order: Order = file.get("order")?;
        let values: Vec<f32> =
            file.numbers("mixtures")?.into_iter().map(|value| value as f32).collect();
        if (run, turn) == (look.run, look.turn) {
            let width = look.rates.alpha.len();
            let mixtures = self.with_documents(question, |documents| {
                Mixtures::from_values(documents.rows(), order, width, &values)
            })??;
            *self.sweeping() = Some(Sweeping { run, turn, mixtures });
        }
        Ok(())
    }
}

/// A file that is being put together.
struct Writing(Container);

impl Writing {
    fn new(what: &str) -> Self {
        let header = Map::from_iter([("what".to_owned(), json!(what))]);
        Self(Container { header, arrays: Default::default() })
    }

    fn put(&mut self, name: &str, value: &(impl serde::Serialize + ?Sized)) -> Result<()> {
        let value = serde_json::to_value(value).map_err(|error| Error::Round {
            reason: format!("{name} cannot be written down: {error}"),
        })?;
        self.0.header.insert(name.to_owned(), value);
        Ok(())
    }

    fn numbers(&mut self, name: &str, values: Vec<f64>) {
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::F64 { shape, values });
    }

    fn whole(&mut self, name: &str, values: Vec<u64>) {
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::U64 { shape, values });
    }

    fn matrix(&mut self, name: &str, matrix: &Matrix) {
        let shape = vec![matrix.n_columns(), matrix.n_rows()];
        let values = matrix.values().to_vec();
        self.0.arrays.insert(name.to_owned(), Array::F64 { shape, values });
    }

    /// Words one behind the other, and how long each is.
    fn words(&mut self, name: &str, words: &[String]) {
        let values: Vec<u8> = words.iter().flat_map(|word| word.bytes()).collect();
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::U8 { shape, values });
        self.whole(&format!("{name}_lengths"), words.iter().map(|w| w.len() as u64).collect());
    }

    fn known(&mut self, words: &[WordFacts]) {
        let values = words.iter().flat_map(|w| [w.total, u64::from(w.largest), w.documents]);
        self.whole("known", values.collect());
    }
}

/// A file that is being read.
struct Reading<'a> {
    container: Container,
    name: &'a str,
    what: &'static str,
}

impl<'a> Reading<'a> {
    fn new(bytes: &[u8], name: &'a str, what: &'static str) -> Result<Self> {
        let container = Container::from_bytes(bytes, name).map_err(|error| match error {
            Error::ModelFile { reason, .. } => Error::Round {
                reason: format!("{name}: this is no {what}, or it is damaged ({reason})"),
            },
            other => other,
        })?;
        let file = Self { container, name, what };
        match file.container.header.get("what").and_then(Value::as_str) {
            Some(found) if found == what => Ok(file),
            Some(found) => Err(file.refuse(&format!("this is {found}"))),
            None => Err(file.refuse("this is a model file")),
        }
    }

    fn refuse(&self, reason: &str) -> Error {
        let Self { name, what, .. } = self;
        let article = if what.starts_with('a') { "an" } else { "a" };
        Error::Round { reason: format!("{name}: {article} {what} is needed, and {reason}") }
    }

    fn get<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        let value = self.container.header.get(name).cloned().unwrap_or(Value::Null);
        serde_json::from_value(value)
            .map_err(|error| self.refuse(&format!("its {name:?} cannot be read: {error}")))
    }

    fn take(&mut self, name: &str) -> Result<Array> {
        let array = self.container.arrays.remove(name);
        array.ok_or_else(|| self.refuse(&format!("it has no {name:?}")))
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>> {
        match self.take(name)? {
            Array::F64 { values, .. } if values.iter().all(|value| value.is_finite()) => Ok(values),
            _ => Err(self.refuse(&format!("its {name:?} are no finite numbers"))),
        }
    }

    fn whole(&mut self, name: &str) -> Result<Vec<u64>> {
        match self.take(name)? {
            Array::U64 { values, .. } => Ok(values),
            _ => Err(self.refuse(&format!("its {name:?} are no whole numbers"))),
        }
    }

    fn matrix(&mut self, name: &str) -> Result<Matrix> {
        match self.take(name)? {
            Array::F64 { shape, values }
                if shape.len() == 2 && values.iter().all(|value| !value.is_nan()) =>
            {
                Ok(Matrix::from_columns(shape[1], shape[0], values))
            }
            _ => Err(self.refuse(&format!("its {name:?} is no table of numbers"))),
        }
    }

    fn words(&mut self, name: &str) -> Result<Vec<String>> {
        let lengths = self.whole(&format!("{name}_lengths"))?;
        let Array::U8 { values, .. } = self.take(name)? else {
            return Err(self.refuse(&format!("its {name:?} are no words")));
        };
        let mut rest = values.as_slice();
        let mut word = |length: u64| {
            let (word, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = behind;
            String::from_utf8(word.to_vec()).ok()
        };
        let words: Option<Vec<String>> = lengths.into_iter().map(&mut word).collect();
        words.ok_or_else(|| self.refuse(&format!("its {name:?} cannot be read")))
    }

    fn known(&mut self) -> Result<Vec<WordFacts>> {
        let values = self.whole("known")?;
        let (facts, rest) = values.as_chunks::<3>();
        let word = |&[total, largest, documents]: &[u64; 3]| {
            Some(WordFacts { total, largest: u32::try_from(largest).ok()?, documents })
        };
        let words: Option<Vec<WordFacts>> = facts.iter().map(word).collect();
        words
            .filter(|_| rest.is_empty())
            .ok_or_else(|| self.refuse("what it knows of words cannot be read"))
    }

    fn survey(&mut self) -> Result<Survey> {
        let words = self.words("words")?;
        let whole = self.whole("facts")?;
        let known = self.known()?;
        if whole.len() != 9 + crate::corpus::facts::KEY_BINS || known.len() != words.len() {
            return Err(self.refuse("its facts do not fit its words"));
        }
        let joined = |at: usize| u128::from(whole[at]) | u128::from(whole[at + 1]) << 64;
        let facts = Facts {
            n_documents: whole[0],
            n_nonzeros: whole[1],
            n_short: [whole[2], whole[3], whole[4]],
            squared_counts: joined(5),
            squared_lengths: joined(7),
            by_key: whole[9..].to_vec(),
            words: known,
        };
        let (numbered, united) = (self.get("numbered")?, self.get("united")?);
        Ok(Survey { words, numbered, united, choice: self.get("choice")?, facts })
    }
}

/// A file of rounds, read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let io = |source| Error::Io { path: path.display().to_string(), source };
    std::fs::read(path).map_err(io)
}

/// The digest by which an answer names its question.
pub fn digest_of(question: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(question).iter().map(|byte| format!("{byte:02x}")).collect()
}
