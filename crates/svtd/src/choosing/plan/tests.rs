//! Predictions against drawn documents and series.

use super::prediction::deviation;
use super::*;
use crate::linalg::positive_inverse;

#[test]
fn a_poisson_number_deviates_as_the_series_says() {
    for mean in [0.01, 0.5, 1.0, 3.7, 20.0] {
        let mut probability = f64::exp(-mean);
        let mut sum = 0.0;
        for x in 0..200 {
            sum += probability * (f64::from(x) - mean).abs();
            probability *= mean / f64::from(x + 1);
        }
        assert!((deviation(mean) - sum).abs() < 1e-10, "{mean}");
    }
    assert!((deviation(1000.1) / deviation(999.9) - 1.0).abs() < 1e-3);
}

#[test]
fn more_documents_are_needed_for_more_accuracy_and_for_the_rarest_topic() {
    for kind in Kind::ALL {
        let source = PlanSource::zipf([300, 5], 50, kind, None).unwrap();
        let (rough, fine) = (source.plan(0.4).unwrap(), source.plan(0.1).unwrap());
        let ratio = fine.n_documents.unwrap() / rough.n_documents.unwrap();
        assert!(ratio > 4.0 && ratio < 40.0, "{ratio}");
        assert!(fine.n_documents_every_topic.unwrap() >= fine.n_documents.unwrap());
        let n = fine.n_documents.unwrap();
        assert!(source.expected_error(n).unwrap() <= 0.1);
        assert!(source.expected_error(0.9 * n).unwrap() > 0.1);
        assert!(fine.pair_bound.unwrap() > 5.0 * fine.pair_noise.unwrap(), "bounds are loose");
        assert!(fine.n_documents_guaranteed.unwrap() > n);
        match kind {
            Kind::Lda => assert!(fine.theorem_5_1.is_none(), "it does not speak of mixtures"),
            Kind::SingleTopic => {
                let reach = fine.theorem_5_1.unwrap();
                assert!(reach.gamma < 1e-6 && reach.n_documents > 1e12, "{reach:?}");
                let one = DeviationBound::triples(&[50], 0.0, DELTA).corrected;
                assert!(one / reach.n_documents.sqrt() <= reach.gamma * (1.0 + 1e-9));
            }
        }
    }
}

/// The closed form against what drawn documents give.
#[test]
fn the_noise_along_a_direction_is_that_of_drawn_documents() {
    let source = PlanSource::zipf([60, 3], 40, Kind::Lda, Some(1.0)).unwrap();
    let spreads = source.spreads().unwrap();
    let first: Vec<f64> = (0..60)
        .map(|i| (0..3).map(|j| source.weights[j] * source.word_topic[(i, j)]).sum())
        .collect();
    let mut scaled = source.word_topic.clone();
    scaled.scale_rows(&first.iter().map(|m1| 1.0 / (m1 + 1.0 / 60.0)).collect::<Vec<f64>>());
    let gram = source.word_topic.transpose_times(&scaled);
    let dual = scaled.times(&positive_inverse(&gram).unwrap());
    let (corpus, mixtures) = source.lda().draw(20_000, &Lengths::Fixed(40), 9);
    for (j, spread) in spreads.iter().enumerate() {
        let b = dual.column(j);
        for l in 0..3 {
            let own = dot(source.word_topic.column(l), b);
            let (mut sum, mut weight) = (0.0, 0.0);
            for d in 0..corpus.n_documents() {
                let words = corpus.document(d).words();
                let all: f64 = words.map(|(word, x)| f64::from(x) * b[word as usize]).sum();
                let t = (all - own) / (40.0 * 39.0) - 0.5 * dot(&first, b) / 40.0;
                sum += mixtures[(d, l)] * t * t;
                weight += mixtures[(d, l)];
            }
            let ratio = spread.squares[l] / (sum / weight);
            assert!((ratio - 1.0).abs() < 0.05, "{j} {l}: {ratio}");
        }
    }
}

#[test]
fn the_length_of_documents_does_not_slow_a_plan_down() {
    for length in [100_000, 1_000_000, u32::MAX] {
        let plan = PlanSource::zipf([300, 5], length, Kind::Lda, None).unwrap().plan(0.1).unwrap();
        assert!(plan.n_documents.unwrap() >= 1.0);
        assert!(plan.curve.iter().all(|(_, error)| error.is_finite()));
    }
}

#[test]
fn nonsense_is_refused() {
    let zipf = |sizes, length| PlanSource::zipf(sizes, length, Kind::SingleTopic, None);
    assert!(zipf([3, 5], 50).is_err());
    assert!(zipf([300, 5], 2).is_err());
    assert!(zipf([300, 5], 50).unwrap().plan(2.5).is_err());
    assert!(zipf([300, 5], 50).unwrap().plan(f64::NAN).is_err());
    let mixed = PlanSource::zipf([300, 5], 50, Kind::SingleTopic, Some(1.0));
    assert!(matches!(mixed, Err(Error::NoMixtures)));
}
