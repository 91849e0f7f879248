//! From the columns of a table to items and coded answers: which columns are items, what kind each is, and which
//! values are errors.

use super::items::{Item, ItemChoice, ItemKind, MAX_CATEGORIES, MAX_CODES, offsets};
use crate::error::{Error, Result};
use crate::models::table::{Column, LARGEST_WEIGHT, Table, as_number, number_label, short_number};

/// Answers of one row as the kernels read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Rows x categorical items.
    pub codes: Vec<u32>,
    /// Rows x numeric items.
    pub values: Vec<f64>,
}

pub(super) fn chosen_columns<'a>(table: &'a Table, choice: &ItemChoice) -> Result<Vec<&'a Column>> {
    if !choice.items.is_empty() {
        return table.chosen(&choice.items);
    }
    for name in choice.real.iter().chain(&choice.counts).chain(&choice.categorical) {
        table.column(name)?;
    }
    let is_weight = |column: &&Column| choice.weights.as_deref() != Some(column.name());
    Ok(table.columns().iter().filter(is_weight).collect())
}

/// The item of a column; `None` when it has fewer than two different answers.
pub(super) fn item_of(
    column: &Column,
    choice: &ItemChoice,
    weights: &[f64],
    notes: &mut Vec<String>,
) -> Result<Option<Item>> {
    let name = column.name().to_owned();
    let said = |names: &[String]| names.contains(&name);
    let all_numbers = column.labels().iter().all(|label| as_number(label).is_some());
    let looks_real = all_numbers
        && (column.labels().len() > MAX_CODES
            || column.labels().iter().any(|l| as_number(l).is_some_and(|x| x.fract() != 0.0)));
    if said(&choice.counts) {
        check_counts(column)?;
        return count_item(column, name, weights);
    }
    if said(&choice.real) || (looks_real && !said(&choice.categorical)) {
        if !said(&choice.real) {
            notes.push(format!(
                "item {name:?} holds numbers and is taken for real numbers (normal within a class)"
            ));
        }
        return real_item(column, name, weights);
    }
    notes.extend(note_of_numbers(column));
    let mut labels: Vec<String> = match all_numbers {
        true => column.labels().iter().filter_map(|l| as_number(l)).map(number_label).collect(),
        false => column.labels().to_vec(),
    };
    match all_numbers {
        true => labels.sort_by(|a, b| as_number(a).partial_cmp(&as_number(b)).unwrap_or(a.cmp(b))),
        false => labels.sort(),
    }
    labels.dedup();
    if labels.len() > MAX_CATEGORIES {
        return Err(Error::Records {
            reason: format!(
                "item {name:?} has {} different answers, more than {MAX_CATEGORIES}; is it a name \
                 or number of the record? choose the items",
                labels.len()
            ),
        });
    }
    Ok((labels.len() > 1).then_some(Item { name, kind: ItemKind::Categorical { labels } }))
}

/// Records from which on a column with a different value in each is taken for their names.
const NAMED: usize = 20;

/// Whether a column names the records: a different text in each, or whole numbers without a gap.
pub(super) fn names_records(column: &Column) -> bool {
    let labels = column.labels();
    if labels.len() < NAMED || labels.len() < column.codes().len() {
        return false;
    }
    let numbers: Option<Vec<f64>> = labels.iter().map(|label| as_number(label)).collect();
    numbers.is_none_or(|numbers| {
        let least = numbers.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        let most = numbers.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        numbers.iter().all(|x| x.fract() == 0.0) && most - least + 1.0 == labels.len() as f64
    })
}

/// A sentence about a column that is nearly all numbers, but is taken for categories because of the others.
fn note_of_numbers(column: &Column) -> Option<String> {
    let labels = column.labels();
    let others: Vec<&String> = labels.iter().filter(|l| as_number(l).is_none()).collect();
    let decimal_comma = |l: &&String| as_number(&l.replacen(',', ".", 1)).is_some();
    let commas = others.iter().filter(|l| decimal_comma(l)).count();
    let mostly_numbers = 2 * (labels.len() - others.len() + commas) > labels.len();
    // The least of them, so that the order of the records changes nothing.
    let first = others.iter().min().filter(|_| labels.len() > MAX_CODES && mostly_numbers)?;
    let advice = match 2 * commas > others.len() {
        true => "write numbers with a decimal point",
        false => "correct it, or name it as missing",
    };
    Some(format!(
        "item {:?} has numbers and {first:?}, so its {} different answers are taken for categories; {advice}",
        column.name(),
        labels.len()
    ))
}

