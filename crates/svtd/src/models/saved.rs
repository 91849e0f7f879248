//! Model files of records. A model of another kind is read by a further line in [`load`].

use std::path::Path;

use serde_json::{Value, json};

use super::learned::{Learned, Parts};
use crate::error::{Error, Result};
use crate::model::Kind;
use crate::persist::container::Container;

/// A model of records with the digest of the table it was learned from.
pub struct SavedRecords {
    /// The model.
    pub model: Box<dyn Learned>,
    /// The digest of the table.
    pub digest: String,
}

/// The model file of a model.
///
/// # Errors
/// When the model cannot be serialised.
pub fn container(model: &dyn Learned, digest: &str) -> Result<Container> {
    let mut header = model.header()?;
    header.insert("library".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    header.insert("model".to_owned(), json!(model.kind()));
    header.insert("corpus".to_owned(), json!({ "sha256": digest }));
    Ok(Container { header, arrays: model.arrays() })
}

/// Writes a model file.
///
/// # Errors
/// When the file exists already and must not be overwritten, or cannot be written.
pub fn save(
    model: &dyn Learned,
    digest: &str,
    path: impl AsRef<Path>,
    overwrite: bool,
) -> Result<()> {
    container(model, digest)?.write(path.as_ref(), overwrite)
}

/// Reads a model file; `None` when it contains topics, which are read elsewhere.
///
/// # Errors
/// When the file cannot be read, is damaged, or is something else.
pub fn load(path: impl AsRef<Path>) -> Result<Option<SavedRecords>> {
    let path = path.as_ref();
    let found = from_container(Container::read(path)?);
    found.map_err(|reason| Error::ModelFile { path: path.display().to_string(), reason })
}

/// Reads the bytes of a model file; `name` is used in messages.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Option<SavedRecords>> {
    let found = from_container(Container::from_bytes(bytes, name)?);
    found.map_err(|reason| Error::ModelFile { path: name.to_owned(), reason })
}

fn from_container(container: Container) -> std::result::Result<Option<SavedRecords>, String> {
    let kind = container.header.get("model").and_then(Value::as_str).unwrap_or("(none)").to_owned();
    let digest = container.header.get("corpus").and_then(|c| c.get("sha256"));
    let digest = digest.and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut parts = Parts::new(container);
    let model: Box<dyn Learned> = match kind.as_str() {
        topics if topics.parse::<Kind>().is_ok() => return Ok(None),
        "classes" => Box::new(super::classes::LatentClass::from_parts(&mut parts)?),
        "raters" => Box::new(super::raters::Raters::from_parts(&mut parts)?),
        "hmm" => Box::new(super::hmm::Hmm::from_parts(&mut parts)?),
        "gaussian" => Box::new(super::gaussian::GaussianMixture::from_parts(&mut parts)?),
        other => {
            return Err(format!("holds a model of kind {other}, which this version does not know"));
        }
    };
    Ok(Some(SavedRecords { model, digest }))
}
