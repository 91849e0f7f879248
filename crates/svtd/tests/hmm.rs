//! Hidden Markov models through the public API: published answers, laws, bad input.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::PathBuf;

use svtd::models::hmm::{Emissions, Hmm, InitialLaw, Sequences};

/// Columns of a published table by their names, or `None` without the data folder.
fn columns(name: &str, wanted: &[&str]) -> Option<Vec<f64>> {
    let folder = PathBuf::from(std::env::var_os("SVTD_DATA")?);
    let text = std::fs::read_to_string(folder.join("models").join(name)).ok()?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split(',').map(|h| h.trim_matches('"')).collect();
    let places: Vec<usize> =
        wanted.iter().map(|w| header.iter().position(|h| h == w)).collect::<Option<_>>()?;
    let mut values = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        values
            .extend(places.iter().map(|&p| cells[p].trim_matches('"').parse().unwrap_or(f64::NAN)));
    }
    Some(values)
}

fn fitted(emissions: Emissions, d: usize, values: &[f64], k: usize) -> Hmm {
    let n = values.len() / d;
    let sequences = Sequences::new(emissions, d, values.to_vec(), vec![n]).unwrap();
    Hmm::params(k).prior(0.0).error_bars(false).fit(&sequences).unwrap()
}

#[test]
fn earthquakes_are_found_as_published() {
    let Some(counts) = columns("earthquakes.csv", &["count"]) else {
        eprintln!("skipped: SVTD_DATA is not set");
        return;
    };
    for (k, published) in [(2, -341.8787), (3, -328.5275), (4, -326.285), (5, -324.105)] {
        let model = fitted(Emissions::Poisson, 1, &counts, k);
        let reached = model.record().criteria.log_likelihood;
        assert!(reached > published - 5e-4, "k = {k}: {reached} {:?}", model.record().starts);
        if k < 4 {
            assert!((reached - published).abs() < 1e-4, "k = {k}: {reached}");
        }
    }
    let two = fitted(Emissions::Poisson, 1, &counts, 2);
    assert!((two.emission(0)[0] - 15.42).abs() < 5e-3 && (two.emission(1)[0] - 26.02).abs() < 5e-3);
}

#[test]
fn the_geyser_in_sequence_is_found_as_published() {
    let Some(waiting) = columns("geyser.csv", &["waiting"]) else {
        eprintln!("skipped: SVTD_DATA is not set");
        return;
    };
    for (k, published) in [(2, -1092.400), (3, -1050.326), (4, -1037.763)] {
        let reached = fitted(Emissions::Gaussian, 1, &waiting, k).record().criteria.log_likelihood;
        assert!((reached - published).abs() < 6e-4, "k = {k}: {reached}");
    }
    let both = columns("geyser.csv", &["waiting", "duration"]).unwrap();
    let reached = fitted(Emissions::Gaussian, 2, &both, 2).record().criteria.log_likelihood;
    assert!((reached + 1360.063).abs() < 6e-4, "{reached}");
}

/// Symbols of a chain that persists, the same on every run.
fn symbols(n: usize) -> Vec<f64> {
    let mut state = 0_usize;
    let mut seed = 12345_u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n)
        .map(|_| {
            if uniform() < 0.1 {
                state = 1 - state;
            }
            let u = uniform();
            let law = [[0.6, 0.9, 0.95], [0.1, 0.2, 0.5]][state];
            law.iter().filter(|p| u > **p).count() as f64
        })
        .collect()
}

#[test]
fn a_chain_is_found_again_with_missing_observations_and_many_sequences() {
    let mut values = symbols(3000);
    for t in (0..3000).step_by(11) {
        values[t] = f64::NAN;
    }
    let sequences = Sequences::new(Emissions::Categorical, 1, values, vec![100; 30]).unwrap();
    let model = Hmm::params(2).fit(&sequences).unwrap();
    let first = (0..2).find(|&j| model.emission(j)[0] > 0.4).unwrap();
    assert!((model.emission(first)[0] - 0.6).abs() < 0.06, "{:?}", model.emission(first));
    assert!((model.transitions()[(first, first)] - 0.9).abs() < 0.04);
    let bars = model.error_bars().unwrap();
    assert!(bars.transitions.values().iter().all(|e| *e > 0.0 && *e < 0.1));
    assert!(bars.dwell_times.iter().all(|e| e.is_finite()));
    let (posterior, scores) = model.posterior(&sequences, InitialLaw::Auto).unwrap();
    for t in 0..3000 {
        assert!((posterior[(t, 0)] + posterior[(t, 1)] - 1.0).abs() < 1e-9);
    }
    let total: f64 = scores.iter().sum();
    assert!((total - model.record().criteria.log_likelihood).abs() < 1e-6);
    let (path, _) = model.decode(&sequences, InitialLaw::Auto).unwrap();
    let agree = (0..3000).filter(|&t| posterior[(t, path[t])] > 0.5).count();
    assert!(agree > 2700, "{agree}");
}

