//! The kinds of topic model, by their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

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
    fn models_are_found_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        let error = "LDA".parse::<Kind>().unwrap_err().to_string();
        assert!(error.contains("lda or single-topic") && error.contains("LDA"), "{error}");
    }
}
