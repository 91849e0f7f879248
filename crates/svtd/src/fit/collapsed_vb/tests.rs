use super::*;
use crate::fit::profile::Profile;
use crate::synthetic::{LdaSource, Lengths};

fn text(start: &Matrix) -> Prior {
    Prior::of_text(start.n_rows())
}

fn example() -> (Corpus, Matrix) {
    let source = LdaSource::uniform(60, 4, 1.0, 3);
    let corpus = source.draw(120, &Lengths::Uniform(20..=60), 9).0;
    let frequencies = frequencies(&corpus);
    let k = 4;
    let start = Matrix::from_fn(corpus.n_present(), k, |i, j| {
        frequencies[i] * (1.0 + 0.5 * ((i * (j + 2)) as f64).sin())
    });
    (corpus, start)
}

#[test]
fn topics_and_weights_are_distributions_and_mass_is_kept() {
    let (corpus, start) = example();
    let result = polish(&corpus, &start, &text(&start), 5, &|_| {});
    for j in 0..4 {
        let total: f64 = result.word_topic.column(j).iter().sum();
        assert!((total - 1.0).abs() < 1e-9);
    }
    let sums = swept(&corpus, &start, &text(&start), 5, &|_| {});
    let mass: f64 = sums.values().iter().sum();
    assert!((mass / corpus.n_tokens() as f64 - 1.0).abs() < 1e-5, "{mass}");
}

/// The published update, which keeps every responsibility and sees each word's change at once.
fn as_published(corpus: &Corpus, start: &Matrix, prior: &Prior, sweeps: usize) -> Matrix {
    let (rows, n, k) = (corpus.rows(), start.n_rows(), start.n_columns());
    let normalised = |row: Vec<f64>| -> Vec<f64> {
        let total: f64 = row.iter().sum();
        row.iter().map(|v| v / total).collect()
    };
    let mut gamma: Vec<Vec<Vec<f64>>> = (0..rows.n_rows())
        .map(|d| {
            let words = rows.row(d).0.iter();
            words.map(|&i| normalised((0..k).map(|j| start[(i as usize, j)]).collect())).collect()
        })
        .collect();
    let mut sums = Matrix::zeros(n, k);
    for _ in 0..=sweeps {
        sums = Matrix::zeros(n, k);
        for (d, document) in gamma.iter().enumerate() {
            let (features, counts) = rows.row(d);
            for ((&i, &x), g) in features.iter().zip(counts).zip(document) {
                (0..k).for_each(|j| sums[(i as usize, j)] += f64::from(x) * g[j]);
            }
        }
        let totals: Vec<f64> =
            (0..k).map(|j| sums.column(j).iter().sum::<f64>() + prior.strength()).collect();
        let alpha = prior.alpha(&shares(&sums));
        for (d, document) in gamma.iter_mut().enumerate() {
            let (features, counts) = rows.row(d);
            let (mut mixture, mut variance) = (vec![0.0; k], vec![0.0; k]);
            for (&x, g) in counts.iter().zip(document.iter()) {
                (0..k).for_each(|j| mixture[j] += f64::from(x) * g[j]);
                (0..k).for_each(|j| variance[j] += f64::from(x) * g[j] * (1.0 - g[j]));
            }
            for ((&i, &x), g) in features.iter().zip(counts).zip(document) {
                let fresh = (0..k).map(|j| {
                    let word = (sums[(i as usize, j)] - g[j]).max(0.0) + prior.eta[i as usize];
                    let m = mixture[j] - g[j] + alpha[j];
                    let v = match prior.order {
                        Order::Zeroth => 0.0,
                        Order::Second => variance[j] - g[j] * (1.0 - g[j]),
                    };
                    word / (totals[j] - g[j]) * m / (1.0 + v.max(0.0) / (2.0 * m * m))
                });
                let fresh = normalised(fresh.collect());
                for j in 0..k {
                    let (new, old) = (fresh[j], g[j]);
                    mixture[j] += f64::from(x) * (new - old);
                    variance[j] += f64::from(x) * (new * (1.0 - new) - old * (1.0 - old));
                }
                *g = fresh;
            }
        }
    }
    sums
}

/// The update that excludes nothing.
fn without_exclusion(corpus: &Corpus, start: &Matrix, prior: &Prior, sweeps: usize) -> Matrix {
    let alpha = prior.alpha(&[0.25; 4]);
    let mut profile = Profile::new(corpus, start, &alpha, prior.order);
    let sums = |profile: &Profile<'_>, topics: &Matrix| {
        let mut sums = profile.sums(None);
        sums.values_mut().iter_mut().zip(topics.values()).for_each(|(sum, topic)| *sum *= topic);
        sums
    };
    let mut topics = start.clone();
    for _ in 0..sweeps {
        profile.settle();
        topics = smoothed(&sums(&profile, &topics), &prior.eta);
        profile.set_topics(&topics);
    }
    profile.settle();
    sums(&profile, &topics)
}

