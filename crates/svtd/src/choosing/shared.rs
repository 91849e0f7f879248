//! One whitening and one cube for every number of topics.

use crate::corpus::Corpus;
use crate::decomposition::{Decomposition, ReadOff, joint};
use crate::error::{Error, Result};
use crate::fit::estimated::Estimated;
use crate::fit::spectral::{Estimate, Spectral, finish};
use crate::linalg::Matrix;
use crate::model::{Kind, Lda, Model, Options, SingleTopic};
use crate::moments::{Counting, Cube, Rows};
use crate::whitening::Whitening;

/// Moments of a corpus with the whitening and the cube of the largest number of topics.
pub(crate) struct Shared<'a> {
    corpus: &'a Corpus,
    options: Options,
    moments: Estimated<'a>,
    whitening: Whitening,
    cube: Cube,
}

/// The rotation of some number of topics.
pub(crate) struct Rotated {
    pub whitening: Whitening,
    pub decomposition: Decomposition,
}

impl Rotated {
    /// `E O`: where the topics point, features x topics.
    pub fn columns(&self) -> Matrix {
        self.whitening.factor().times(&self.decomposition.rotation)
    }
}

impl<'a> Shared<'a> {
    /// For at most `most` topics, fewer when the data shows no more; eigenpairs to a tolerance.
    pub fn new(corpus: &'a Corpus, options: &Options, most: usize, tolerance: f64) -> Result<Self> {
        Self::with(Counting::Raw, corpus, options, most, tolerance)
    }

    /// As [`new`](Self::new), with words counted in another way.
    pub fn with(
        counting: Counting,
        corpus: &'a Corpus,
        options: &Options,
        most: usize,
        tolerance: f64,
    ) -> Result<Self> {
        let moments = Estimated::of(corpus, options, counting)?;
        let fit =
            |k| Whitening::fit_to(tolerance, moments.moments(), k, options.whitening, &|_, _| {});
        let whitening = match fit(most) {
            Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => fit(visible)?,
            outcome => outcome?,
        };
        let cube = moments.moments().third_whitened(whitening.basis());
        Ok(Self { corpus, options: options.clone(), moments, whitening, cube })
    }

    pub fn corpus(&self) -> &'a Corpus {
        self.corpus
    }

    pub fn whitening(&self) -> &Whitening {
        &self.whitening
    }

    /// The kind of model.
    pub fn kind(&self) -> Kind {
        self.options.kind()
    }

    #[cfg(test)]
    pub fn moments(&self) -> &dyn crate::moments::Moments {
        self.moments.moments()
    }

    #[cfg(test)]
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// How a fit of this model reads topics off a rotation.
    pub fn usual(&self) -> ReadOff {
        match self.moments {
            Estimated::SingleTopic(_) => ReadOff::Diagonals(Rows::Kept),
            Estimated::Lda(..) => ReadOff::Columns,
        }
    }

    /// The rotation of `k` topics.
    pub fn rotated(&self, k: usize) -> Rotated {
        let whitening = self.whitening.leading(k);
        let decomposition = joint::decompose(&self.cube.leading(k), &whitening);
        Rotated { whitening, decomposition }
    }

    /// A rotation that was found before.
    pub fn again(&self, decomposition: Decomposition) -> Rotated {
        Rotated {
            whitening: self.whitening.leading(decomposition.rotation.n_columns()),
            decomposition,
        }
    }

    /// An approximate rotation, starting from one that is nearly right.
    pub fn rotated_near(&self, near: &Matrix) -> Rotated {
        let k = near.n_columns();
        let whitening = self.whitening.leading(k);
        let decomposition = joint::decompose_near(&self.cube.leading(k), &whitening, near);
        Rotated { whitening, decomposition }
    }

    /// The model that a fit of this many topics without polish would give, if topics are read off as
    /// [usual](Self::usual).
    pub fn model(&self, rotated: Rotated, read_off: ReadOff) -> Model {
        let Rotated { whitening, decomposition } = rotated;
        let options = Options { n_topics: whitening.n_topics(), ..self.options.clone() };
        let notes: Vec<String> = decomposition.note.clone().into_iter().collect();
        let columns = decomposition.columns(self.moments.moments(), &whitening, read_off);
        let first = self.moments.moments().first();
        let spectral = Spectral::of_columns(columns, first, whitening, decomposition, notes);
        match &self.moments {
            Estimated::SingleTopic(moments) => {
                let estimate = Estimate::unpolished(&spectral, Kind::SingleTopic);
                let effective = moments.effective_documents();
                let (topics, diagnostics, _) =
                    finish(self.corpus, effective, &spectral, estimate, None);
                Model::SingleTopic(SingleTopic::from_parts(topics, diagnostics, options))
            }
            Estimated::Lda(moments, alpha0) => {
                let estimate = Estimate::unpolished(&spectral, Kind::Lda);
                let effective = moments.effective_documents();
                let (topics, diagnostics, _) =
                    finish(self.corpus, effective, &spectral, estimate, None);
                let alpha = topics.weights().iter().map(|w| w * alpha0).collect();
                Model::Lda(Lda::from_parts(topics, alpha, diagnostics, options))
            }
        }
    }
}
