//! The page of numbers that decide something, `benches/record/constants.md`, names them as the code has them.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};

/// A constant as the page names it.
struct Named {
    name: String,
    /// Its value, where the page gives a single number.
    value: Option<f64>,
    /// The files or folders it should be in.
    places: Vec<String>,
}

/// The parts of a cell of the page that are set as code, each with what follows it.
fn code(cell: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = cell.split('`').collect();
    parts[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// A number of the page: `.75`, `2^21`, `1e-6`, `16,000`.
fn written(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || ".,-^".contains(c)));
    let text = text[..end.unwrap_or(text.len())].trim_end_matches(',').replace(',', "");
    match text.split_once('^') {
        Some((base, power)) => Some(base.parse::<f64>().ok()?.powi(power.parse().ok()?)),
        None => text.parse().ok(),
    }
}

/// A number of the code: `0.75`, `1 << 21`, `1e-6`, `16_000`.
fn coded(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    match text.split_once(" << ") {
        Some((base, shift)) => Some(base.parse::<f64>().ok()? * 2.0_f64.powi(shift.parse().ok()?)),
        None => text.parse().ok(),
    }
}

fn named(page: &str) -> Vec<Named> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let of_row = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let places: Vec<String> =
            code(cells[1]).iter().map(|(place, _)| (*place).to_owned()).collect();
        let is_name =
            |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || "_0123456789".contains(c));
        let constants = code(cells[0]).into_iter().filter(|(name, _)| is_name(name));
        let named = constants.map(|(name, after)| {
            let value = after
                .strip_prefix(" = ")
                .filter(|text| !text.contains(" to ") && !text.contains(" or "));
            Named { name: name.to_owned(), value: value.and_then(written), places: places.clone() }
        });
        named.collect::<Vec<Named>>()
    };
    rows.flat_map(of_row).collect()
}

/// The source files of a place: a file, or all files of a folder.
fn files(place: &str) -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = match place.starts_with("svtd-") {
        true => crates.join(place),
        false => crates.join("svtd/src").join(place),
    };
    match path.is_dir() {
        true => std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect(),
        false => vec![path],
    }
}

/// The right-hand sides of the constants of this name in these files.
fn values(named: &Named) -> Vec<String> {
    let mut found = Vec::new();
    for file in named.places.iter().flat_map(|place| files(place)) {
        let code = std::fs::read_to_string(&file);
        assert!(code.is_ok(), "{file:?}, in which {} should be, cannot be read", named.name);
        let code = code.unwrap();
        for part in code.split(&format!("const {}: ", named.name)).skip(1) {
            let value = part.split_once(" = ").and_then(|(_, rest)| rest.split_once(';'));
            found.extend(value.map(|(value, _)| value.to_owned()));
        }
    }
    found
}

#[test]
fn every_constant_that_the_page_names_is_in_its_file_with_its_value() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/record/constants.md");
    let named = named(&std::fs::read_to_string(page).unwrap());
    let mut compared = 0;
    for constant in &named {
        let values = values(constant);
        assert!(!values.is_empty(), "{} is not in {:?}", constant.name, constant.places);
        let coded: Vec<f64> = values.iter().filter_map(|value| coded(value)).collect();
        if let Some(value) = constant.value.filter(|_| coded.len() == values.len()) {
            compared += 1;
            let is_there = coded.iter().any(|code| (code - value).abs() <= 1e-9 * value.abs());
            assert!(is_there, "{} is {values:?} in the code, not {value}", constant.name);
        }
    }
    assert!(named.len() > 150 && compared > 120, "{} named, {compared} compared", named.len());
}
