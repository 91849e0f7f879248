//! A model of records is a function of the set of records: the bytes of its file do not depend on the order of the
//! rows, including error bars and which groups are found again. Nor does what it tells depend on the order of the
//! columns, in which it is shown.

#![allow(clippy::unwrap_used, reason = "a test may")]

use svtd::models::classes::{Item, ItemChoice, LatentClass, Records};
use svtd::models::gaussian::{Covariance, GaussianMixture, Points};
use svtd::models::hmm::{Hmm, SequenceColumns};
use svtd::models::learned::{Cells, Learned};
use svtd::models::raters::{RaterColumns, Raters, Ratings};
use svtd::models::saved;
use svtd::models::table::{Column, Table};

/// Numbers between 0 and 1, the same on every run.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// Rows with a header, missing cells empty.
type Rows = Vec<Vec<String>>;

fn table(header: &[&str], rows: &Rows) -> Table {
    let column = |(at, name): (usize, &&str)| {
        let cells = rows.iter().map(|row| (!row[at].is_empty()).then_some(row[at].as_str()));
        Column::from_cells(*name, cells)
    };
    Table::new(header.iter().enumerate().map(column).collect()).unwrap()
}

fn file(model: &dyn Learned, table: &Table) -> Vec<u8> {
    saved::container(model, &table.digest()).unwrap().to_bytes().unwrap()
}

/// The same file for rows as they are, turned round, sorted and mixed up.
fn same_bytes(header: &[&str], rows: &Rows, fit: impl Fn(&Table) -> Vec<u8>) {
    let expected = fit(&table(header, rows));
    let mut turned = rows.clone();
    turned.reverse();
    let mut sorted = rows.clone();
    sorted.sort();
    let mut mixed_up = rows.clone();
    let mut next = uniform(99);
    for i in (1..rows.len()).rev() {
        mixed_up.swap(i, (next() * (i + 1) as f64) as usize);
    }
    for (order, rows) in [("turned", turned), ("sorted", sorted), ("mixed up", mixed_up)] {
        assert!(fit(&table(header, &rows)) == expected, "rows that are {order} give another file");
    }
}

/// What a model tells, whatever the order of its columns: the rows of its tables, sorted. Numbers are rounded, as
/// covariances are symmetric but for their last bits.
fn told(model: &dyn Learned) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for listing in model.listings() {
        let cell = |cells: &Cells, row: usize| match cells {
            Cells::Text(cells) => cells[row].clone(),
            Cells::Whole(cells) => cells[row].to_string(),
            Cells::Real(cells) => cells[row].map_or("none".to_owned(), |x| format!("{x:.9}")),
        };
        for row in 0..listing.n_rows() {
            // Sorted too: of two variables either may be the first.
            let mut cells: Vec<String> =
                listing.columns.iter().map(|(_, cells)| cell(cells, row)).collect();
            cells.sort();
            cells.push(listing.name.to_owned());
            all.push(cells);
        }
    }
    all.push(vec![format!("{:.9}", model.log_likelihood())]);
    all.sort();
    all
}

/// The same model for columns as they are, turned round and rotated, and nothing that differs between them.
fn same_columns<M: Learned>(header: &[&str], rows: &Rows, fit: impl Fn(&Table) -> M) {
    let records = table(header, rows);
    let expected = fit(&records);
    let turned: Vec<usize> = (0..header.len()).rev().collect();
    let rotated: Vec<usize> = (0..header.len()).map(|at| (at + 1) % header.len()).collect();
    for order in [turned, rotated] {
        let other_header: Vec<&str> = order.iter().map(|&at| header[at]).collect();
        let move_cells = |row: &Vec<String>| order.iter().map(|&at| row[at].clone()).collect();
        let moved = table(&other_header, &rows.iter().map(move_cells).collect());
        assert_eq!(records.digest(), moved.digest(), "columns {other_header:?}");
        let other = fit(&moved);
        assert_eq!(told(&expected), told(&other), "columns {other_header:?}");
        let difference = expected.compare(&other).unwrap();
        let is_distance = |(name, _): &&(String, Cells)| name == "distance";
        let distances = &difference.columns.iter().find(is_distance).unwrap().1;
        let all_zero = match distances {
            Cells::Real(cells) => cells.iter().all(|d| d.is_some_and(|d| d < 1e-9)),
            _ => false,
        };
        assert!(all_zero, "{distances:?}");
    }
}

/// Two kinds of people, five questions, a number and a count; some cells empty, weights of all sizes.
fn survey(weight: impl Fn(f64) -> String) -> Rows {
    let mut next = uniform(7);
    let person = |_| {
        let kind = next() < 0.4;
        let mut row: Rows = Vec::new();
        let mut cells: Vec<String> = Vec::new();
        for _ in 0..5 {
            let answer = if next() < if kind { 0.85 } else { 0.2 } { "yes" } else { "no" };
            cells.push(if next() < 0.1 { String::new() } else { answer.to_owned() });
        }
        cells.push(format!("{:.1}", next() + next() + if kind { 1.5 } else { 0.0 }));
        cells.push(format!("{}", (next() * if kind { 9.0 } else { 4.0 }) as u32));
        cells.push(weight(next()));
        row.push(cells);
        row.remove(0)
    };
    (0..240).map(person).collect()
}

