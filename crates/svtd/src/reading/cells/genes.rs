//! Names of genes: restricted to gene expression where there are other features too, and made unique, because a
//! vocabulary has every word once.

use std::collections::HashMap;

use super::super::entries::Table;
use super::Cells;
use crate::corpus::SparseCounts;

/// The kind of feature that is read where there are several.
const EXPRESSION: &str = "Gene Expression";

/// The features of a 10x table.
pub(super) struct Features {
    pub(super) names: Vec<String>,
    pub(super) ids: Option<Vec<String>>,
    /// Gene expression, antibodies, peaks; `None` for old files.
    pub(super) kinds: Option<Vec<String>>,
}

/// The cells with only gene expression, if there is any beside other kinds, and with unique names.
pub(super) fn of_features(mut table: Table, features: Features, cells: Vec<String>) -> Cells {
    let Features { mut names, mut ids, kinds } = features;
    let mut notes = Vec::new();
    let expressed = |kind: &String| kind == EXPRESSION;
    if let Some(kinds) = kinds.filter(|kinds| kinds.len() == names.len())
        && kinds.iter().any(expressed)
        && !kinds.iter().all(expressed)
    {
        let wanted: Vec<bool> = kinds.iter().map(expressed).collect();
        let keep = |all: Vec<String>| {
            all.into_iter()
                .zip(&wanted)
                .filter(|(_, wanted)| **wanted)
                .map(|(one, _)| one)
                .collect()
        };
        let left_out = wanted.iter().filter(|wanted| !**wanted).count();
        notes.push(format!("{left_out} features are no gene expression and were left out"));
        names = keep(names);
        ids = ids.filter(|ids| ids.len() == wanted.len()).map(keep);
        table.rows = columns(&table.rows, &wanted);
    }
    let ids = ids.filter(|ids| ids.len() == names.len());
    let (genes, note) = unique(names, ids.as_deref());
    notes.extend(note);
    Cells { table, genes, cells, labels: None, notes }
}

/// The wanted columns, renumbered.
fn columns(rows: &SparseCounts, wanted: &[bool]) -> SparseCounts {
    let mut next = 0;
    let place: Vec<Option<u32>> = wanted
        .iter()
        .map(|&wanted| {
            wanted.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let mut kept = SparseCounts::with_columns(next as usize, rows.limit());
    let (mut indices, mut counts) = (Vec::new(), Vec::new());
    for d in 0..rows.n_rows() {
        indices.clear();
        counts.clear();
        let (features, values) = rows.row(d);
        for (&feature, &value) in features.iter().zip(values) {
            if let Some(feature) = place[feature as usize] {
                indices.push(feature);
                counts.push(value);
            }
        }
        kept.push_row(&indices, &counts);
    }
    kept
}

/// The names; those that occur more than once get their id after an underscore, and a note says so. Ids are unique;
/// without them repeated names are numbered.
pub(super) fn unique(names: Vec<String>, ids: Option<&[String]>) -> (Vec<String>, Option<String>) {
    let mut times: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|name| *times.entry(name).or_default() += 1);
    let repeated: Vec<bool> = names.iter().map(|name| times[name.as_str()] > 1).collect();
    let n_repeated = repeated.iter().filter(|&&repeated| repeated).count();
    if n_repeated == 0 {
        return (names, None);
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut rename = |(i, name): (usize, String)| {
        if !repeated[i] {
            return name;
        }
        let number = seen.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
        match ids.and_then(|ids| ids.get(i)) {
            Some(id) => format!("{name}_{id}"),
            None => format!("{name}_{number}"),
        }
    };
    let renamed = names.into_iter().enumerate().map(&mut rename).collect();
    let how = if ids.is_some() { "their id" } else { "a number" };
    let note = format!("{n_repeated} genes share their name with another and have {how} behind it");
    (renamed, Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_get_their_id_and_others_stay() {
        let names = ["A", "B", "A"].map(String::from).to_vec();
        let ids = ["g1", "g2", "g3"].map(String::from);
        let (found, note) = unique(names.clone(), Some(&ids));
        assert_eq!(found, ["A_g1", "B", "A_g3"]);
        assert!(note.is_some_and(|note| note.starts_with("2 genes")));
        assert_eq!(unique(names[..2].to_vec(), None), (names[..2].to_vec(), None));
        assert_eq!(unique(names, None).0, ["A_1", "B", "A_2"]);
    }
}
