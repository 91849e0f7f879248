//! Tables and numbers in files of rounds: the [container](crate::persist::container) of model files.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::persist::container::{Array, Container};
use crate::questions::{Facts, Survey, WordFacts};

/// A file that is being written.
pub(super) struct Writing(pub Container);

impl Writing {
    pub(super) fn new(what: &str) -> Self {
        let header = Map::from_iter([("what".to_owned(), json!(what))]);
        Self(Container { header, arrays: Default::default() })
    }

    pub(super) fn put(
        &mut self,
        name: &str,
        value: &(impl serde::Serialize + ?Sized),
    ) -> Result<()> {
        let value = serde_json::to_value(value).map_err(|error| Error::Round {
            reason: format!("{name} cannot be written down: {error}"),
        })?;
        self.0.header.insert(name.to_owned(), value);
        Ok(())
    }

    pub(super) fn numbers(&mut self, name: &str, values: Vec<f64>) {
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::F64 { shape, values });
    }

    pub(super) fn whole(&mut self, name: &str, values: Vec<u64>) {
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::U64 { shape, values });
    }

    pub(super) fn matrix(&mut self, name: &str, matrix: &Matrix) {
        let shape = vec![matrix.n_columns(), matrix.n_rows()];
        let values = matrix.values().to_vec();
        self.0.arrays.insert(name.to_owned(), Array::F64 { shape, values });
    }

    /// All words in one string, and the length of each.
    pub(super) fn words(&mut self, name: &str, words: &[String]) {
        let values: Vec<u8> = words.iter().flat_map(|word| word.bytes()).collect();
        let shape = vec![values.len()];
        self.0.arrays.insert(name.to_owned(), Array::U8 { shape, values });
        self.whole(&format!("{name}_lengths"), words.iter().map(|w| w.len() as u64).collect());
    }

    pub(super) fn known(&mut self, words: &[WordFacts]) {
        let values = words.iter().flat_map(|w| [w.total, u64::from(w.largest), w.documents]);
        self.whole("known", values.collect());
    }
}

/// A file that is being read.
pub(super) struct Reading<'a> {
    pub container: Container,
    name: &'a str,
    what: &'static str,
}

impl<'a> Reading<'a> {
    pub(super) fn new(bytes: &[u8], name: &'a str, what: &'static str) -> Result<Self> {
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

    pub(super) fn refuse(&self, reason: &str) -> Error {
        let Self { name, what, .. } = self;
        let article = if what.starts_with('a') { "an" } else { "a" };
        Error::Round { reason: format!("{name}: {article} {what} is needed, and {reason}") }
    }

    pub(super) fn get<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        let value = self.container.header.get(name).cloned().unwrap_or(Value::Null);
        serde_json::from_value(value)
            .map_err(|error| self.refuse(&format!("its {name:?} cannot be read: {error}")))
    }

    pub(super) fn take(&mut self, name: &str) -> Result<Array> {
        let array = self.container.arrays.remove(name);
        array.ok_or_else(|| self.refuse(&format!("it has no {name:?}")))
    }

    pub(super) fn numbers(&mut self, name: &str) -> Result<Vec<f64>> {
        match self.take(name)? {
            Array::F64 { values, .. } if values.iter().all(|value| value.is_finite()) => Ok(values),
            _ => Err(self.refuse(&format!("its {name:?} are no finite numbers"))),
        }
    }

    pub(super) fn whole(&mut self, name: &str) -> Result<Vec<u64>> {
        match self.take(name)? {
            Array::U64 { values, .. } => Ok(values),
            _ => Err(self.refuse(&format!("its {name:?} are no whole numbers"))),
        }
    }

    pub(super) fn matrix(&mut self, name: &str) -> Result<Matrix> {
        match self.take(name)? {
            Array::F64 { shape, values }
                if shape.len() == 2 && values.iter().all(|value| !value.is_nan()) =>
            {
                Ok(Matrix::from_columns(shape[1], shape[0], values))
            }
            _ => Err(self.refuse(&format!("its {name:?} is no table of numbers"))),
        }
    }

    pub(super) fn words(&mut self, name: &str) -> Result<Vec<String>> {
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

    pub(super) fn known(&mut self) -> Result<Vec<WordFacts>> {
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

    pub(super) fn survey(&mut self) -> Result<Survey> {
        let words = self.words("words")?;
        let whole = self.whole("facts")?;
        let known = self.known()?;
        if whole.len() != 10 + crate::questions::KEY_BINS || known.len() != words.len() {
            return Err(self.refuse("its facts do not fit its words"));
        }
        let joined = |at: usize| u128::from(whole[at]) | u128::from(whole[at + 1]) << 64;
        let facts = Facts {
            n_documents: whole[0],
            n_nonzeros: whole[1],
            n_different: whole[2],
            n_short: [whole[3], whole[4], whole[5]],
            squared_counts: joined(6),
            squared_lengths: joined(8),
            by_key: whole[10..].to_vec(),
            words: known,
        };
        let (numbered, united) = (self.get("numbered")?, self.get("united")?);
        let (least_share, choice) = (self.get("least_share")?, self.get("choice")?);
        Ok(Survey { words, numbered, united, least_share, choice, facts })
    }
}
