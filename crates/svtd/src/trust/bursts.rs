//! Words that come in bursts, and how far they move the topics of LDA apart.
//!
//! In text a word that occurs once is likely to occur again (overdispersion). The sweeps of LDA on
//! text ignore that, and they use only the mean of a mixture (CVB0). Both move topics apart: each
//! topic differs too much from the others, and mixtures come out more even than they are. More
//! documents do not help.
//!
//! *How bursty* documents are shows in pairs of words. In a document whose words are Dirichlet-multinomial around
//! its mixture of topics, with concentration `c`, the next word repeats one of the `t` before it with probability
//! `t / (c + t)`. With `q` the probability that two words of a document coincide, given its mixture,
//!
//! ```text
//! 1 / (c + 1) = (seen - q) / (1 - q)
//! ```
//!
//! `q` is counted in documents drawn from the fitted topics without bursts, each in place of a real one.
//!
//! *How far* topics are moved is measured on the documents themselves, without the bursts. Of a word with
//! probability `p` in a document, the occurrence that follows `t` others was new, not a repetition, with
//! probability `c p / (c p + t)`. The new ones alone follow the model, so they get the passes
//! of the fit, ten at most, with the variance of mixtures (Teh, Newman and Welling 2007), beginning at the fitted topics. Where
//! these passes end, topics are nearly those that the documents came from: the part of the move that is a
//! combination of topics is counted into the bars. The rest of the move is chance.
//!
//! # Departure
//! Documents drawn from the fitted topics do not show this: those topics are apart already, and show a third of it
//! at most (`benches/record/calibration.md`).
//!
//! # Same bits
//! What is left out follows the content of a document, with a fixed seed.
//!
//! # Cost
//! As for [`drift`](super::drift): the documents have fewer words, but second-order sweeps take
//! longer.

use super::simulation::{Simulation, add_squares, along_topics};
use crate::corpus::Corpus;
use crate::linalg::Matrix;
use crate::questions::Order;

/// The part of the documents used, real or drawn, in which pairs of words are counted
/// (`benches/record/constants.md`).
const COUNTED: f64 = 0.125;

/// The concentration of the bursts of words; `None` if documents repeat no more words than the topics explain.
pub(super) fn concentration(simulation: &Simulation<'_>) -> Option<f64> {
    let real = simulation.corpus.part(simulation.range(COUNTED)).0;
    let seen = coincidence(&real)?;
    let expected = coincidence(&simulation.documents(COUNTED, None, None))?;
    let again = (seen - expected) / (1.0 - expected);
    (again > 0.0).then(|| 1.0 / again - 1.0).filter(|c| *c > 0.0)
}

/// The probability that two words of a document coincide; `None` without pairs.
fn coincidence(corpus: &Corpus) -> Option<f64> {
    let (facts, tokens) = (corpus.facts(), u128::from(corpus.n_tokens()));
    let pairs = facts.squared_lengths - tokens;
    (pairs > 0).then(|| (facts.squared_counts - tokens) as f64 / pairs as f64)
}

/// Widens `errors` by how far bursts of this concentration move topics apart.
pub(super) fn widen(simulation: &Simulation<'_>, concentration: f64, errors: &mut Matrix) {
    let documents = simulation.documents(1.0, None, Some(concentration));
    let moved = simulation.moved(&documents, Order::Second);
    add_squares(errors, &along_topics(&documents, &moved, simulation.end.word_topic));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::collapsed_vb::Prior;
    use crate::questions::{Redraw, Settling};
    use crate::synthetic::{LdaSource, Lengths};
    use crate::trust::T_FACTOR;
    use crate::trust::end::End;
    use crate::trust::settled::Settled;
    use crate::{Lda, evaluation};

    const K: usize = 5;

    fn source() -> LdaSource {
        LdaSource::zipf(400, K, 5.0, 300.0, 0.5, 3)
    }

    fn of_features(corpus: &Corpus, word_topic: &Matrix) -> Matrix {
        let words = &corpus.word_of_feature()[..corpus.n_present()];
        Matrix::from_fn(words.len(), K, |i, j| word_topic[(words[i] as usize, j)])
    }

    /// The concentration that is found with these topics.
    fn found(corpus: &Corpus, word_topic: &Matrix) -> Option<f64> {
        let prior = Prior::of_text(corpus.n_present());
        let (topics, weights) = (of_features(corpus, word_topic), [1.0 / K as f64; K]);
        let end = End { word_topic: &topics, topic_weights: &weights, prior: &prior };
        let settled = &Settled::new(corpus, end.settling());
        concentration(&Simulation { corpus, end: &end, sweeps: 1, settled })
    }

    #[test]
    fn the_concentration_of_bursts_is_found_and_thinning_takes_them_away() {
        let source = source();
        for truth in [50.0, 200.0] {
            let corpus = source.draw_bursty(1500, &Lengths::Fixed(80), truth, 4).into_key_order();
            let c = found(&corpus, &source.word_topic).unwrap();
            assert!((c / truth - 1.0).abs() < 0.25, "{c} for {truth}");
            let topics = of_features(&corpus, &source.word_topic);
            let settling = Settling::new(topics, vec![0.1; K], Order::Zeroth);
            let redraw = Redraw { settling, believed: None, longest: 1000, thinned: Some(c) };
            let thinned = redraw.of(&corpus);
            assert_eq!(thinned.n_nonzeros(), corpus.n_nonzeros(), "every word was new once");
            // Words of the thinned corpus are the features of the first.
            let words = &corpus.word_of_feature()[..corpus.n_present()];
            let over =
                Matrix::from_fn(words.len(), K, |i, j| source.word_topic[(words[i] as usize, j)]);
            let left = found(&thinned.into_key_order(), &over);
            assert!(left.is_none_or(|left| left > 5.0 * truth), "{left:?} left of {truth}");
        }
    }

    #[test]
    fn no_bursts_are_found_where_there_are_none() {
        let source = source();
        let corpus = source.draw(1500, &Lengths::Fixed(80), 4).0.into_key_order();
        let c = found(&corpus, &source.word_topic);
        // Mixtures are found a little more even than they are, which looks like very weak bursts.
        assert!(c.is_none_or(|c| c > 1000.0), "{c:?}");
    }

    #[test]
    fn bars_cover_topics_whose_words_come_in_bursts() {
        let source = source();
        let corpus = source.draw_bursty(2500, &Lengths::Fixed(100), 60.0, 4);
        let model = Lda::params(K).fit(&corpus).unwrap();
        let (topics, truth) = (model.topics(), &source.word_topic);
        let (mut covered, mut entries) = (0.0, 0.0);
        for (a, b) in evaluation::match_topics(truth, topics.word_topic()).iter().enumerate() {
            let b = b.unwrap();
            for (i, &p) in truth.column(a).iter().enumerate().filter(|(_, p)| **p > 2e-3) {
                let off = (topics.word_topic()[(i, b)] - p).abs();
                entries += 1.0;
                covered += f64::from(u8::from(off <= T_FACTOR * topics.errors().unwrap()[(i, b)]));
            }
        }
        assert!((0.88..0.99).contains(&(covered / entries)), "{covered} of {entries}");
    }
}
