//! What the library says about all documents of a page: mixtures, shares, and where words occur.

use std::borrow::Cow;

use svtd::evaluation::DocumentShares;
use svtd::inference::Inferred;
use svtd::{Corpus, Result};

use crate::Report;

/// What the library computes for all documents.
pub struct Asked<'a> {
    pub corpus: &'a Corpus,
    pub inferred: Inferred,
    /// In how many documents each word of the model occurs.
    pub frequencies: Vec<usize>,
    /// The shares over time and by label are computed from these, if either is asked for.
    pub shares: Option<DocumentShares>,
    /// Whether the model was fitted to these documents.
    pub(super) is_fitted_on: bool,
}

impl<'a> Asked<'a> {
    pub fn of(report: &Report<'a>) -> Result<Option<Self>> {
        let Some(corpus) = report.documents else { return Ok(None) };
        let model = &report.saved.model;
        let inferred = model.infer(corpus)?;
        let own = corpus.over(model.topics().vocabulary());
        let n_words = model.topics().vocabulary().len();
        let is_grouped =
            report.times.is_some() || report.labels.is_some() || corpus.labels().is_some();
        let shares = own
            .as_ref()
            .filter(|_| is_grouped)
            .map(|own| DocumentShares::of(model.topics(), own))
            .transpose()?;
        Ok(Some(Self {
            corpus,
            inferred,
            shares,
            frequencies: own.as_ref().map_or(vec![0; n_words], Corpus::document_frequencies),
            is_fitted_on: own.is_some_and(|own| own.digest() == report.saved.corpus_digest),
        }))
    }

    /// The label of every document, as given or from the corpus.
    pub fn labels(&self, report: &'a Report<'_>) -> Option<Vec<Cow<'_, str>>> {
        let given = report.labels.as_ref();
        match given {
            Some(labels) => Some(labels.iter().map(|l| Cow::Owned(l.clone())).collect()),
            None => Some(self.corpus.labels()?.into_iter().map(Cow::Borrowed).collect()),
        }
    }
}
