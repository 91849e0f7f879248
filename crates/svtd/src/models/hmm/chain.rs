//! The parameters of a hidden Markov model.
//!
//! During a fit they are in one vector, so that an accelerated step can extrapolate them together:
//!
//! ```text
//! pi (k) | A, row after row (k k) | emissions, state after state (k e)
//! categorical: probabilities of all categories, variable after variable
//! poisson: rates   gaussian: means, then variances   multinomial: probabilities of all symbols
//! ```

use super::sequences::Emissions;

/// How the emission parameters of a state are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) emissions: Emissions,
    /// Number of variables.
    pub(super) d: usize,
    /// First category of each variable, and their total at the end; categorical only.
    pub(super) offsets: Vec<usize>,
}

impl Layout {
    pub(super) fn new(emissions: Emissions, d: usize, categories: &[Vec<String>]) -> Self {
        let mut offsets = vec![0];
        if emissions == Emissions::Categorical {
            for own in categories {
                offsets.push(offsets.last().copied().unwrap_or(0) + own.len());
            }
        }
        Self { emissions, d, offsets }
    }

    /// Number of values that describe the emissions of one state.
    pub(super) fn width(&self) -> usize {
        match self.emissions {
            Emissions::Categorical => self.offsets.last().copied().unwrap_or(0),
            Emissions::Poisson | Emissions::Multinomial => self.d,
            Emissions::Gaussian => 2 * self.d,
        }
    }

    /// Number of free values among them.
    pub(super) fn n_free(&self) -> usize {
        match self.emissions {
            Emissions::Categorical => self.width() - self.d,
            Emissions::Multinomial => self.d - 1,
            _ => self.width(),
        }
    }

    /// The places of a state's emissions when its variables are in another order.
    pub(super) fn places(&self, order: &[usize]) -> Vec<usize> {
        match self.emissions {
            Emissions::Categorical => {
                order.iter().flat_map(|&v| self.offsets[v]..self.offsets[v + 1]).collect()
            }
            Emissions::Poisson | Emissions::Multinomial => order.to_vec(),
            Emissions::Gaussian => {
                order.iter().copied().chain(order.iter().map(|&v| self.d + v)).collect()
            }
        }
    }

    /// Ranges of a state's emissions that sum to one.
    pub(super) fn laws(&self) -> Vec<std::ops::Range<usize>> {
        match self.emissions {
            Emissions::Categorical => self.offsets.windows(2).map(|w| w[0]..w[1]).collect(),
            Emissions::Multinomial => std::iter::once(0..self.d).collect(),
            _ => Vec::new(),
        }
    }
}

/// `pi`, `A` and emissions of `k` states.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    pub(super) k: usize,
    /// Number of emission values of each state.
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Chain {
    pub(super) fn zeros(k: usize, width: usize) -> Self {
        Self { k, width, values: vec![0.0; k + k * k + k * width] }
    }

    /// The distribution of the first state.
    pub(super) fn initial(&self) -> &[f64] {
        &self.values[..self.k]
    }

    pub(super) fn initial_mut(&mut self) -> &mut [f64] {
        &mut self.values[..self.k]
    }

    /// `A`, row after row.
    pub(super) fn transitions(&self) -> &[f64] {
        &self.values[self.k..self.k + self.k * self.k]
    }

    pub(super) fn transitions_mut(&mut self) -> &mut [f64] {
        let k = self.k;
        &mut self.values[k..k + k * k]
    }

    /// Emission parameters of state `j`.
    pub(super) fn emission(&self, j: usize) -> &[f64] {
        let first = self.k + self.k * self.k + j * self.width;
        &self.values[first..first + self.width]
    }

    pub(super) fn emission_mut(&mut self, j: usize) -> &mut [f64] {
        let first = self.k + self.k * self.k + j * self.width;
        &mut self.values[first..first + self.width]
    }

    /// The same chain with its states in another order.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let k = self.k;
        let mut result = self.clone();
        for (to, &from) in order.iter().enumerate() {
            result.initial_mut()[to] = self.initial()[from];
            result.emission_mut(to).copy_from_slice(self.emission(from));
            for (column, &source) in order.iter().enumerate() {
                result.transitions_mut()[to * k + column] = self.transitions()[from * k + source];
            }
        }
        result
    }
}

/// Expected number of steps that a state lasts once entered.
pub(super) fn dwell(stay: f64) -> f64 {
    1.0 / (1.0 - stay).max(1e-12)
}

/// The stationary distribution of `A` (row after row).
///
/// A tiny probability of every other transition is mixed in, so that the distribution is unique even where states
/// do not all reach each other.
pub(super) fn stationary(transitions: &[f64], k: usize) -> Vec<f64> {
    const MIXED_IN: f64 = 1e-12;
    // (I - A' + 1 1') x = 1, by elimination with pivots.
    let width = k + 1;
    let mut rows = vec![0.0; k * width];
    for i in 0..k {
        for j in 0..k {
            let a = (1.0 - MIXED_IN) * transitions[j * k + i] + MIXED_IN / k as f64;
            rows[i * width + j] = if i == j { 2.0 - a } else { 1.0 - a };
        }
        rows[i * width + k] = 1.0;
    }
    for c in 0..k {
        let pivot = (c..k)
            .max_by(|&a, &b| {
                let (x, y) = (rows[a * width + c].abs(), rows[b * width + c].abs());
                x.total_cmp(&y).then(b.cmp(&a))
            })
            .unwrap_or(c);
        for at in 0..width {
            rows.swap(c * width + at, pivot * width + at);
        }
        for r in 0..k {
            if r != c && rows[c * width + c] != 0.0 {
                let factor = rows[r * width + c] / rows[c * width + c];
                for at in c..width {
                    rows[r * width + at] -= factor * rows[c * width + at];
                }
            }
        }
    }
    let law: Vec<f64> =
        (0..k).map(|i| (rows[i * width + k] / rows[i * width + i]).max(0.0)).collect();
    let total: f64 = law.iter().sum();
    if total.is_finite() && total > 0.0 {
        law.iter().map(|x| x / total).collect()
    } else {
        vec![1.0 / k as f64; k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stationary_law_is_left_as_it_is() {
        let a = [0.9, 0.1, 0.0, 0.2, 0.5, 0.3, 0.0, 0.4, 0.6];
        let law = stationary(&a, 3);
        for j in 0..3 {
            let next: f64 = (0..3).map(|i| law[i] * a[i * 3 + j]).sum();
            assert!((next - law[j]).abs() < 1e-10);
        }
    }

    #[test]
    fn states_that_never_meet_still_have_a_law() {
        let law = stationary(&[1.0, 0.0, 0.0, 1.0], 2);
        assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(law.iter().all(|p| p.is_finite() && *p >= 0.0));
    }
}