const QUESTIONS: [&str; 8] = ["q1", "q2", "q3", "q4", "q5", "height", "visits", "w"];

#[test]
fn latent_classes() {
    let fit = |choice: &ItemChoice, table: &Table| {
        let records = Records::from_table(table, choice).unwrap();
        file(&LatentClass::params(2).fit(&records).unwrap(), table)
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let plain = ItemChoice { items: names(&QUESTIONS[..5]), ..Default::default() };
    let rows = survey(|_| "1".to_owned());
    same_bytes(&QUESTIONS, &rows, |table| fit(&plain, table));
    let mixed_types = ItemChoice {
        items: names(&QUESTIONS[..7]),
        counts: names(&["visits"]),
        weights: Some("w".to_owned()),
        ..Default::default()
    };
    same_bytes(&QUESTIONS, &survey(|u| format!("{:.2}", 0.1 + u)), |t| fit(&mixed_types, t));
    same_bytes(&QUESTIONS, &survey(|u| format!("{}", (4.0 * u) as u32)), |t| fit(&mixed_types, t));
}

#[test]
fn latent_classes_with_columns_in_another_order() {
    let header = &QUESTIONS[..7];
    let mut rows = survey(|_| "1".to_owned());
    rows.iter_mut().for_each(|row| row.truncate(7));
    same_columns(header, &rows, |table| {
        let choice = ItemChoice { counts: vec!["visits".to_owned()], ..Default::default() };
        let records = Records::from_table(table, &choice).unwrap();
        let model = LatentClass::params(2).fit(&records).unwrap();
        // Shown, and asked about records, in the order of the user.
        let names = |items: &[Item]| items.iter().map(|i| i.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(model.items()), names(records.items()));
        assert!(model.infer(&records).is_ok());
        model
    });
}

#[test]
fn a_table_of_patterns_with_counts_has_the_error_bars_of_its_records() {
    let mut rows = survey(|_| "1".to_owned());
    rows.iter_mut().for_each(|row| row.truncate(5));
    let mut counted: std::collections::BTreeMap<Vec<String>, usize> = Default::default();
    rows.iter().for_each(|row| *counted.entry(row.clone()).or_default() += 1);
    let patterns: Rows = counted
        .into_iter()
        .map(|(row, count)| row.into_iter().chain([count.to_string()]).collect())
        .collect();
    let fit = |table: &Table, weights: Option<String>| {
        let choice = ItemChoice { weights, ..Default::default() };
        LatentClass::params(2).fit(&Records::from_table(table, &choice).unwrap()).unwrap()
    };
    let header = ["q1", "q2", "q3", "q4", "q5", "n"];
    let one = fit(&table(&header[..5], &rows), None);
    let other = fit(&table(&header, &patterns), Some("n".to_owned()));
    assert_eq!(one.share(0), other.share(0));
    assert!(one.share(0).error.is_some_and(|error| error > 0.0));
}

#[test]
fn gaussian_mixtures() {
    let mut next = uniform(3);
    let point = |_| {
        let centre = if next() < 0.3 { 4.0 } else { 0.0 };
        let x = next() + next() + next() + centre;
        let y = next() + next() - 0.5 * centre;
        // Rounded, so that some points are there twice.
        let missing = next() < 0.05;
        let y = if missing { String::new() } else { format!("{y:.0}") };
        vec![
            format!("{x:.1}"),
            y,
            format!("{:.2}", 0.5 + next()),
            format!("{}", 1 + (3.0 * next()) as u32),
        ]
    };
    let rows: Rows = (0..260).map(point).collect();
    let header = ["x", "y", "w", "n"];
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        for weights in [None, Some("w"), Some("n")] {
            let fit = |table: &Table| {
                let variables = ["x".to_owned(), "y".to_owned()];
                let points = Points::from_table(table, &variables, weights).unwrap();
                let params = GaussianMixture::params(2).covariance(covariance);
                file(&params.fit(&points).unwrap(), table)
            };
            same_bytes(&header, &rows, fit);
        }
    }
}

