//! Model files: a fitted model in one file with an open format and a checksum.
//!
//! ```text
//! model ──► header (JSON) + arrays ──► container ──► temporary file, fsync, rename
//! ```
//!
//! The layout is described for other programs in `docs/model-file.md`. The bytes are a function
//! of the corpus and the options: no time stamp, no thread count, no path.

pub mod container;
#[cfg(feature = "parquet")]
pub mod parquet;

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::corpus::{Corpus, Vocabulary};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::{Diagnostics, Kind, Lda, Model, Options, SingleTopic, Topics};
use crate::words::WordChoice;
use container::{Array, Container};

/// The content of a model file.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The model.
    pub model: Model,
    /// The digest of the corpus it was fitted on.
    pub corpus_digest: String,
    /// The version of this library that wrote it.
    pub library: String,
    /// How the words were chosen, if the corpus was counted from text.
    pub word_choice: Option<WordChoice>,
}

impl Model {
    /// Writes the model; `corpus` is the corpus it was fitted to.
    ///
    /// # Errors
    /// When the file exists already and must not be overwritten, or cannot be written.
    pub fn save(&self, path: impl AsRef<Path>, corpus: &Corpus, overwrite: bool) -> Result<()> {
        write(&self.to_container(&corpus.digest(), corpus.word_choice())?, path.as_ref(), overwrite)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is something else.
    pub fn load(path: impl AsRef<Path>) -> Result<Saved> {
        let path = path.as_ref();
        let container = Container::read(path)?;
        from_container(container)
            .map_err(|reason| Error::ModelFile { path: path.display().to_string(), reason })
    }

    fn to_container(&self, digest: &str, word_choice: Option<&WordChoice>) -> Result<Container> {
        let topics = self.topics();
        let (k, n) = (topics.len(), topics.vocabulary().len());
        let mut header = Map::new();
        header.insert("library".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        header.insert("model".to_owned(), json!(self.kind()));
        header.insert("corpus".to_owned(), json!({ "sha256": digest }));
        header.insert("options".to_owned(), to_json(self.options())?);
        header.insert("diagnostics".to_owned(), to_json(self.diagnostics())?);
        header.insert("numbered_vocabulary".to_owned(), json!(topics.vocabulary().is_numbered()));
        if let Some(names) = topics.names() {
            header.insert("names".to_owned(), json!(names));
        }
        if let Some(choice) = word_choice {
            header.insert("words".to_owned(), to_json(choice)?);
        }
        let mut arrays = std::collections::BTreeMap::new();
        let vector = |values: &[f64]| Array::F64 { shape: vec![k], values: values.to_vec() };
        // Words x topics stored by columns is the same as topics x words stored by rows.
        let values = topics.word_topic().values().to_vec();
        arrays.insert("topic_word".to_owned(), Array::F64 { shape: vec![k, n], values });
        arrays.insert("topic_weights".to_owned(), vector(topics.weights()));
        if let Some(errors) = topics.errors() {
            let values = errors.values().to_vec();
            arrays.insert("topic_word_error".to_owned(), Array::F64 { shape: vec![k, n], values });
        }
        if let Model::Lda(model) = self {
            arrays.insert("alpha".to_owned(), vector(model.alpha()));
        }
        if !topics.vocabulary().is_numbered() {
            let (bytes, offsets) = pack_vocabulary(topics.vocabulary());
            let bytes = Array::U8 { shape: vec![bytes.len()], values: bytes };
            arrays.insert("vocabulary_bytes".to_owned(), bytes);
            let offsets = Array::U64 { shape: vec![offsets.len()], values: offsets };
            arrays.insert("vocabulary_offsets".to_owned(), offsets);
        }
        Ok(Container { header, arrays })
    }
}

impl Saved {
    /// A model that was just fitted on `corpus`, as its file will hold it.
    pub fn new(model: Model, corpus: &Corpus) -> Self {
        let library = env!("CARGO_PKG_VERSION").to_owned();
        let word_choice = corpus.word_choice().cloned();
        Self { model, corpus_digest: corpus.digest(), library, word_choice }
    }

    /// Writes the model file; the same bytes as [`Model::save`] writes.
    ///
    /// # Errors
    /// As [`Model::save`].
    pub fn save(&self, path: impl AsRef<Path>, overwrite: bool) -> Result<()> {
        let container = self.model.to_container(&self.corpus_digest, self.word_choice.as_ref())?;
        write(&container, path.as_ref(), overwrite)
    }

    /// The bytes of the model file.
    ///
    /// # Errors
    /// When the model cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.model.to_container(&self.corpus_digest, self.word_choice.as_ref())?.to_bytes()
    }

    /// Reads the bytes of a model file; `name` is used in messages.
    ///
    /// # Errors
    /// When they are damaged, or not a model file.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        from_container(Container::from_bytes(bytes, name)?)
            .map_err(|reason| Error::ModelFile { path: name.to_owned(), reason })
    }
}

