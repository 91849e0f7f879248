//! Sequences from a long table with one row for each step.

use serde::{Deserialize, Serialize};

use super::sequences::{Emissions, Sequences};
use crate::error::{Error, Result};
use crate::models::columns::natural;
use crate::models::gaussian::data;
use crate::models::table::{Column, Table, as_number};

/// Whole numbers with more different values than this are counts, with fewer categories.
const MAX_CODES: usize = 10;

/// Which columns of a table have which meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceColumns {
    /// The column that identifies the sequence; one sequence if `None`.
    pub sequence: Option<String>,
    /// The column by which the steps of a sequence are ordered; the order of the rows if `None`.
    pub order: Option<String>,
    /// The columns with observations; all others if empty.
    pub values: Vec<String>,
}

/// Sequences of a table, and the row of every step.
#[derive(Clone, Debug)]
pub struct SequenceTable {
    /// The sequences.
    pub sequences: Sequences,
    /// The row of the table for each step.
    pub rows: Vec<usize>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl SequenceColumns {
    /// The sequences of a table. Without `emissions`, labels are categories, numbers with a
    /// fraction or a sign are Gaussian, whole numbers are counts, or categories where there are
    /// at most ten of them.
    ///
    /// # Errors
    /// When a column is not there, an order is repeated or missing, or a value does not fit.
    pub fn read(&self, table: &Table, emissions: Option<Emissions>) -> Result<SequenceTable> {
        let columns = self.value_columns(table)?;
        let emissions = emissions.unwrap_or_else(|| guessed(&columns));
        let categories = match emissions {
            Emissions::Categorical => columns.iter().map(|column| labels(column)).collect(),
            _ => vec![Vec::new(); columns.len()],
        };
        self.read_as(table, emissions, &columns, categories)
    }

    /// The sequences of another table, with the categories of a model.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when a category was never seen.
    pub fn read_like(
        &self,
        table: &Table,
        emissions: Emissions,
        names: &[String],
        categories: &[Vec<String>],
    ) -> Result<SequenceTable> {
        let columns: Vec<&Column> =
            names.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
        self.read_as(table, emissions, &columns, categories.to_vec())
    }

    fn value_columns<'a>(&self, table: &'a Table) -> Result<Vec<&'a Column>> {
        if !self.values.is_empty() {
            return table.chosen(&self.values);
        }
        let taken = [self.sequence.as_deref(), self.order.as_deref()];
        let others = table.columns().iter().filter(|c| !taken.contains(&Some(c.name())));
        let found: Vec<&Column> = others.collect();
        if found.is_empty() {
            return Err(data("the table has no column of observations".to_owned()));
        }
        Ok(found)
    }

    fn read_as(
        &self,
        table: &Table,
        emissions: Emissions,
        columns: &[&Column],
        categories: Vec<Vec<String>>,
    ) -> Result<SequenceTable> {
        let (rows, lengths, mut notes) = self.arranged(table)?;
        notes.extend(twins(columns));
        let mut values = Vec::with_capacity(rows.len() * columns.len());
        let cells: Vec<Vec<f64>> = columns
            .iter()
            .zip(&categories)
            .map(|(column, own)| match emissions {
                Emissions::Categorical => codes(column, own),
                _ => column.numbers(),
            })
            .collect::<Result<_>>()?;
        for &row in &rows {
            values.extend(cells.iter().map(|column| column[row]));
        }
        let names = columns.iter().map(|column| column.name().to_owned()).collect();
        let mut sequences = Sequences::named(emissions, names, values, lengths)?;
        if emissions == Emissions::Categorical {
            sequences = sequences.with_categories(categories)?;
        }
        Ok(SequenceTable { sequences, rows, notes })
    }

    /// Rows in the order of their sequences and steps, and the length of each sequence.
    fn arranged(&self, table: &Table) -> Result<(Vec<usize>, Vec<usize>, Vec<String>)> {
        let n = table.n_rows();
        if n == 0 {
            return Err(data("the table has no rows; is it the right file?".to_owned()));
        }
        let key = match &self.sequence {
            None => vec![0; n],
            Some(name) => {
                let column = table.column(name)?;
                if let Some(row) = (0..n).find(|&row| column.label(row).is_none()) {
                    return Err(data(format!(
                        "row {} has no value in column {name}, so its sequence is not known",
                        row + 1
                    )));
                }
                column.codes().to_vec()
            }
        };
        let place = match &self.order {
            None => (0..n).map(|row| row as f64).collect(),
            Some(name) => order_places(table.column(name)?)?,
        };
        let mut rows: Vec<usize> = (0..n).collect();
        rows.sort_by(|&a, &b| key[a].cmp(&key[b]).then(place[a].total_cmp(&place[b])));
        let mut notes = Vec::new();
        let mut lengths = Vec::new();
        let mut moved = false;
        for group in rows.chunk_by(|&a, &b| key[a] == key[b]) {
            lengths.push(group.len());
            moved |= group.windows(2).any(|pair| pair[0] > pair[1]);
            if let Some(pair) = group.windows(2).find(|pair| place[pair[0]] == place[pair[1]]) {
                return Err(self.repeated(table, pair[1]));
            }
        }
        if moved && let Some(order) = &self.order {
            notes.push(format!("rows were not in the order of {order}; they were sorted by it"));
        }
        Ok((rows, lengths, notes))
    }

    fn repeated(&self, table: &Table, row: usize) -> Error {
        let label = |name: &Option<String>| {
            let column = name.as_ref().and_then(|name| table.column(name).ok());
            column.and_then(|column| column.label(row)).unwrap_or("1").to_owned()
        };
        data(format!(
            "sequence {} has two steps with {} {}; give every step its own",
            label(&self.sequence),
            self.order.as_deref().unwrap_or("order"),
            label(&self.order)
        ))
    }
}