#[test]
fn the_sweeps_end_near_where_the_published_update_does() {
    let (corpus, start) = example();
    for prior in [text(&start), Prior::of_model(&corpus, 1.0, 4)] {
        let published = smoothed(&as_published(&corpus, &start, &prior, 300), &prior.eta);
        let distance = |sums: Matrix| -> f64 {
            let values = smoothed(&sums, &prior.eta);
            let pairs = values.values().iter().zip(published.values());
            pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 4.0
        };
        let ours = distance(swept(&corpus, &start, &prior, 300, &|_| {}));
        let plain = distance(without_exclusion(&corpus, &start, &prior, 300));
        assert!(ours < 0.1 && ours < 0.5 * plain, "{ours}, excluding nothing {plain}: {prior:?}");
    }
}

#[test]
fn where_documents_follow_the_model_the_variance_of_mixtures_counts() {
    // Swept from the truth itself: what is far from it in the end is the sweeps' doing.
    let mut means = [0.0; 2];
    for seed in 0..4 {
        let source = LdaSource::zipf(300, 5, 5.0, 300.0, 1.0, seed);
        let corpus = source.draw(4000, &Lengths::Uniform(20..=60), seed + 50).0;
        let words = &corpus.word_of_feature()[..corpus.n_present()];
        let truth =
            Matrix::from_fn(words.len(), 5, |i, j| source.word_topic[(words[i] as usize, j)]);
        let second = Prior::of_model(&corpus, 1.0, 5);
        let mut zeroth = second.clone();
        zeroth.order = Order::Zeroth;
        for (mean, prior) in means.iter_mut().zip([second, zeroth]) {
            let swept = polish(&corpus, &truth, &prior, SWEEPS, &|_| {}).word_topic;
            let pairs = swept.values().iter().zip(truth.values());
            *mean += pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 20.0;
        }
    }
    assert!(means[0] < 0.85 * means[1], "{means:?}");
}

#[test]
fn topics_that_nobody_needs_change_nothing_however_many_there_are() {
    // The same topics, followed by topics without words: more than there are registers.
    let (corpus, start) = example();
    let wide = |k: usize| {
        Matrix::from_fn(start.n_rows(), k, |i, j| if j < 4 { start[(i, j)] } else { 0.0 })
    };
    let alone = warmed_up(&corpus, &start);
    for k in [40, 120, 200] {
        let among = warmed_up(&corpus, &wide(k));
        for j in 0..4 {
            for (a, b) in among.column(j).iter().zip(alone.column(j)) {
                assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "k = {k}: {a} and {b}");
            }
        }
    }
}

#[test]
fn padding_and_the_registers_that_go_with_it_change_no_bit() {
    let (corpus, start) = example();
    for (k, widths) in [(4, [8, 16, 24]), (20, [24, 32, 40]), (50, [56, 64, 80])] {
        let start = Matrix::from_fn(start.n_rows(), k, |i, j| {
            start[(i, j % 4)] * (1.0 + 0.3 * ((i + 3) as f64 * j as f64).cos())
        });
        for prior in [text(&start), Prior::of_model(&corpus, 1.0, k)] {
            let [narrow, wide, wider] =
                widths.map(|width| swept_in_rows(&corpus, &start, &prior, 3, width, &|_| {}));
            assert_eq!(narrow.values(), wide.values(), "{k} topics, {prior:?}");
            assert_eq!(narrow.values(), wider.values(), "{k} topics, {prior:?}");
        }
    }
}

/// The sums after the passes with fixed topics.
fn warmed_up(corpus: &Corpus, start: &Matrix) -> Matrix {
    swept(corpus, start, &text(start), 0, &|_| {})
}

#[test]
fn short_documents_keep_their_mass() {
    let mut builder = Corpus::builder(4);
    for d in 0..40 {
        let words = [(d % 4, 1), ((d + 2) % 4, 1)];
        builder.push_document(words[..1 + d as usize % 2].iter().copied()).unwrap();
    }
    let corpus = builder.build().unwrap();
    let start = Matrix::from_fn(4, 2, |i, j| if i % 2 == j { 0.4 } else { 0.1 });
    let sums = swept(&corpus, &start, &text(&start), 20, &|_| {});
    let mass: f64 = sums.values().iter().sum();
    assert!((mass - 60.0).abs() < 1e-3, "{mass}");
}
