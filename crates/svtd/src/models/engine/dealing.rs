//! Groups of records for the jackknife, determined by their content.
//!
//! The jackknife needs groups that are as good as drawn at random. Groups by place in the file are not: in a sorted
//! file every group has an equal share of every kind of record, and the error bars come out too short. A
//! model must not depend on the order of the records either. So a number is drawn for every record from a hash of
//! its content and of its number among equal records, and records are sorted by it. The place in that
//! order, modulo the number of groups, is the group: all groups are of one size, or differ by one.

use std::cmp::Ordering;

use super::GROUPS;
use crate::corpus::mixed;

/// Up to this many records each is assigned to a group individually.
const MOST_DEALT: f64 = 4e6;

/// Up to this many equal records each is assigned individually, where there are more than [`MOST_DEALT`] in all.
const FEW_EQUALS: f64 = 1024.0;

/// Records dealt into [`GROUPS`] groups. All records with the same content form a lot.
pub struct Groups(Parted);

enum Parted {
    /// Every record is in a group.
    Records {
        /// Where the records of each lot begin, and the end of the last.
        starts: Vec<usize>,
        /// Weight and group of each record.
        dealt: Vec<(f64, u8)>,
    },
    /// For very many records: the number of records of each lot, from which the number in each
    /// group is drawn.
    Counts { keys: Vec<u64>, counts: Vec<f64> },
}

impl Groups {
    /// Groups of lots that have a key and the weights of their records.
    pub fn of_weights(keys: impl Fn(usize) -> u64, lots: &[Vec<f64>]) -> Self {
        let draw = |(lot, own): (usize, &Vec<f64>)| {
            let key = keys(lot);
            (0..own.len() as u64).map(move |number| drawn(key, number))
        };
        let numbers: Vec<u64> = lots.iter().enumerate().flat_map(draw).collect();
        let mut groups = groups_of(&numbers).into_iter();
        Self::by_lot(lots.iter().map(|own| own.iter().copied().zip(groups.by_ref()).collect()))
    }

    /// Groups of lots that have a key and a number of records.
    pub fn of_counts(keys: impl Fn(usize) -> u64, counts: &[f64]) -> Self {
        if counts.iter().sum::<f64>() > MOST_DEALT {
            let keys = (0..counts.len()).map(keys).collect();
            return Self(Parted::Counts { keys, counts: counts.to_vec() });
        }
        let ones: Vec<Vec<f64>> = counts.iter().map(|&count| vec![1.0; count as usize]).collect();
        Self::of_weights(keys, &ones)
    }

    /// Given groups: weight and group of every record of every lot.
    pub fn by_lot(lots: impl Iterator<Item = Vec<(f64, u8)>>) -> Self {
        let (mut starts, mut dealt) = (vec![0], Vec::new());
        for own in lots {
            dealt.extend(own);
            starts.push(dealt.len());
        }
        Self(Parted::Records { starts, dealt })
    }

    /// The weights of the lots without group `g`.
    pub fn without(&self, g: usize) -> Vec<f64> {
        match &self.0 {
            Parted::Records { starts, dealt } => {
                let kept = |own: &[(f64, u8)]| {
                    own.iter().filter(|(_, group)| *group as usize != g).map(|(w, _)| w).sum()
                };
                starts.windows(2).map(|ends| kept(&dealt[ends[0]..ends[1]])).collect()
            }
            Parted::Counts { keys, counts } => {
                keys.iter().zip(counts).map(|(&key, &n)| n - number_in_group(key, n, g)).collect()
            }
        }
    }
}

/// A pseudo-random number, determined by the key of a record (its content) and its number among the
/// records with the same content.
pub fn drawn(key: u64, number: u64) -> u64 {
    mixed(mixed(key).wrapping_add(mixed(number)))
}

/// The groups for the numbers [`drawn`].
fn groups_of(drawn: &[u64]) -> Vec<u8> {
    let mut order: Vec<usize> = (0..drawn.len()).collect();
    order.sort_by_key(|&i| (drawn[i], i));
    let mut groups = vec![0; drawn.len()];
    for (place, i) in order.into_iter().enumerate() {
        groups[i] = (place % GROUPS) as u8;
    }
    groups
}

