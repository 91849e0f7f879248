//! Classes through the road a user takes: drawn records, exact moments, laws.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardUniform};

use super::spectral::{Spectral, spectral_classes};
use super::*;
use crate::models::engine::Criterion;
use crate::models::table::{Column, MISSING, Table};

fn yes_no(n_items: usize) -> Vec<Item> {
    let item = |b: usize| Item {
        name: format!("q{b}"),
        kind: ItemKind::Categorical { labels: vec!["no".to_owned(), "yes".to_owned()] },
    };
    (0..n_items).map(item).collect()
}

/// Classes whose probabilities follow a fixed pattern.
fn classes(n_items: usize, n_categories: usize, k: usize) -> ClassParameters {
    let mut probabilities = Vec::new();
    for b in 0..n_items {
        let column = |j: usize| -> Vec<f64> {
            let raw: Vec<f64> = (0..n_categories)
                .map(|i| 0.2 + (((b * 7 + j * 5 + i * 11 + b * j * 3) % 13) as f64) / 6.0)
                .collect();
            let sum: f64 = raw.iter().sum();
            raw.iter().map(|x| x / sum).collect()
        };
        let columns: Vec<Vec<f64>> = (0..k).map(column).collect();
        for i in 0..n_categories {
            columns.iter().for_each(|column| probabilities.push(column[i]));
        }
    }
    let raw: Vec<f64> = (0..k).map(|j| 1.0 + 0.4 * j as f64).collect();
    let sum: f64 = raw.iter().sum();
    let shares = raw.iter().map(|x| x / sum).collect();
    ClassParameters { shares, probabilities, centres: Vec::new(), variances: Vec::new() }
}

fn items(n_items: usize, n_categories: usize) -> Vec<Item> {
    let labels: Vec<String> = (0..n_categories).map(|i| i.to_string()).collect();
    let item = |b: usize| Item {
        name: format!("q{b}"),
        kind: ItemKind::Categorical { labels: labels.clone() },
    };
    (0..n_items).map(item).collect()
}

/// The largest difference of probabilities, classes matched greedily.
fn distance(a: &ClassParameters, b: &ClassParameters) -> f64 {
    let k = a.n_classes();
    let between = |x: usize, y: usize| {
        let pairs = a.probabilities.chunks_exact(k).zip(b.probabilities.chunks_exact(k));
        pairs.map(|(p, q)| (p[x] - q[y]).abs()).fold((a.shares[x] - b.shares[y]).abs(), f64::max)
    };
    let mut free: Vec<usize> = (0..k).collect();
    (0..k)
        .map(|x| {
            let best = (0..free.len())
                .min_by(|&c, &d| between(x, free[c]).total_cmp(&between(x, free[d])))
                .unwrap();
            between(x, free.swap_remove(best))
        })
        .fold(0.0, f64::max)
}

/// Answers drawn from known classes, category numbers row by row.
fn drawn_answers(truth: &ClassParameters, items: &[Item], n: usize, seed: u64) -> Vec<u32> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut falls = |p: Vec<f64>| {
        let mut u: f64 = StandardUniform.sample(&mut generator);
        let place = p.into_iter().position(|share| {
            u -= share;
            u < 0.0
        });
        place.unwrap_or(0)
    };
    let k = truth.n_classes();
    let mut answers = Vec::new();
    for _ in 0..n {
        let j = falls(truth.shares.clone());
        let mut first = 0;
        for item in items {
            let own = (first..first + item.labels().len()).map(|i| truth.probabilities[i * k + j]);
            answers.push(falls(own.collect()) as u32);
            first += item.labels().len();
        }
    }
    answers
}

fn drawn(truth: &ClassParameters, items: Vec<Item>, n: usize, seed: u64) -> Records {
    let answers = drawn_answers(truth, &items, n, seed);
    Records::from_codes(items, &answers, vec![1.0; n])
}

#[test]
fn exact_moments_give_exact_classes() {
    for (n_items, n_categories, k) in [(7, 2, 3), (6, 3, 3)] {
        let truth = classes(n_items, n_categories, k);
        let records = exact_records(items(n_items, n_categories), &truth).unwrap();
        let model = ClassModel::new(records.clone(), 0.0);
        let found = spectral_classes(&records, &model.frequencies, k, Spectral::EXACT).unwrap();
        let error = distance(&truth, &found);
        assert!(error < 1e-8, "{n_items} x {n_categories}: {error:e}");
    }
}

