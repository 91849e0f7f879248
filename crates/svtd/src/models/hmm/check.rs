//! What can be learned about states from sequences, before a fit.
//!
//! * **The sequences** (Allman, Matias and Rhodes 2009, theorem 6): with `c` different observations,
//!   `2m + 1` steps in a row identify up to `binomial(m + c - 1, c - 1)` states, but for exceptional
//!   parameters. Three steps in a row identify `c` of them. Numbers identify any number of states from
//!   three steps in a row.
//! * **Neighbouring steps**: observations at one step against those at the next form a matrix whose
//!   rank is the number of states that can be seen one step apart. Its singular values are measured as
//!   those of pairs of answers are ([`Identifiability`](crate::models::classes::Identifiability)),
//!   twentieths of the steps left out in turn. Independent steps show one.

use serde::Serialize;

use super::model::HmmModel;
use super::sequences::{Emissions, Sequences};
use super::symbols::{self, Symbols};
use crate::error::Result;
use crate::models::classes::{Item, ItemKind, Records, Visible, measured_rank};
use crate::models::engine::{GROUPS, Groups};
use crate::models::table::MISSING;

/// The largest number of states that is considered.
const MAX_STATES: usize = 64;

/// Numbers are binned as for this many states.
const BINNED_STATES: usize = 6;

/// What can be learned about states from sequences.
#[derive(Clone, Debug, Serialize)]
pub struct SequenceCheck {
    /// The kind of the observations.
    pub emissions: Emissions,
    /// Number of sequences.
    pub n_sequences: usize,
    /// Number of steps in all.
    pub n_steps: usize,
    /// Steps of the shortest sequence.
    pub shortest: usize,
    /// Steps of the longest sequence.
    pub longest: usize,
    /// Number of missing observations.
    pub n_missing: usize,
    /// The largest number of states that parts of the longest sequence identify; at most 64 are considered.
    pub most_states: usize,
    /// Number of states visible from one step to the next: singular values that exceed their errors.
    pub visible: usize,
    /// The singular values, falling.
    pub singular_values: Vec<Visible>,
}

impl SequenceCheck {
    /// What these sequences can say.
    ///
    /// # Errors
    /// When nothing can be learned from them.
    pub fn of(sequences: &Sequences) -> Result<Self> {
        sequences.check_learnable()?;
        let lengths = sequences.lengths();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let n_different = match sequences.emissions() {
            Emissions::Categorical => {
                sequences.categories().iter().map(|labels| labels.len() as f64).product()
            }
            _ => f64::INFINITY,
        };
        let missing = |t: usize| sequences.step(t).iter().filter(|x| x.is_nan()).count();
        let (visible, singular_values) = neighbours(sequences).map_or((1, Vec::new()), |records| {
            let measured = measured_rank(&records, &stretches(&records));
            (measured.0.max(1), measured.1)
        });
        Ok(Self {
            emissions: sequences.emissions(),
            n_sequences: lengths.len(),
            n_steps: sequences.n_steps(),
            shortest: lengths.iter().copied().min().unwrap_or(0),
            longest,
            n_missing: (0..sequences.n_steps()).map(missing).sum(),
            most_states: most_states(longest, n_different),
            visible,
            singular_values,
        })
    }

    /// Why `k` states may not be identified, or `None` when nothing speaks against them.
    pub fn objection(&self, k: usize) -> Option<String> {
        (k > self.most_states).then(|| {
            format!(
                "{k} states are more than sequences of {} steps identify for sure ({}); ask for {} \
                 or fewer, or take longer sequences",
                self.longest, self.most_states, self.most_states
            )
        })
    }
}

/// The largest number of states that `n_steps` consecutive steps identify, each with one of `n_different`
/// observations.
fn most_states(n_steps: usize, n_different: f64) -> usize {
    let m = n_steps.saturating_sub(1) / 2;
    if m == 0 {
        return 1;
    }
    // binomial(m + c - 1, m), factor by factor, until it exceeds the limit.
    let mut states = 1.0;
    for i in 1..=m {
        states *= (n_different + i as f64 - 1.0) / i as f64;
        if states >= MAX_STATES as f64 {
            return MAX_STATES;
        }
    }
    states.round() as usize
}

/// Every two neighbouring steps as a record of two items; `None` where only one symbol is seen.
fn neighbours(sequences: &Sequences) -> Option<Records> {
    let model = HmmModel::new(sequences.in_content_order(), 1.0);
    let symbols = Symbols::new(&model, BINNED_STATES)?;
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for steps in model.ranges() {
        pairs.extend(symbols.of[steps].windows(2).map(|pair| [pair[0], pair[1]]));
    }
    let labels: Vec<String> = (0..symbols.n_symbols).map(|s| s.to_string()).collect();
    let item = |name: &str| Item {
        name: name.to_owned(),
        kind: ItemKind::Categorical { labels: labels.clone() },
    };
    let code = |s: u32| if s == symbols::MISSING { MISSING } else { s };
    let answers: Vec<u32> = pairs.iter().flatten().copied().map(code).collect();
    Some(Records::from_codes(vec![item("step"), item("next")], &answers, vec![1.0; pairs.len()]))
}

/// Groups of consecutive pairs, because neighbouring pairs are not independent.
fn stretches(pairs: &Records) -> Groups {
    let n = pairs.n_records();
    let groups: Vec<u8> = (0..n).map(|u| (u * GROUPS / n) as u8).collect();
    pairs.groups_given(&groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::distr::Distribution;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardUniform;

    /// A chain that stays where it is with probability `stay`; symbols follow the state.
    fn drawn(n: usize, stay: f64) -> Sequences {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut state = 0_usize;
        let values = (0..n).map(|_| {
            let [move_on, symbol]: [f64; 2] = StandardUniform.sample(&mut rng);
            if move_on > stay {
                state = 1 - state;
            }
            f64::from(u8::from(symbol < [0.2, 0.8][state]))
        });
        Sequences::new(Emissions::Categorical, 1, values.collect(), vec![n]).unwrap()
    }

    #[test]
    fn states_that_last_are_visible_and_independent_steps_show_one() {
        assert_eq!(SequenceCheck::of(&drawn(3000, 0.9)).unwrap().visible, 2);
        assert_eq!(SequenceCheck::of(&drawn(3000, 0.5)).unwrap().visible, 1);
    }

    #[test]
    fn longer_stretches_identify_more_states() {
        assert_eq!([2, 3, 5, 7].map(|n| most_states(n, 4.0)), [1, 4, 10, 20]);
        assert_eq!(most_states(3, f64::INFINITY), MAX_STATES);
        let short = Sequences::new(Emissions::Categorical, 1, vec![0.0, 1.0, 0.0], vec![3]);
        let check = SequenceCheck::of(&short.unwrap()).unwrap();
        assert!(check.objection(2).is_none());
        assert!(check.objection(3).unwrap().contains("sequences of 3 steps"));
    }
}