#[test]
fn gaussian_mixtures_with_columns_in_another_order() {
    let mut next = uniform(17);
    let mut point = |_| {
        let centre = if next() < 0.4 { 2.0 } else { 0.0 };
        let x = next() + next() + centre;
        let y = next() + next() - 0.7 * centre + 0.3 * x;
        vec![format!("{x:.2}"), format!("{y:.2}"), format!("{:.2}", next() + next())]
    };
    let rows: Rows = (0..200).map(&mut point).collect();
    for covariance in [Covariance::Full, Covariance::Tied, Covariance::Diagonal] {
        same_columns(&["width", "height", "x10"], &rows, |table| {
            let points = Points::from_table(table, &[], None).unwrap();
            let model = GaussianMixture::params(2).covariance(covariance).fit(&points).unwrap();
            assert_eq!(model.names(), points.names());
            model
        });
    }
}

#[test]
fn a_point_of_weight_two_has_the_error_bars_of_a_point_given_twice() {
    let mut next = uniform(5);
    let values: Vec<f64> = (0..300).map(|i| next() + next() + 3.0 * f64::from(i % 3 / 2)).collect();
    let twice: Vec<f64> = values.iter().chain(&values[..100]).copied().collect();
    let weights = (0..300).map(|i| if i < 100 { 2.0 } else { 1.0 }).collect();
    let weighted = Points::new(1, values).unwrap().with_weights(weights).unwrap();
    let [one, other] = [weighted, Points::new(1, twice).unwrap()]
        .map(|points| GaussianMixture::params(2).fit(&points).unwrap());
    assert_eq!(one.means(), other.means());
    assert_eq!(one.error_bars(), other.error_bars());
}

/// Eighty slides with two labels, by five raters.
fn rated() -> Rows {
    let mut next = uniform(11);
    let mut rows = Rows::new();
    for item in 0..80 {
        let truth = next() < 0.4;
        for rater in 0..5 {
            if next() < 0.8 {
                let label = (next() < 0.75 + 0.04 * f64::from(rater)) == truth;
                rows.push(vec![format!("slide {item}"), format!("r{rater}"), label.to_string()]);
            }
        }
    }
    rows
}

#[test]
fn raters() {
    let fit = |table: &Table| {
        let ratings = Ratings::from_table(table, &RaterColumns::default()).unwrap();
        Raters::params().fit(&ratings).unwrap()
    };
    let header = ["item", "rater", "label"];
    same_bytes(&header, &rated(), |table| file(&fit(table), table));
    let turned: Rows = rated().into_iter().map(|row| row.into_iter().rev().collect()).collect();
    let [one, other] =
        [fit(&table(&header, &rated())), fit(&table(&["label", "rater", "item"], &turned))];
    assert_eq!(told(&one), told(&other));
}

/// Patients with a hidden state that lasts; `n` of them.
fn visits(n: usize, steps: usize) -> Rows {
    let mut next = uniform(13);
    let mut rows = Rows::new();
    for patient in 0..n {
        let mut ill = next() < 0.5;
        for visit in 0..steps + patient % 3 {
            ill ^= next() < 0.15;
            let state = if next() < if ill { 0.8 } else { 0.1 } { "bad" } else { "good" };
            let value = format!("{:.1}", next() + next() + if ill { 1.0 } else { 0.0 });
            rows.push(vec![format!("p{patient}"), visit.to_string(), state.to_owned(), value]);
        }
    }
    rows
}

#[test]
fn hidden_markov_models() {
    let header = ["patient", "visit", "state", "pain"];
    for (n, steps, value) in [(40, 8, "state"), (40, 8, "pain"), (3, 90, "state")] {
        let columns = SequenceColumns {
            sequence: Some("patient".to_owned()),
            order: Some("visit".to_owned()),
            values: vec![value.to_owned()],
        };
        same_bytes(&header, &visits(n, steps), |table| {
            let read = columns.read(table, None).unwrap();
            file(&Hmm::params(2).fit(&read.sequences).unwrap(), table)
        });
    }
}

#[test]
fn hidden_markov_models_with_columns_in_another_order() {
    let header = ["patient", "visit", "state", "pain"];
    let mut rows = visits(40, 8);
    let mut next = uniform(23);
    // A second reading beside the first, and one of categories.
    let mut second = |row: &Vec<String>| {
        let pain: f64 = row[3].parse().unwrap();
        let mood = if next() < pain / 3.0 { "low" } else { "high" };
        (format!("{:.1}", pain + next()), mood.to_owned())
    };
    let beside: Vec<(String, String)> = rows.iter().map(&mut second).collect();
    let mut numbers = rows.clone();
    numbers.iter_mut().zip(&beside).for_each(|(row, more)| row[2] = more.0.clone());
    rows.iter_mut().zip(&beside).for_each(|(row, more)| row[3] = more.1.clone());
    for rows in [rows, numbers] {
        same_columns(&header, &rows, |table| {
            let columns = SequenceColumns {
                sequence: Some("patient".to_owned()),
                order: Some("visit".to_owned()),
                values: Vec::new(),
            };
            let read = columns.read(table, None).unwrap();
            let model = Hmm::params(2).fit(&read.sequences).unwrap();
            assert_eq!(model.names(), read.sequences.names());
            model
        });
    }
}