#[test]
fn drawn_classes_are_found_again_within_their_error_bars() {
    let truth = classes(8, 3, 3);
    let records = drawn(&truth, items(8, 3), 3000, 5);
    let found = LatentClass::params(3).fit(&records).unwrap();
    let error = distance(&truth, found.parameters());
    assert!(error < 0.12, "{error}");
    let errors = found.errors().unwrap();
    assert!(errors.probabilities.iter().all(|e| e.is_finite() && *e > 0.0 && *e < 0.2));
    assert!(found.summary().identified == Some(true) && found.summary().effective_classes == 3);
}

#[test]
fn a_search_reaches_at_least_what_the_truth_explains() {
    for seed in 0..6 {
        let truth = classes(7, 2, 3);
        let records = drawn(&truth, yes_no(7), 300, seed);
        let model = ClassModel::new(records.clone(), 0.0);
        let from_truth = crate::models::engine::climb(&model, truth, 5000);
        let found = LatentClass::params(3).prior(0.0).error_bars(false).fit(&records).unwrap();
        assert!(found.summary().objective >= from_truth.objective - 1e-4, "{seed}");
    }
}

#[test]
fn records_items_and_categories_in_another_order_change_nothing_but_rounding() {
    let truth = classes(6, 3, 3);
    let (table, _) = {
        let records = drawn(&truth, items(6, 3), 400, 3);
        LatentClass::params(3).error_bars(false).fit(&records).unwrap().draw(400, 9).unwrap()
    };
    let fit = |table: &Table| {
        let records = Records::from_table(table, &ItemChoice::default()).unwrap();
        LatentClass::params(3).error_bars(false).fit(&records).unwrap().summary().objective
    };
    let renamed = |label: &str| ["c", "a", "b"][label.parse::<usize>().unwrap()].to_owned();
    let turned: Vec<Column> = (table.columns().iter().rev())
        .map(|column| {
            let cells = (0..400).rev().map(|u| column.label(u).map(renamed));
            Column::from_cells(column.name(), cells.collect::<Vec<_>>())
        })
        .collect();
    let (plain, turned) = (fit(&table), fit(&Table::new(turned).unwrap()));
    assert!((plain - turned).abs() < 1e-9 * plain.abs(), "{plain} {turned}");
}

