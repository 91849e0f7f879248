//! The kinds of topic model, by their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::moments::check_alpha0;

/// The default `alpha0`. Moments assume it; the polish uses it as prior where documents follow the
/// model, and fixed numbers on text.
pub(crate) const DEFAULT_ALPHA0: f64 = 1.0;

/// The kind of topic model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Documents mix topics.
    #[default]
    Lda,
    /// Each document is about one topic.
    SingleTopic,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Lda, Kind::SingleTopic];

    /// Its name in files, in the shell and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Lda => "lda",
            Kind::SingleTopic => "single-topic",
        }
    }

    /// The sum of the Dirichlet parameter: the given one, or the default. It is 0 for documents of one topic each,
    /// the limit in which every mixture has one topic.
    ///
    /// # Errors
    /// When it is given for documents of one topic each, or not positive.
    pub fn alpha0(self, given: Option<f64>) -> Result<f64> {
        match (self, given) {
            (Kind::Lda, _) => {
                let alpha0 = given.unwrap_or(DEFAULT_ALPHA0);
                check_alpha0(alpha0).map(|()| alpha0)
            }
            (Kind::SingleTopic, None) => Ok(0.0),
            (Kind::SingleTopic, Some(_)) => Err(Error::NoMixtures),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| Error::Option {
            name: "the model",
            needed: Kind::ALL.map(Kind::name).join(" or "),
            found: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha0_is_for_documents_that_mix_topics() {
        assert_eq!(Kind::Lda.alpha0(None).unwrap(), DEFAULT_ALPHA0);
        assert_eq!(Kind::Lda.alpha0(Some(0.5)).unwrap(), 0.5);
        assert_eq!(Kind::SingleTopic.alpha0(None).unwrap(), 0.0);
        assert!(Kind::Lda.alpha0(Some(-1.0)).unwrap_err().to_string().contains("positive"));
        let error = Kind::SingleTopic.alpha0(Some(1.0)).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Request);
        assert!(error.to_string().starts_with("alpha0 is for lda; "), "{error}");
    }

    #[test]
    fn models_are_found_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        let error = "LDA".parse::<Kind>().unwrap_err().to_string();
        assert!(error.contains("lda or single-topic") && error.contains("LDA"), "{error}");
    }
}
