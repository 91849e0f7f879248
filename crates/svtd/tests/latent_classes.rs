//! Published maxima of latent class analysis, reached by the default call.
//!
//! The data are looked for in `SVTD_DATA/models`; without it the tests say that they are skipped.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use std::path::PathBuf;

use svtd::models::classes::{Identifiability, ItemChoice, LatentClass, Records};
use svtd::models::table::{Column, Table, TableReader};

fn records(name: &str, items: &[String]) -> Option<Records> {
    let Some(folder) = std::env::var_os("SVTD_DATA") else {
        eprintln!("skipped: SVTD_DATA is not set");
        return None;
    };
    let path = PathBuf::from(folder).join("models").join(name);
    if !path.is_file() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    let table = TableReader::new().read(path).unwrap();
    let choice = ItemChoice { items: items.to_vec(), ..Default::default() };
    Some(Records::from_table(&table, &choice).unwrap())
}

/// Reaches each published log-likelihood to 1e-4, or beats it.
fn reaches(name: &str, items: &[String], published: &[(usize, f64)]) {
    let Some(records) = records(name, items) else { return };
    for &(k, expected) in published {
        let fit = LatentClass::params(k).prior(0.0).error_bars(false).fit(&records).unwrap();
        let found = fit.summary().criteria.log_likelihood;
        assert!(found > expected - 1e-4, "{name}, {k} classes: {found}, published {expected}");
    }
}

#[test]
fn seven_pathologists() {
    reaches("carcinoma.csv", &[], &[(2, -317.2568), (3, -293.7050), (4, -289.2859)]);
    let Some(records) = records("carcinoma.csv", &[]) else { return };
    let fit = LatentClass::params(3).prior(0.0).fit(&records).unwrap();
    for (j, share) in [0.445, 0.374, 0.182].into_iter().enumerate() {
        assert!((fit.share(j).value - share).abs() < 1e-3);
    }
    assert!(Identifiability::of(&records).most_classes >= 4);
}

#[test]
fn students_who_cheat() {
    reaches("cheating.csv", &[], &[(2, -440.0271)]);
}

#[test]
fn a_survey_of_survey_respondents() {
    reaches("gss82.csv", &[], &[(2, -2783.2681), (3, -2754.5455), (4, -2746.6209)]);
}

#[test]
fn votes_with_missing_answers() {
    let votes: Vec<String> = (1..=16).map(|i| format!("V{i}")).collect();
    reaches("house_votes_84.csv", &votes, &[(2, -3104.698), (3, -2959.4392), (4, -2892.802)]);
}

#[test]
fn the_data_choose_as_many_classes_as_published_studies() {
    for (name, k) in [("carcinoma.csv", 3), ("cheating.csv", 2), ("gss82.csv", 3)] {
        let Some(records) = records(name, &[]) else { return };
        let fit = LatentClass::auto().error_bars(false).fit(&records).unwrap();
        assert_eq!(fit.n_classes(), k, "{name}");
    }
}

#[test]
fn items_and_categories_in_another_order_have_the_same_maximum() {
    let Some(folder) = std::env::var_os("SVTD_DATA") else {
        eprintln!("skipped: SVTD_DATA is not set");
        return;
    };
    for (name, k) in [("carcinoma.csv", 3), ("gss82.csv", 3), ("cheating.csv", 2)] {
        let table =
            TableReader::new().read(PathBuf::from(&folder).join("models").join(name)).unwrap();
        // The last item first, and labels whose order is turned round.
        let turned = |column: &Column| {
            let mut sorted = column.labels().to_vec();
            sorted.sort();
            let label = |own: &str| {
                let place = sorted.iter().position(|label| label == own).unwrap();
                format!("{}", sorted.len() - place)
            };
            let cells = (0..table.n_rows()).map(|row| column.label(row).map(label));
            Column::from_cells(column.name(), cells.collect::<Vec<_>>())
        };
        let columns = table.columns().iter().rev().map(turned).collect();
        let other = Table::new(columns).unwrap();
        let objective = |table: &Table| {
            let records = Records::from_table(table, &ItemChoice::default()).unwrap();
            let fit = LatentClass::params(k).error_bars(false).fit(&records).unwrap();
            fit.summary().objective
        };
        let (one, two) = (objective(&table), objective(&other));
        assert!((one - two).abs() < 1e-9 * one.abs(), "{name}: {one} {two}");
    }
}