#[test]
fn a_fit_has_the_same_bits_for_any_number_of_threads() {
    let records = drawn(&classes(6, 3, 3), items(6, 3), 3000, 4);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| LatentClass::params(3).fit(&records).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn missing_answers_are_left_open_not_guessed() {
    // Answers removed at random leave the estimates in place, and a record without answers has
    // the shares for its classes.
    let truth = classes(8, 3, 2);
    let mut answers = drawn_answers(&truth, &items(8, 3), 4000, 8);
    for (place, answer) in answers.iter_mut().enumerate() {
        let (u, b) = (place / 8, place % 8);
        if u == 0 || (u * 31 + b * 17 + u * b) % 5 == 0 {
            *answer = MISSING;
        }
    }
    let holes = Records::from_codes(items(8, 3), &answers, vec![1.0; 4000]);
    assert!(holes.n_missing() > 5000);
    let found = LatentClass::params(2).error_bars(false).fit(&holes).unwrap();
    assert!(distance(&truth, found.parameters()) < 0.1);
    let inferred = found.infer(&holes).unwrap();
    assert_eq!(inferred.posterior.row(0), found.parameters().shares);
    assert_eq!(inferred.log_likelihoods[0], 0.0);
}

#[test]
fn a_weight_is_as_good_as_repeating_a_record() {
    let records = drawn(&classes(5, 2, 2), yes_no(5), 200, 2);
    let patterns = Records::with_rows(
        yes_no(5),
        &records
            .rows
            .codes
            .iter()
            .enumerate()
            .map(|(p, c)| c - 2 * (p % 5) as u32)
            .collect::<Vec<_>>(),
        records.weights().to_vec(),
    );
    let fit = |records: &Records| {
        LatentClass::params(2).error_bars(false).fit(records).unwrap().parameters().clone()
    };
    assert_eq!(fit(&records), fit(&patterns));
}

#[test]
fn four_yes_no_items_do_not_identify_three_classes() {
    let records = drawn(&classes(4, 2, 3), yes_no(4), 2000, 1);
    let check = Identifiability::of(&records);
    assert_eq!(check.most_classes, 2);
    assert!(check.objection(3).is_some() && check.objection(2).is_none());
    let found = LatentClass::params(3).error_bars(false).fit(&records).unwrap();
    assert_eq!(found.summary().identified, Some(false));
    let two = LatentClass::params(2).error_bars(false).fit(&records).unwrap();
    assert_eq!(two.summary().identified, Some(true));
}

#[test]
fn the_data_choose_the_number_of_classes_and_one_where_there_is_no_structure() {
    let records = drawn(&classes(10, 3, 3), items(10, 3), 1500, 6);
    let found =
        LatentClass::auto().criterion(Criterion::Aic3).error_bars(false).fit(&records).unwrap();
    assert_eq!(found.n_classes(), 3);
    assert!(found.summary().tried.len() >= 4);
    let nothing = drawn(&classes(8, 2, 1), yes_no(8), 800, 7);
    let one = LatentClass::auto().error_bars(false).fit(&nothing).unwrap();
    assert_eq!(one.n_classes(), 1);
}

#[test]
fn pairs_that_classes_do_not_explain_stand_out() {
    // Two classes that answer all six items differently, and a seventh that repeats the first.
    let mut truth = classes(6, 2, 2);
    for (row, chunk) in truth.probabilities.chunks_exact_mut(2).enumerate() {
        chunk.copy_from_slice(if row % 2 == 0 { &[0.2, 0.8] } else { &[0.8, 0.2] });
    }
    let mut answers: Vec<u32> = Vec::new();
    for (u, own) in drawn_answers(&truth, &yes_no(6), 1500, 3).chunks_exact(6).enumerate() {
        answers.extend(own);
        answers.push(if u % 3 == 0 { (u / 3 % 2) as u32 } else { own[0] });
    }
    let records = Records::from_codes(yes_no(7), &answers, vec![1.0; 1500]);
    let found = LatentClass::params(2).error_bars(false).fit(&records).unwrap();
    let worst = &found.summary().pairs[0];
    assert_eq!((worst.first.as_str(), worst.second.as_str()), ("q0", "q6"));
    assert!(worst.residual > 4.0, "{}", worst.residual);
}

#[test]
fn counts_and_real_numbers_stand_beside_categories() {
    let labels = ["no", "yes"];
    let n = 600;
    let column = |name: &str, cell: &dyn Fn(usize) -> String| {
        Column::from_cells(name, (0..n).map(|u| Some(cell(u))))
    };
    let wave = |u: usize, a: usize| ((u * a) % 97) as f64 / 97.0 - 0.5;
    let table = Table::new(vec![
        column("smokes", &|u| {
            labels[usize::from(u % 2 == 0) ^ usize::from(u % 11 == 0)].to_owned()
        }),
        column("visits", &|u| format!("{}", if u % 2 == 0 { 9 + u % 4 } else { u % 3 })),
        column("weight", &|u| {
            format!("{:.3}", if u % 2 == 0 { 80.0 } else { 60.0 } + 8.0 * wave(u, 31))
        }),
    ])
    .unwrap();
    let choice = ItemChoice {
        counts: vec!["visits".to_owned()],
        real: vec!["weight".to_owned()],
        ..Default::default()
    };
    let records = Records::from_table(&table, &choice).unwrap();
    let found = LatentClass::params(2).fit(&records).unwrap();
    let inferred = found.infer(&records).unwrap().classes();
    assert!((0..n).all(|u| inferred[u] == inferred[u % 2]));
    let heavy = inferred[0];
    let ItemLaw::Real { mean, deviation } = found.law(2, heavy) else { panic!("a real item") };
    assert!((mean.value - 80.0).abs() < 0.5 && deviation.value > 1.0 && mean.error.unwrap() < 1.0);
    let ItemLaw::Count(rate) = found.law(1, heavy) else { panic!("a count") };
    assert!((rate.value - 10.0).abs() < 0.2, "{rate:?}");
}

#[test]
fn a_fit_is_told_to_be_done_when_it_is() {
    let truth = classes(6, 2, 2);
    let records = drawn(&truth, items(6, 2), 400, 3);
    for (bars, least) in [(true, 4), (false, 2)] {
        let progress = std::sync::Mutex::new(Vec::new());
        let watch = |done: usize, of: usize| progress.lock().unwrap().push(done as f64 / of as f64);
        LatentClass::params(2).error_bars(bars).fit_watched(&records, &watch).unwrap();
        let progress = progress.into_inner().unwrap();
        assert!(progress.len() >= least && progress.is_sorted(), "{progress:?}");
        assert_eq!(progress.last(), Some(&1.0));
        // What comes after the search is not yet made when the search ends.
        assert_eq!(progress.iter().filter(|part| **part == 1.0).count() == 1, bars, "{progress:?}");
    }
}
