//! The bias of the polish of LDA, measured on simulated documents.
//!
//! On documents that follow the model the passes end at the same topics wherever they begin, and those
//! are not quite the true ones: mixtures are estimated from few words, and their uncertainty moves
//! the topics. The jackknife cannot show such a bias, since it stays the same when documents are left
//! out. So it is measured where the truth is known: documents are drawn from the fitted topics,
//! each as long as one of the corpus and with a mixture from its posterior (where documents
//! follow the model, a mixture from the model's prior), and get the passes of the fit, ten at most, beginning at
//! the topics they were drawn from. The part of the shift that is a combination of the topics, `b_ij`, shows
//! how far they mix with each other (only where documents follow the model). With `d` the rest of the shift,
//! `v` the variance that chance explains and `p` the probabilities, a bias in proportion to `p` is
//!
//! ```text
//! E d_ij^2 = v_ij + c_j^2 p_ij^2      so     c_j^2 = sum_i (d_ij^2 - v_ij) / p_ij  /  sum_i p_ij
//! ```
//!
//! over the words that are frequent enough. The errors of the topic are widened by `c_j p_ij`
//! and by `b_ij`. The drawn documents are random as well, so any variance that `v` misses ends up in
//! `c_j` or `b_ij`.
//!
//! Text whose words come in bursts is not drawn; there the documents are [thinned](super::bursts).
//!
//! # Same bits
//! What is drawn follows the content of a document, with a fixed seed: the same corpus gives the same
//! bits, in whatever order its documents are.
//!
//! # Cost
//! That of ten passes, on at most [`FOR_A_TOPIC`](crate::fit::workload::FOR_A_TOPIC) drawn tokens for each topic, whatever the length of
//! the documents.
use super::bursts;
use super::simulation::{Moved, Simulation, add_squares, along_topics};
use crate::linalg::Matrix;

/// A word with this expected count among the simulated words of a topic is frequent enough to be used.
const FREQUENT: f64 = 10.0;

/// Widens `errors` by the bias of the passes.
pub(super) fn widen(simulation: &Simulation<'_>, errors: &mut Matrix) {
    let end = simulation.end;
    let believed = end.prior.of_any_document(end.topic_weights);
    if believed.is_none()
        && let Some(concentration) = bursts::concentration(simulation)
    {
        return bursts::widen(simulation, concentration, errors);
    }
    let word_topic = end.word_topic;
    let drawn = simulation.documents(1.0, believed.clone(), None);
    let moved = simulation.moved(&drawn, end.prior.order);
    let Moved { words, start, swept } = &moved;
    let scale = simulation.scale(&drawn);
    // On text, mixtures drawn from the posterior are more even than the prior of the passes expects,
    // and that alone would move topics together.
    let systematic = believed.map(|_| along_topics(&drawn, &moved, word_topic));
    for (j, weight) in swept.topic_weights.iter().enumerate() {
        let least = FREQUENT / (weight * drawn.n_tokens() as f64).max(f64::MIN_POSITIVE);
        let (mut excess, mut mass) = (0.0, 0.0);
        for (i, &word) in words.iter().enumerate() {
            let p = start[(i, j)];
            if p >= least {
                let entry = (word as usize, j);
                let along = systematic.as_ref().map_or(0.0, |b| b[entry]);
                let moved = swept.word_topic[(i, j)] - p - along;
                excess += (moved * moved - scale * errors[entry] * errors[entry]) / p;
                mass += p;
            }
        }
        let bias = if mass > 0.0 { (excess.max(0.0) / mass).sqrt() } else { 0.0 };
        for (error, p) in errors.column_mut(j).iter_mut().zip(word_topic.column(j)) {
            *error = (*error * *error + bias * bias * p * p).sqrt();
        }
    }
    if let Some(systematic) = systematic {
        add_squares(errors, &systematic);
    }
}