/// Writes a model file; it gets its name only if it can be read back.
fn write(container: &Container, path: &Path, overwrite: bool) -> Result<()> {
    let bytes = container.to_bytes()?;
    let refused = |reason: String| Error::ModelFile {
        path: path.display().to_string(),
        reason: format!("the model could not be read again ({reason}); nothing was written"),
    };
    crate::atomic::write_checked(
        path,
        overwrite,
        |out| out.write_all(&bytes),
        |written| {
            let read = Container::read(written).map_err(|error| match error {
                // The temporary name would mean nothing to the user.
                Error::ModelFile { reason, .. } => refused(reason),
                Error::Io { source, .. } => refused(source.to_string()),
                other => other,
            })?;
            from_container(read).map_err(refused).map(drop)
        },
    )
}

fn to_json(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::ModelFile {
        path: "the model".to_owned(),
        reason: format!("cannot be written as JSON: {error}"),
    })
}

/// All words in one string, with the start of each word (and the end of the last one).
fn pack_vocabulary(vocabulary: &Vocabulary) -> (Vec<u8>, Vec<u64>) {
    let mut bytes = Vec::new();
    let mut offsets = vec![0];
    for i in 0..vocabulary.len() {
        bytes.extend_from_slice(vocabulary.word(i).as_bytes());
        offsets.push(bytes.len() as u64);
    }
    (bytes, offsets)
}

/// Takes a container apart and checks that its parts fit together; the error is the reason.
fn from_container(mut container: Container) -> Result<Saved, String> {
    let header = std::mem::take(&mut container.header);
    let mut take = |name: &str| container.arrays.remove(name);
    let (k, n, values) = match take("topic_word") {
        Some(Array::F64 { shape, values }) if shape.len() == 2 => (shape[0], shape[1], values),
        _ => {
            let kind = header.get("model").and_then(Value::as_str).unwrap_or("(none)");
            return Err(match kind.parse::<Kind>() {
                Err(_) => format!("holds a model of kind {kind}; a model of topics is needed here"),
                Ok(_) => "has no topics x words array of numbers".to_owned(),
            });
        }
    };
    if k == 0 || n == 0 {
        return Err("has no topics".to_owned());
    }
    let weights = vector("topic_weights", take("topic_weights"), k)?;
    let vocabulary = match header.get("numbered_vocabulary") {
        Some(Value::Bool(true)) => Vocabulary::numbered(n),
        _ => unpack_vocabulary(take("vocabulary_bytes"), take("vocabulary_offsets"), n)?,
    };
    check_distribution("topic_weights", &weights)?;
    for topic in values.chunks_exact(n) {
        check_distribution("topic_word", topic)?;
    }
    let errors = match take("topic_word_error") {
        None => None,
        Some(Array::F64 { shape, values }) if shape == [k, n] && values.iter().all(is_error) => {
            Some(Matrix::from_columns(n, k, values))
        }
        Some(_) => return Err(format!("has no topic_word_error of {k} x {n} numbers")),
    };
    let topics = Topics::new(vocabulary, Matrix::from_columns(n, k, values), weights);
    let mut topics = topics.with_errors(errors);
    if header.contains_key("names") {
        let names = topics.set_names(field(&header, "names")?);
        names.map_err(|error| format!("has names that do not fit: {error}"))?;
    }
    let options: Options = field(&header, "options")?;
    let diagnostics: Diagnostics = field(&header, "diagnostics")?;
    if diagnostics.topics.len() != k {
        return Err(format!("has {k} topics but diagnostics of {}", diagnostics.topics.len()));
    }
    let kind = header.get("model").and_then(Value::as_str).unwrap_or("(none)");
    let model = match kind.parse() {
        Ok(Kind::SingleTopic) => {
            Model::SingleTopic(SingleTopic::from_parts(topics, diagnostics, options))
        }
        Ok(Kind::Lda) => {
            let alpha = vector("alpha", take("alpha"), k)?;
            if !alpha.iter().all(|a| a.is_finite() && *a > 0.0) {
                return Err("has an alpha that is not positive".to_owned());
            }
            Model::Lda(Lda::from_parts(topics, alpha, diagnostics, options))
        }
        Err(_) => {
            return Err(format!("holds a model of kind {kind}, which this version does not know"));
        }
    };
    let corpus_digest = header
        .get("corpus")
        .and_then(|c| c.get("sha256"))
        .and_then(Value::as_str)
        .ok_or("does not say which corpus it was fitted on")?
        .to_owned();
    let library = header.get("library").and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let word_choice = match header.contains_key("words") {
        true => Some(field(&header, "words")?),
        false => None,
    };
    Ok(Saved { model, corpus_digest, library, word_choice })
}

