//! What a default fit will need, estimated from the sizes alone.
//!
//! Time is told in two units that any machine can measure for itself in a moment: *passes*, the
//! time of one product of all counts with one column and back (the sparse half of a fit), and dense
//! multiplications. Memory is the largest of the stages beside the counts. The factors are
//! counted from the stages, not yet fitted to measured runs: an order of magnitude.

use serde::Serialize;

use crate::corpus::Corpus;

/// What a fit will need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FitCost {
    /// The topics it was estimated for.
    pub n_topics: usize,
    /// The most memory at a time, in bytes, counts included.
    pub bytes: f64,
    /// Products of all counts with one column, and back.
    pub passes: f64,
    /// Multiplications and additions of dense matrices.
    pub flops: f64,
}

/// Eigenpairs take this many columns for every one asked for, and the block at the start.
const COLUMNS_PER_PAIR: f64 = 4.0;

/// A sweep of the LDA polish costs this many passes a topic, an EM step this many.
const SWEEP: f64 = 3.0;
const EM_STEP: f64 = 1.2;

/// Sweeps of the LDA polish and its start; EM steps until it settles, usually.
const SWEEPS: f64 = 23.0;
const EM_STEPS: f64 = 25.0;

impl FitCost {
    /// Estimates the cost of a default fit: with trust, LDA with its comparison on held-out
    /// documents.
    pub(super) fn of(corpus: &Corpus, n_topics: usize, lda: bool) -> Self {
        let (nnz, n, documents, k) = (
            corpus.n_nonzeros() as f64,
            corpus.n_present() as f64,
            corpus.n_documents() as f64,
            n_topics as f64,
        );
        // Spectral estimates: one, and the z-scores; LDA fits two candidates on nine tenths and
        // the better one again.
        let (spectral, polishes) = if lda { (3.8, 1.9) } else { (2.0, 1.0) };
        let columns = COLUMNS_PER_PAIR * (k + 16.0);
        let polish = if lda { SWEEPS * SWEEP } else { EM_STEPS * EM_STEP };
        let passes = spectral * (columns + 2.0 * k) + polishes * polish * k;
        let basis = 2.0 * k + 48.0;
        let krylov = 4.0 * 2.0 * n * basis * columns;
        let cube = (documents + n) * k.powi(3);
        let joint = 40.0 * k.powi(4);
        let flops = spectral * (krylov + cube + joint);
        let stages = [
            8.0 * 2.5 * n * basis,
            8.0 * (3.0 * documents * k + 3.0 * n * k + 2.0 * k.powi(3)),
            if lda { 4.0 * documents * k + 8.0 * 10.0 * n * k } else { 16.0 * documents * k },
        ];
        let counts = 8.0 * nnz * if lda { 2.0 } else { 1.5 } + 64.0 * documents;
        let largest = stages.iter().fold(0.0_f64, |most, stage| most.max(*stage));
        let bytes = counts + largest + 8.0 * 3.0 * corpus.n_words() as f64 * k;
        Self { n_topics, bytes, passes, flops }
    }
}
