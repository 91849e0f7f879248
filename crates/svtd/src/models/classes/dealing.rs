//! Records dealt into groups and halves by their answers, so that error bars and what is found again do not
//! depend on the order of the records.
//!
//! A row whose weight is a whole number is dealt as that many records. So a table of patterns with their counts gives
//! the same error bars as the table with one row for each record.

use super::data::Records;
use crate::models::engine::{Groups, drawn};

/// The smallest and largest number of records for which halves are fitted.
const LEAST_HALVED: f64 = 40.0;
const MOST_HALVED: f64 = 1e7;

impl Records {
    /// The groups of a jackknife, by pattern.
    pub(super) fn groups(&self) -> Groups {
        let key = |pattern: usize| pattern as u64;
        match self.whole_weights {
            true => Groups::of_counts(key, self.weights()),
            false => Groups::of_weights(key, &equals(self)),
        }
    }

    /// The number of records that are dealt: the sum of the weights if these are whole numbers, otherwise the number of
    /// records with a weight.
    pub(super) fn n_dealt(&self) -> usize {
        match self.whole_weights {
            true => self.total_weight() as usize,
            false => self.pattern_of().iter().flatten().count(),
        }
    }

    /// Groups of a jackknife given by the caller, one for each record.
    pub(crate) fn groups_given(&self, groups: &[u8]) -> Groups {
        let mut by_pattern: Vec<Vec<(f64, u8)>> = vec![Vec::new(); self.n_patterns()];
        let all = self.pattern_of().iter().zip(&self.record_weights).zip(groups);
        for ((pattern, &weight), &group) in all {
            if let Some(pattern) = pattern {
                by_pattern[*pattern as usize].push((weight, group));
            }
        }
        Groups::by_lot(by_pattern.into_iter())
    }

    /// Weights of the patterns in two halves of the records, dealt differently in each split. `None` when there
    /// are too few or too many.
    pub(super) fn halves(&self, split: usize) -> Option<[Vec<f64>; 2]> {
        if !(LEAST_HALVED..MOST_HALVED).contains(&self.total_weight()) {
            return None;
        }
        let mut halves = [vec![0.0; self.n_patterns()], vec![0.0; self.n_patterns()]];
        for (pattern, weights) in equals(self).into_iter().enumerate() {
            let key = drawn(pattern as u64, split as u64);
            for (number, weight) in weights.into_iter().enumerate() {
                halves[(drawn(key, number as u64) & 1) as usize][pattern] += weight;
            }
        }
        let has_records = |half: &Vec<f64>| half.iter().sum::<f64>() >= LEAST_HALVED / 4.0;
        halves.iter().all(has_records).then_some(halves)
    }
}

/// The weights of the records of each pattern, ascending; where weights are counts of records, a 1 for each.
fn equals(records: &Records) -> Vec<Vec<f64>> {
    if records.whole_weights {
        return records.weights().iter().map(|&count| vec![1.0; count as usize]).collect();
    }
    let mut equals: Vec<Vec<f64>> = vec![Vec::new(); records.n_patterns()];
    for (pattern, &weight) in records.pattern_of().iter().zip(&records.record_weights) {
        if let Some(pattern) = pattern {
            equals[*pattern as usize].push(weight);
        }
    }
    equals.iter_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
    equals
}

#[cfg(test)]
mod tests {
    use super::super::data::tests::table;
    use super::super::items::ItemChoice;
    use super::*;
    use crate::models::engine::GROUPS;

    fn read(cells: &[&str]) -> Records {
        Records::from_table(&table(&[("x", cells)]), &ItemChoice::default()).unwrap()
    }

    #[test]
    fn halves_share_out_all_records_and_follow_the_content() {
        let cells: Vec<&str> = (0..200).map(|i| ["a", "b", "c"][i * i % 3]).collect();
        let turned: Vec<&str> = cells.iter().rev().copied().collect();
        let (records, other) = (read(&cells), read(&turned));
        let [first, second] = records.halves(0).unwrap();
        let both: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a + b).collect();
        assert_eq!(both, records.weights());
        assert_eq!([first.clone(), second], other.halves(0).unwrap());
        assert!((70.0..130.0).contains(&first.iter().sum::<f64>()), "{first:?}");
        assert_ne!(first, records.halves(1).unwrap()[0]);
        assert!(read(&cells[..20]).halves(0).is_none());
    }

    #[test]
    fn groups_take_every_counted_record_once_and_are_no_strata() {
        let t = table(&[("x", &["a", "b", "c"]), ("w", &["2000", "0", "1000"])]);
        let choice = ItemChoice { weights: Some("w".to_owned()), ..Default::default() };
        let counted = Records::from_table(&t, &choice).unwrap();
        let mut cells = vec!["a"; 2000];
        cells.extend(vec!["c"; 1000]);
        let sorted = read(&cells);
        let mixed_up: Vec<&str> = (0..3000).map(|i| if i % 3 == 0 { "c" } else { "a" }).collect();
        let mut shares = Vec::new();
        for g in 0..GROUPS {
            let own = counted.groups().without(g);
            assert_eq!(own, sorted.groups().without(g));
            assert_eq!(own, read(&mixed_up).groups().without(g));
            assert_eq!(own.iter().sum::<f64>(), 2850.0);
            shares.push(2000.0 - own[0]);
        }
        assert_eq!(shares.iter().sum::<f64>(), 2000.0);
        // A group of 150 drawn at random has 100 of them, give or take 5.6.
        let spread = shares.iter().map(|s| (s - 100.0).powi(2)).sum::<f64>() / 20.0;
        assert!((8.0..90.0).contains(&spread), "{shares:?}");
    }

    #[test]
    fn groups_may_be_given() {
        let records = read(&["a", "b", "a"]);
        let groups = records.groups_given(&[0, 0, 1]);
        assert_eq!(groups.without(0), [1.0, 0.0]);
        assert_eq!(groups.without(1), [1.0, 1.0]);
    }
}