/// The numbers that are not missing and have a weight, sorted: sums over them do not depend on the order of the
/// records.
fn observed(column: &Column, weights: &[f64]) -> Result<Vec<(f64, f64)>> {
    let pairs = column.numbers()?.into_iter().zip(weights.iter().copied());
    let mut pairs: Vec<(f64, f64)> = pairs.filter(|(x, w)| !x.is_nan() && *w > 0.0).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    Ok(pairs)
}

/// A sentence about a column that is no item, since its answers do not differ, or only by rounding.
pub(super) fn note_left_out(column: &Column, weights: &[f64]) -> String {
    let name = column.name();
    let ends = observed(column, weights).ok().and_then(|o| Some((o.first()?.0, o.last()?.0)));
    match ends.filter(|(low, high)| low < high) {
        None => format!("item {name:?} has one answer only, which tells nothing; it is left out"),
        Some((low, _)) => format!(
            "item {name:?} has numbers near {} that differ by no more than rounding errors; it is \
             left out, change its unit or subtract a constant",
            short_number(low)
        ),
    }
}

fn mean_and_deviation(values: &[(f64, f64)]) -> (f64, f64) {
    let total: f64 = values.iter().map(|(_, w)| w).sum();
    let mean = values.iter().map(|(x, w)| w * x).sum::<f64>() / total;
    let variance = values.iter().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total;
    (mean, variance.sqrt())
}

fn real_item(column: &Column, name: String, weights: &[f64]) -> Result<Option<Item>> {
    let (mean, deviation) = mean_and_deviation(&observed(column, weights)?);
    let usable = deviation.is_finite() && deviation > 1e-12 * mean.abs();
    Ok(usable.then_some(Item { name, kind: ItemKind::Real { mean, deviation } }))
}

fn count_item(column: &Column, name: String, weights: &[f64]) -> Result<Option<Item>> {
    let (mean, deviation) = mean_and_deviation(&observed(column, weights)?);
    Ok((deviation > 0.0).then_some(Item { name, kind: ItemKind::Count { mean } }))
}

/// Returns an error for numbers that are not counts.
fn check_counts(column: &Column) -> Result<()> {
    let values = column.numbers()?;
    if let Some(row) = values.iter().position(|x| *x < 0.0 || x.fract() > 0.0) {
        return Err(Error::Cell {
            column: column.name().to_owned(),
            row,
            found: number_label(values[row]),
            needed: "a whole number of at least 0".to_owned(),
        });
    }
    Ok(())
}

pub(super) fn read_weights(column: &Column) -> Result<Vec<f64>> {
    let weights = column.numbers()?;
    let bad = weights.iter().position(|w| w.is_nan() || *w < 0.0 || *w > LARGEST_WEIGHT);
    if let Some(row) = bad {
        let found = column.label(row).unwrap_or("nothing").to_owned();
        let needed = match weights[row] > LARGEST_WEIGHT {
            true => format!("a weight of at most {LARGEST_WEIGHT:e}"),
            false => "a weight of at least 0".to_owned(),
        };
        return Err(Error::Cell { column: column.name().to_owned(), row, found, needed });
    }
    if weights.iter().all(|&w| w == 0.0) {
        return Err(Error::Records {
            reason: format!(
                "every weight in column {:?} is 0, so no record counts; give some a weight",
                column.name()
            ),
        });
    }
    Ok(weights)
}

/// Two columns with the same answers everywhere count twice; the user should know.
pub(super) fn note_twins(columns: &[&Column], notes: &mut Vec<String>) {
    for (b, second) in columns.iter().enumerate() {
        let twin = columns[..b].iter().find(|first| first.codes() == second.codes());
        if let Some(first) = twin {
            notes.push(format!(
                "items {:?} and {:?} agree on every record; one of them is enough",
                first.name(),
                second.name()
            ));
        }
    }
}