#[test]
fn a_fit_ends_no_lower_than_a_sweep() {
    let mut seed = 77_u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Eight short series of counts with three rates.
    for series in 0..8 {
        let (mut rate, mut counts) = (4.0, Vec::new());
        for _ in 0..60 + 10 * series {
            if uniform() < 0.2 {
                rate = [4.0, 11.0, 23.0][(3.0 * uniform()) as usize];
            }
            counts.push((rate * (0.6 + 0.8 * uniform())).round());
        }
        let n = counts.len();
        let sequences = Sequences::new(Emissions::Poisson, 1, counts, vec![n]).unwrap();
        let params = |k| Hmm::params(k).prior(0.0).error_bars(false);
        for (k, criteria) in params(1).sweep(&sequences, 5).unwrap() {
            let own = params(k).fit(&sequences).unwrap().record().criteria.log_likelihood;
            let other = criteria.log_likelihood;
            assert!(own > other - 1e-3, "series {series}, k {k}: {own} {other}");
        }
    }
}

#[test]
fn one_thread_and_three_give_equal_bits() {
    let values = symbols(30_000);
    let sequences = Sequences::new(Emissions::Categorical, 1, values, vec![3000; 10]).unwrap();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Hmm::params(2).fit(&sequences).unwrap())
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.transitions(), three.transitions());
    assert_eq!(one.error_bars(), three.error_bars());
    assert_eq!(one.record().criteria, three.record().criteria);
}

#[test]
fn counts_of_symbols_are_learned_from_windows_of_the_same_chain() {
    let values = symbols(6000);
    let counts: Vec<f64> = values
        .chunks(3)
        .flat_map(|window| (0..4).map(|s| window.iter().filter(|x| **x == s as f64).count() as f64))
        .collect();
    let sequences = Sequences::new(Emissions::Multinomial, 4, counts, vec![2000]).unwrap();
    let model = Hmm::params(2).fit(&sequences).unwrap();
    for j in 0..2 {
        assert!((model.emission(j).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(model.emission(0)[0].max(model.emission(1)[0]) > 0.45);
    let (drawn, states) = model.sample(50, 3, 7);
    assert_eq!((drawn.len(), states.len()), (200, 50));
    assert!(drawn.chunks(4).all(|row| row.iter().sum::<f64>() == 7.0));
}

#[test]
fn a_forecast_goes_to_the_stationary_law() {
    let sequences = Sequences::new(Emissions::Categorical, 1, symbols(2000), vec![2000]).unwrap();
    let model = Hmm::params(2).error_bars(false).fit(&sequences).unwrap();
    let ahead = &model.forecast(&sequences, 200, InitialLaw::Auto).unwrap()[0];
    for (j, p) in model.stationary().iter().enumerate() {
        assert!((ahead.states[(199, j)] - p).abs() < 1e-6);
    }
    let sum: f64 = (0..4).map(|c| ahead.expected[(0, c)]).sum();
    assert!((sum - 1.0).abs() < 1e-9);
}

#[test]
fn bad_sequences_are_refused_in_one_sentence() {
    let said = |emissions, values: Vec<f64>, lengths: Vec<usize>| match Sequences::new(
        emissions, 1, values, lengths,
    ) {
        Err(error) => error.to_string(),
        Ok(sequences) => Hmm::params(2).fit(&sequences).unwrap_err().to_string(),
    };
    let ones = said(Emissions::Categorical, vec![0.0, 1.0, 0.0], vec![1, 1, 1]);
    assert!(ones.starts_with("every sequence has length 1"), "{ones}");
    let constant = said(Emissions::Categorical, vec![1.0; 9], vec![9]);
    assert!(constant.contains("has one category only"), "{constant}");
    let half = said(Emissions::Poisson, vec![1.0, 2.5], vec![2]);
    assert_eq!(half, "step 2 has 2.5 for variable x1; poisson emissions need a count");
    let lengths = said(Emissions::Gaussian, vec![1.0, 2.0], vec![3]);
    assert!(lengths.starts_with("the lengths of the sequences sum to 3"), "{lengths}");
    let missing = said(Emissions::Gaussian, vec![f64::NAN; 4], vec![4]);
    assert_eq!(missing, "variable x1 was never observed; leave it out");
    let infinite = said(Emissions::Gaussian, vec![1.0, f64::INFINITY], vec![2]);
    assert!(infinite.contains("need a finite number"), "{infinite}");
    let learned = Sequences::new(Emissions::Categorical, 1, symbols(300), vec![300]).unwrap();
    let model = Hmm::params(2).error_bars(false).fit(&learned).unwrap();
    let unseen = Sequences::new(Emissions::Categorical, 1, vec![0.0, 9.0], vec![2]).unwrap();
    let error = model.score(&unseen, InitialLaw::Auto).unwrap_err().to_string();
    assert!(error.contains("which the model has never seen"), "{error}");
}
