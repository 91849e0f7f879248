//! Comparison with other programs: a recorded run.
//!
//! StepMix, hmmlearn and scikit-learn are written in Python. So `experiments/models_peers.py` generates data sets
//! of the same kinds and fits each with our default and with the other program; its table is stored here. It is
//! reported as a record, not as a measurement of this run.

use crate::report::{Claim, Numbers, Section, Verdict};
use crate::table::{Cell, Table};

const RECORDED: &str = include_str!("../../data/models_peers.csv");

/// A row of the record.
struct Row {
    model: String,
    n: usize,
    method: String,
    sets: usize,
    error: f64,
    standard_error: f64,
    cpu: f64,
}

/// Adds the recorded table, and what it says.
pub fn add(section: &mut Section) {
    let rows: Vec<Row> = RECORDED.lines().skip(1).filter_map(row).collect();
    let sets = rows.first().map_or(0, |row| row.sets);
    let mut table = Table::new(
        format!(
            "Beside the peers, a recorded run of experiments/models_peers.py: error of the parameters \
             over {sets} sets, CPU seconds of a fit"
        ),
        &["model", "N", "method", "error", "CPU s"],
    );
    for row in &rows {
        table.push(vec![
            row.model.as_str().into(),
            row.n.into(),
            row.method.as_str().into(),
            Cell::Mean(row.error, row.standard_error),
            row.cpu.into(),
        ]);
    }
    section.numbers.push(Numbers { name: "models-peers".to_owned(), table: table.clone() });
    section.tables.push(table);
    let (mut near, mut settings) = (0, 0);
    for ours in rows.iter().filter(|row| row.method == "our default") {
        let of = |row: &&Row| row.model == ours.model && row.n == ours.n;
        let rivals = rows.iter().filter(of).filter(|row| row.method.ends_with("best of ten"));
        let best = rivals.min_by(|a, b| a.error.total_cmp(&b.error));
        settings += 1;
        near += usize::from(best.is_some_and(|best| {
            ours.error <= best.error + 2.0 * ours.standard_error.hypot(best.standard_error)
        }));
    }
    section.claims.push(Claim::new(
        "expected",
        "one call without random numbers ends as near to the truth as a peer's best of ten starts",
        format!(
            "recorded: no further than two standard errors beyond the peer on {near} of {settings} settings"
        ),
        Verdict::of(near == settings),
    ));
}

fn row(line: &str) -> Option<Row> {
    // The one field with a comma is quoted: "hmmlearn, best of ten".
    let plain = line.replace(", ", "\u{1}").replace('"', "");
    let fields: Vec<String> = plain.split(',').map(|f| f.replace('\u{1}', ", ")).collect();
    let [model, n, method, sets, error, standard_error, cpu] = fields.as_slice() else {
        return None;
    };
    Some(Row {
        model: model.clone(),
        n: n.parse().ok()?,
        method: method.clone(),
        sets: sets.parse().ok()?,
        error: error.parse().ok()?,
        standard_error: standard_error.parse().ok()?,
        cpu: cpu.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_record_is_told() {
        let mut section = Section::new("models", "models");
        add(&mut section);
        let text = section.tables[0].to_markdown();
        for (line, text_of) in RECORDED.lines().skip(1).map(|line| (line, row(line))) {
            let row = text_of.unwrap_or_else(|| panic!("{line}"));
            assert!(text.contains(&row.method) && row.error > 0.0 && row.cpu > 0.0, "{line}");
        }
        for peer in ["StepMix", "hmmlearn", "scikit-learn"] {
            assert!(text.contains(&format!("{peer}, best of ten")), "{peer}");
        }
        assert_eq!(section.claims.len(), 1);
    }
}