fn field<T: serde::de::DeserializeOwned>(
    header: &Map<String, Value>,
    name: &str,
) -> Result<T, String> {
    let value = header.get(name).cloned().ok_or_else(|| format!("has no {name}"))?;
    serde_json::from_value(value)
        .map_err(|error| format!("has {name} that cannot be read: {error}"))
}

fn vector(name: &str, array: Option<Array>, len: usize) -> Result<Vec<f64>, String> {
    match array {
        Some(Array::F64 { values, .. }) if values.len() == len => Ok(values),
        _ => Err(format!("has no {name} of {len} numbers")),
    }
}

fn check_distribution(name: &str, values: &[f64]) -> Result<(), String> {
    let sum: f64 = values.iter().sum();
    if values.iter().all(|v| v.is_finite() && *v >= 0.0) && (sum - 1.0).abs() < 1e-6 {
        return Ok(());
    }
    Err(format!("has a {name} that is not a distribution"))
}

/// Whether a number can be a standard error.
fn is_error(value: &f64) -> bool {
    value.is_finite() && *value >= 0.0
}

fn unpack_vocabulary(
    bytes: Option<Array>,
    offsets: Option<Array>,
    n: usize,
) -> Result<Vocabulary, String> {
    let (Some(Array::U8 { values: bytes, .. }), Some(Array::U64 { values: offsets, .. })) =
        (bytes, offsets)
    else {
        return Err("has no vocabulary".to_owned());
    };
    if offsets.len() != n + 1 {
        return Err(format!("has {n} words but a vocabulary of {}", offsets.len().max(1) - 1));
    }
    let word = |pair: &[u64]| {
        let range = usize::try_from(pair[0]).ok()?..usize::try_from(pair[1]).ok()?;
        Some(std::str::from_utf8(bytes.get(range)?).ok()?.to_owned())
    };
    let words: Option<Vec<String>> = offsets.windows(2).map(word).collect();
    let words = words.ok_or("has a vocabulary that cannot be read")?;
    Vocabulary::from_words(words).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::text::{Preprocessing, count_texts};

    #[test]
    fn a_model_file_from_before_words_were_kept_is_read() {
        let texts = ["sea ships harbour", "wheat barns harvest"].repeat(20);
        let corpus = count_texts(&texts, &Preprocessing::new()).unwrap();
        let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
        let mut container = model.to_container(&corpus.digest(), corpus.word_choice()).unwrap();
        assert!(container.header.remove("words").is_some());
        container.arrays.remove("topic_word_error");
        let bytes = container.to_bytes().unwrap();
        let saved = Saved::from_bytes(&bytes, "old.svtd").unwrap();
        assert!(saved.word_choice.is_none());
        assert_eq!(saved.model.topics().word_topic(), model.topics().word_topic());
    }

    #[test]
    fn a_model_without_topics_is_refused_by_its_kind() {
        let texts = ["sea ships harbour", "wheat barns harvest"].repeat(20);
        let corpus = count_texts(&texts, &Preprocessing::new()).unwrap();
        let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
        let mut container = model.to_container(&corpus.digest(), corpus.word_choice()).unwrap();
        container.header.insert("model".to_owned(), json!("classes"));
        container.arrays.remove("topic_word");
        let error = Saved::from_bytes(&container.to_bytes().unwrap(), "c.svtd").unwrap_err();
        assert!(error.to_string().contains("kind classes; a model of topics is needed"), "{error}");
    }

    #[test]
    fn names_of_topics_are_kept_and_a_file_without_them_is_read() {
        let texts = ["sea ships harbour", "wheat barns harvest"].repeat(20);
        let corpus = count_texts(&texts, &Preprocessing::new()).unwrap();
        let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
        let mut saved = Saved::new(model, &corpus);
        let unnamed = saved.to_bytes().unwrap();
        assert!(Saved::from_bytes(&unnamed, "m").unwrap().model.topics().names().is_none());
        saved.model.set_names(vec![None, Some("\u{202e}farm </script>".to_owned())]).unwrap();
        let read = Saved::from_bytes(&saved.to_bytes().unwrap(), "m").unwrap();
        assert_eq!(read.model.topics(), saved.model.topics());
        assert_eq!(read.model.topics().topic(1).name(), Some("\u{202e}farm </script>"));
        saved.model.set_names(vec![None, None]).unwrap();
        assert_eq!(saved.to_bytes().unwrap(), unnamed);
    }

    #[test]
    fn names_for_another_number_of_topics_are_refused() {
        let texts = ["sea ships harbour", "wheat barns harvest"].repeat(20);
        let corpus = count_texts(&texts, &Preprocessing::new()).unwrap();
        let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
        let mut container = model.to_container(&corpus.digest(), None).unwrap();
        container.header.insert("names".to_owned(), json!(["one"]));
        let refused = Saved::from_bytes(&container.to_bytes().unwrap(), "m").unwrap_err();
        assert!(refused.to_string().contains("names"), "{refused}");
    }
}