/// A sentence for every variable that repeats another.
fn twins(columns: &[&Column]) -> Vec<String> {
    let twin = |(b, second): (usize, &&Column)| {
        let equal =
            |first: &&&Column| first.codes() == second.codes() && first.labels() == second.labels();
        let first = columns[..b].iter().find(equal)?;
        Some(format!(
            "variables {} and {} agree at every step; one of them is enough",
            first.name(),
            second.name()
        ))
    };
    columns.iter().enumerate().filter_map(twin).collect()
}

/// Numbers by size, other labels in natural order: `visit 2` before `visit 10`, and dates written year first.
fn order_places(column: &Column) -> Result<Vec<f64>> {
    if let Some(row) =
        column.codes().iter().position(|&c| column.labels().get(c as usize).is_none())
    {
        return Err(data(format!(
            "row {} has no value in column {}, so its place is not known",
            row + 1,
            column.name()
        )));
    }
    if column.labels().iter().all(|label| as_number(label).is_some()) {
        return column.numbers();
    }
    if column.labels().iter().any(|label| as_number(label).is_some()) {
        return Err(no_number(column));
    }
    if let Some(label) = column.labels().iter().find(|label| is_date_of_unknown_order(label)) {
        return Err(data(format!(
            "column {} holds {label:?}, whose day and month cannot be told apart; write dates year first, such as \
             2026-11-17",
            column.name()
        )));
    }
    let mut sorted: Vec<usize> = (0..column.labels().len()).collect();
    sorted.sort_by_cached_key(|&at| natural(&column.labels()[at]));
    let mut places = vec![0.0; sorted.len()];
    sorted.into_iter().enumerate().for_each(|(place, at)| places[at] = place as f64);
    Ok(column.codes().iter().map(|&code| places[code as usize]).collect())
}

/// The error for the first step of a column of numbers whose place is none.
fn no_number(column: &Column) -> Error {
    let is_number = |row: &usize| column.label(*row).is_some_and(|l| as_number(l).is_some());
    let row = (0..column.codes().len()).find(|row| !is_number(row)).unwrap_or(0);
    Error::Cell {
        column: column.name().to_owned(),
        row,
        found: column.label(row).unwrap_or("nothing").to_owned(),
        needed: "a number to order the steps by, as in other rows".to_owned(),
    }
}

/// Whether a label is a date such as 10/1/2026 or 10.1.26.
fn is_date_of_unknown_order(label: &str) -> bool {
    let date = label.split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    parts.iter().all(digits) && matches!(lengths[..], [1..=2, 1..=2, 2 | 4])
}

/// Labels of a column: numbers by size, others in alphabetical order.
fn labels(column: &Column) -> Vec<String> {
    let mut labels: Vec<String> = column.labels().to_vec();
    if labels.iter().all(|label| as_number(label).is_some()) {
        labels.sort_by(|a, b| {
            let (x, y) = (as_number(a).unwrap_or(0.0), as_number(b).unwrap_or(0.0));
            x.total_cmp(&y).then(a.cmp(b))
        });
    } else {
        labels.sort();
    }
    labels
}

/// The index of every cell among known labels, NaN where missing.
fn codes(column: &Column, known: &[String]) -> Result<Vec<f64>> {
    let mut places = Vec::with_capacity(column.labels().len());
    for label in column.labels() {
        let Some(place) = known.iter().position(|k| k == label) else {
            return Err(data(format!(
                "column {} holds {label:?}, a category that the model has never seen; it knows {}",
                column.name(),
                known.iter().take(10).cloned().collect::<Vec<_>>().join(", ")
            )));
        };
        places.push(place as f64);
    }
    let place = |&code: &u32| places.get(code as usize).copied().unwrap_or(f64::NAN);
    Ok(column.codes().iter().map(place).collect())
}

/// The kind of emissions suggested by the cells.
fn guessed(columns: &[&Column]) -> Emissions {
    let numbers: Vec<Option<f64>> =
        columns.iter().flat_map(|column| column.labels()).map(|label| as_number(label)).collect();
    let whole = |x: &Option<f64>| x.is_some_and(|x| x >= 0.0 && x.fract() == 0.0);
    if numbers.iter().any(Option::is_none) {
        Emissions::Categorical
    } else if !numbers.iter().all(whole) {
        Emissions::Gaussian
    } else if columns.iter().all(|column| column.labels().len() <= MAX_CODES) {
        Emissions::Categorical
    } else {
        Emissions::Poisson
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_ordered_as_people_count() {
        let cells = ["visit 10", "visit 2", "visit 1", "visit 02b"];
        let column = Column::from_cells("t", cells.map(Some));
        assert_eq!(order_places(&column).unwrap(), [3.0, 1.0, 0.0, 2.0]);
        let mixed = Column::from_cells("t", ["1", "2", "x", "10"].map(Some));
        assert_eq!(
            order_places(&mixed).unwrap_err().to_string(),
            "column \"t\", row 3: expected a number to order the steps by, as in other rows, found \"x\""
        );
        let dates = Column::from_cells("t", ["2026-10-01", "2026-9-30"].map(Some));
        assert_eq!(order_places(&dates).unwrap(), [1.0, 0.0]);
        for date in ["10/1/2026", "1.10.26 12:00"] {
            let column = Column::from_cells("t", [Some(date)]);
            assert!(order_places(&column).unwrap_err().to_string().contains("year first"));
        }
    }
}
