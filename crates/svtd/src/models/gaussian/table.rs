//! Points from a table of named columns.

use super::points::{Points, data};
use crate::error::Result;
use crate::models::table::Table;

impl Points {
    /// The points of a table: `variables`, or all columns but the weights where none are named.
    ///
    /// # Errors
    /// When a column is not there, a cell is no number, or the values are refused by
    /// [`Points::new`].
    pub fn from_table(table: &Table, variables: &[String], weights: Option<&str>) -> Result<Self> {
        let names: Vec<String> = if variables.is_empty() {
            let all = table.columns().iter().map(|column| column.name().to_owned());
            all.filter(|name| Some(name.as_str()) != weights).collect()
        } else {
            variables.to_vec()
        };
        if names.is_empty() {
            return Err(data("the table has no column of numbers".to_owned()));
        }
        let columns = table.chosen(&names)?.into_iter().map(|column| column.numbers());
        let columns: Vec<Vec<f64>> = columns.collect::<Result<_>>()?;
        let values =
            (0..table.n_rows()).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        let points = Points::named(names, values)?;
        match weights {
            None => Ok(points),
            Some(name) => {
                let mut numbers = table.column(name)?.numbers()?;
                if let Some(i) = numbers.iter().position(|w| w.is_nan()) {
                    return Err(data(format!("record {} has no weight in column {name}", i + 1)));
                }
                points.with_weights(std::mem::take(&mut numbers))
            }
        }
    }
}
