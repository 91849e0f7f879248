//! Checks of what the paper proves: Theorems 2.2 and 5.1 as claims of the report.

use svtd::evaluation::{Constants, DeviationBound, Perturbation};
use svtd::synthetic::SingleTopicSource;

use crate::report::{Claim, Verdict};
use crate::seeds::seed;
use crate::statistics::median;

/// Number of models for which the bound of Theorem 5.1 is computed.
const N_MODELS: usize = 15;

/// The counterexample to Theorem 2.2 as printed, from the library's own bounds.
pub fn deviation() -> Claim {
    // Two topics that are one word each, with even weights: |M2|_F = sqrt(1/2).
    let bound = DeviationBound::pairs(&[1000; 200], 0.5_f64.sqrt(), 0.01);
    let exceeded = exceedance(200, bound.printed);
    let corrected = exceedance(200, bound.corrected);
    Claim::new(
        "Theorem 2.2",
        "with probability 1 - delta the error of M2 is at most its bound",
        format!(
            "not as printed: for two topics of one word each, even weights, 200 documents of 1000 words, delta = 0.01, \
             the printed bound {:.4} is exceeded with probability {exceeded:.3}; words of a document are not \
             independent. With documents as the independent units the bound is {:.4}, exceeded with probability \
             {corrected:.0e}",
            bound.printed, bound.corrected
        ),
        Verdict::of(exceeded <= 0.01),
    )
}

/// The probability that `|M2~ - M2|` exceeds a bound when each of `n` documents repeats one of two words with equal
/// probability: the error is `sqrt(2) |share - 1/2|` and the share is binomial.
fn exceedance(n: usize, bound: f64) -> f64 {
    let mut log_choose = 0.0_f64;
    let mut total = 0.0;
    for i in 0..=n {
        if i > 0 {
            log_choose += ((n - i + 1) as f64 / i as f64).ln();
        }
        if 2.0_f64.sqrt() * (i as f64 / n as f64 - 0.5).abs() > bound {
            total += (log_choose - n as f64 * 2.0_f64.ln()).exp();
        }
    }
    total
}

/// How small Theorem 5.1 needs the errors of the moments to be, and how small they are with `n_documents`:
/// `gamma(M, Omega)` of models like those of Section 6.
pub fn perturbation(n_documents: usize, error: f64) -> Claim {
    let gamma = |constants: Constants| {
        let of = |i| {
            let source = SingleTopicSource::uniform(100, 5, seed("theorem 5.1", i));
            Perturbation::new(&source.word_topic, &source.topic_weights, constants)
        };
        median(&(0..N_MODELS).filter_map(of).map(|bound| bound.gamma()).collect::<Vec<_>>())
    };
    let (printed, corrected) = (gamma(Constants::Printed), gamma(Constants::Corrected));
    // Errors fall like the square root of the documents.
    let needed = n_documents as f64 * (error / printed).powi(2);
    Claim::new(
        "Theorem 5.1",
        "when the moments are off by less than gamma(M, Omega), the rows of M are off by little",
        format!(
            "it speaks of no corpus there is: for models like those of Section 6 the median gamma is {printed:.0e} as \
             printed and {corrected:.0e} with its lemmas put right, while the moments of {n_documents} documents are off by \
             {error:.0e}; about {needed:.0e} documents would be needed. Topics are found long before"
        ),
        Verdict::Partly,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceedance_is_the_two_tails_of_a_coin() {
        // Two throws: shares 0, 1/2, 1 with 1/4, 1/2, 1/4; errors sqrt(1/2), 0, sqrt(1/2).
        assert!((exceedance(2, 0.5) - 0.5).abs() < 1e-15);
        assert_eq!(exceedance(2, 0.8), 0.0);
        assert!((exceedance(2, -1.0) - 1.0).abs() < 1e-15);
    }
}