/// How many of `count` equal records are in group `g`: a binomial number, drawn by its normal approximation where
/// they are many.
fn number_in_group(key: u64, count: f64, g: usize) -> f64 {
    if count <= FEW_EQUALS {
        let in_group = |number: &u64| drawn(key, *number) % GROUPS as u64 == g as u64;
        return (0..count as u64).filter(in_group).count() as f64;
    }
    // Twelve uniform numbers less six have the mean 0 and the variance 1 of a normal one.
    let key = drawn(key, g as u64);
    let uniform = |i: u64| (drawn(key, i) >> 11) as f64 / (1_u64 << 53) as f64;
    let normal = (0..12).map(uniform).sum::<f64>() - 6.0;
    let share = 1.0 / GROUPS as f64;
    (count * share + normal * (count * share * (1.0 - share)).sqrt()).round().clamp(0.0, count)
}

/// The order in which `n` records are learned from, which does not depend on their order in the file: by the number
/// [`drawn`] for each. `key` is computed from the content of a record, `compare` orders records of equal keys; records
/// that `compare` finds equal are interchangeable.
pub fn content_order(
    n: usize,
    key: impl Fn(usize) -> u64,
    compare: impl Fn(usize, usize) -> Ordering,
) -> Vec<usize> {
    let keys: Vec<u64> = (0..n).map(key).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| keys[i].cmp(&keys[j]).then_with(|| compare(i, j)));
    let mut numbered: Vec<(u64, usize)> = Vec::with_capacity(n);
    for equals in order.chunk_by(|&i, &j| keys[i] == keys[j]) {
        numbered.extend(equals.iter().zip(0..).map(|(&i, number)| (drawn(keys[i], number), i)));
    }
    // A stable sort: records with equal numbers stay in the order of keys and content.
    numbered.sort_by_key(|&(number, _)| number);
    numbered.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_of_one_size_and_equal_records_fall_anywhere() {
        let numbers: Vec<u64> = (0..410).map(|number| drawn(7, number)).collect();
        let groups = groups_of(&numbers);
        for g in 0..GROUPS as u8 {
            let members: Vec<usize> = (0..410).filter(|&i| groups[i] == g).collect();
            assert!((20..=21).contains(&members.len()), "{members:?}");
            // Not every twentieth.
            assert!(members.windows(2).any(|pair| pair[1] - pair[0] != GROUPS));
        }
    }

    #[test]
    fn the_order_follows_the_content_alone() {
        let values: Vec<u64> = (0..300).map(|i| i * i % 17).collect();
        let turned: Vec<u64> = values.iter().rev().copied().collect();
        let ordered = |values: &[u64]| -> Vec<u64> {
            let order =
                content_order(values.len(), |i| values[i], |i, j| values[i].cmp(&values[j]));
            order.into_iter().map(|i| values[i]).collect()
        };
        assert_eq!(ordered(&values), ordered(&turned));
        let sorted = {
            let mut s = values.clone();
            s.sort_unstable();
            s
        };
        assert_ne!(ordered(&values), sorted);
    }

    #[test]
    fn groups_of_very_many_records_have_the_spread_of_drawn_ones() {
        for count in [1000.0, 100_000.0] {
            let groups =
                Groups(Parted::Counts { keys: (0..500).collect(), counts: vec![count; 500] });
            let taken: Vec<f64> =
                (0..GROUPS).flat_map(|g| groups.without(g)).map(|kept| count - kept).collect();
            let n = taken.len() as f64;
            let mean = taken.iter().sum::<f64>() / n;
            let variance = taken.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            assert!((mean / (count * 0.05) - 1.0).abs() < 0.01, "{mean}");
            assert!((0.9..1.1).contains(&(variance / (count * 0.05 * 0.95))), "{variance}");
        }
    }

    #[test]
    fn groups_may_be_known() {
        let lots = vec![vec![(1.0, 0), (0.5, 1)], vec![(2.0, 0)]];
        let groups = Groups::by_lot(lots.into_iter());
        assert_eq!((groups.without(0), groups.without(1)), (vec![0.5, 0.0], vec![1.0, 2.0]));
    }
}
