//! Tables of results for people, and as tables for programs.

use std::io::{self, Write};

use svtd::models::learned::{Cells, Learned, Listing};
use unicode_width::UnicodeWidthStr;

use crate::failure::printable;
use crate::output::{Column, Table};
use crate::terminal::Screen;

/// Writes every listing under its title; long ones are cut after `rows_of_later` rows, with a note.
pub fn write_all(
    out: &mut dyn Write,
    screen: &Screen,
    listings: &[Listing],
    rows_of_later: Option<usize>,
) -> io::Result<()> {
    for (at, listing) in listings.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        // The parameters themselves are shown completely.
        let most = if at < 2 { None } else { rows_of_later };
        write_one(out, screen, listing, most)?;
    }
    Ok(())
}

fn write_one(
    out: &mut dyn Write,
    screen: &Screen,
    listing: &Listing,
    most: Option<usize>,
) -> io::Result<()> {
    writeln!(out, "{}", screen.bold(&format!("{}: {}", listing.name, listing.title)))?;
    let n = most.map_or(listing.n_rows(), |most| listing.n_rows().min(most));
    let columns: Vec<Vec<String>> = listing
        .columns
        .iter()
        .map(|(name, cells)| {
            let rows = (0..n).map(|row| text(cells, row));
            std::iter::once(printable(name)).chain(rows).collect()
        })
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|cells| cells.iter().map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    for row in 0..=n {
        let mut line = String::new();
        for (at, cells) in columns.iter().enumerate() {
            let padding = " ".repeat(widths[at] - cells[row].width());
            let left = matches!(listing.columns[at].1, Cells::Text(_));
            let separator = if at == 0 { "" } else { "  " };
            line.push_str(separator);
            match left {
                true => line.push_str(&format!("{}{padding}", cells[row])),
                false => line.push_str(&format!("{padding}{}", cells[row])),
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    if n < listing.n_rows() {
        let rest = listing.n_rows() - n;
        writeln!(out, "{}", screen.dim(&format!("and {rest} more; svtd export has them all")))?;
    }
    Ok(())
}

fn text(cells: &Cells, row: usize) -> String {
    match cells {
        Cells::Text(cells) => printable(&cells[row]),
        Cells::Whole(cells) => cells[row].to_string(),
        Cells::Real(cells) => match cells[row] {
            None => "-".to_owned(),
            Some(x) if x == 0.0 || (1e-3..1e5).contains(&x.abs()) => format!("{x:.3}"),
            Some(x) => format!("{x:.2e}"),
        },
    }
}

/// Facts about the fit, and warnings.
pub fn write_facts(out: &mut dyn Write, model: &dyn Learned) -> io::Result<()> {
    writeln!(out)?;
    for (name, sentence) in model.facts() {
        writeln!(out, "{name:<20} {}", printable(&sentence))?;
    }
    for note in model.notes() {
        writeln!(out, "note: {}", printable(&note))?;
    }
    Ok(())
}

/// A listing as a table for other programs; missing values are empty cells.
pub fn table(listing: &Listing) -> Table<'_> {
    let columns = listing.columns.iter().map(column).collect();
    Table { n_rows: listing.n_rows(), columns, is_list: false }
}

fn column((name, cells): &(String, Cells)) -> Column<'_> {
    let name = name.clone();
    match cells {
        Cells::Text(cells) => Column::text(name, |row| cells[row].clone()),
        Cells::Whole(cells) => Column::whole(name, |row| cells[row]),
        Cells::Real(cells) if cells.iter().all(Option::is_some) => {
            Column::real(name, |row| cells[row].unwrap_or_default())
        }
        Cells::Real(cells) => {
            Column::text(name, |row| cells[row].map_or(String::new(), |x| format!("{x:?}")))
        }
    }
}