/// Cells of the items' columns as numbers.
pub(super) fn code(items: &[Item], columns: &[&Column], n_rows: usize) -> Result<Rows> {
    let offsets = offsets(items);
    let n = offsets[offsets.len() - 1] as u32;
    let mut codes: Vec<Vec<u32>> = Vec::new();
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (item, column) in items.iter().zip(columns) {
        match item.kind {
            ItemKind::Categorical { .. } => {
                let offset = offsets[codes.len()] as u32;
                codes.push(category_codes(item, column, offset, n)?);
            }
            ItemKind::Count { .. } => {
                check_counts(column)?;
                values.push(column.numbers()?);
            }
            ItemKind::Real { mean, deviation } => {
                let scaled = column.numbers()?.into_iter().map(|x| (x - mean) / deviation);
                values.push(scaled.collect());
            }
        }
    }
    let by_rows = |u: usize| codes.iter().map(move |column| column[u]);
    let value_rows = |u: usize| values.iter().map(move |column| column[u]);
    Ok(Rows {
        codes: (0..n_rows).flat_map(by_rows).collect(),
        values: (0..n_rows).flat_map(value_rows).collect(),
    })
}

fn category_codes(item: &Item, column: &Column, offset: u32, missing: u32) -> Result<Vec<u32>> {
    let places: Vec<Option<usize>> = column.labels().iter().map(|l| item.place(l)).collect();
    if let Some(unknown) = places.iter().position(Option::is_none) {
        let row = column.codes().iter().position(|&c| c as usize == unknown).unwrap_or(0);
        return Err(Error::Cell {
            column: item.name.clone(),
            row,
            found: column.labels()[unknown].clone(),
            needed: format!("an answer seen in the fit ({})", item.labels().join(", ")),
        });
    }
    let code = |&c: &u32| match places.get(c as usize) {
        Some(Some(place)) => offset + *place as u32,
        _ => missing,
    };
    Ok(column.codes().iter().map(code).collect())
}

#[cfg(test)]
mod tests {
    use super::super::data::Records;
    use super::super::data::tests::table;
    use super::*;

    #[test]
    fn codes_are_sorted_as_numbers_and_read_again_as_numbers() {
        let t = table(&[("x", &["10", "2.0", "1", "2"]), ("y", &["a", "b", "a", "b"])]);
        let records = Records::from_table(&t, &ItemChoice::default()).unwrap();
        assert_eq!(records.items()[0].labels(), ["1", "2", "10"]);
        let later = table(&[("x", &["10.0"]), ("y", &["b"])]);
        assert!(Records::for_items(&later, records.items(), None).is_ok());
        let strange = table(&[("x", &["1", "3"]), ("y", &["a", "a"])]);
        assert_eq!(
            Records::for_items(&strange, records.items(), None).unwrap_err().to_string(),
            "column \"x\", row 2: expected an answer seen in the fit (1, 2, 10), found \"3\""
        );
    }

    #[test]
    fn an_item_of_one_answer_is_left_out_and_told() {
        let t = table(&[("x", &["1", "1"]), ("y", &["a", "b"])]);
        let records = Records::from_table(&t, &ItemChoice::default()).unwrap();
        assert_eq!(records.items().len(), 1);
        assert!(records.notes()[0].contains("one answer only"));
        assert!(
            Records::from_table(&table(&[("x", &["1", "1"])]), &ItemChoice::default()).is_err()
        );
    }

    #[test]
    fn weights_that_are_negative_or_all_zero_are_refused() {
        let choice = ItemChoice { weights: Some("w".to_owned()), ..Default::default() };
        for (cells, said) in [(["1", "-2"], "a weight of at least 0"), (["0", "0"], "every weight")]
        {
            let t = table(&[("x", &["a", "b"]), ("w", &cells)]);
            let message = Records::from_table(&t, &choice).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }
}
