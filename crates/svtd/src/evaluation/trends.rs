//! Shares of topics over time and by label.
//!
//! The share of a topic in a group of documents is the mean of their mixtures; each document counts once.
//! [`DocumentShares`] estimates these mixtures without a prior, so that an interval covers the true share; the
//! mixtures of inference are shrunk towards the prior. The standard error is that between the documents of the
//! group,
//!
//! ```text
//! share_gj = mean over d in g of theta_dj        error_gj = s_gj / sqrt(n_g)
//! ```
//!
//! with `s` the sample standard deviation. The error says how far the share would move with other documents of the
//! same kind; it does not include the error of the topics themselves. A group of one document has no deviation and
//! so no error. [`Shares::steadied`] gives intervals that also hold for groups of few documents.
//!
//! # Periods
//! [`Moment::parse`] reads years, months, days and time stamps. [`Periods`] puts documents into periods of equal
//! length; by default the shortest length that leaves enough documents in a period. [`topics_by_group`] shows how
//! the words of a topic change from period to period.

mod unmixing;
mod words;

pub use self::unmixing::{DocumentShares, Unmixing};
pub use self::words::{PeriodTopic, PeriodWord, topics_by_group};

pub use crate::calendar::{Moment, Periods, Unit};
use crate::linalg::Matrix;

/// The mean mixture of each group of documents, with its standard error.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Groups x topics: the mean share.
    pub means: Matrix,
    /// Groups x topics: the standard error of that mean. Never NaN; 0 where [`n_documents`](Self::n_documents) is
    /// below two and the error is not known.
    pub errors: Matrix,
    /// Documents in each group.
    pub n_documents: Vec<usize>,
    pooled: Option<Pooled>,
}

/// The variance between documents of a group, for each topic, pooled over all groups: for a share `p` it is `spread
/// p (1 - p) + noise`.
#[derive(Clone, Debug, PartialEq)]
struct Pooled {
    spread: Vec<f64>,
    noise: Vec<f64>,
}

/// How many degrees of freedom the pooled variance adds to those of a group. Chosen among 10, 20 and 40 on
/// generated corpora of 3 to 80 documents a group: `benches/record/trends.md`.
const POOLED_DEGREES: usize = 40;

impl Shares {
    /// Shares by group; documents whose group is `None`, or beyond the last, are left out.
    ///
    /// # Panics
    /// If there are not as many groups as mixtures.
    pub fn by_group(mixtures: &Matrix, groups: &[Option<usize>], n_groups: usize) -> Self {
        assert_eq!(mixtures.n_rows(), groups.len(), "a group, or none, for each document");
        let k = mixtures.n_columns();
        let mut n_documents = vec![0; n_groups];
        let members: Vec<(usize, usize)> = groups
            .iter()
            .enumerate()
            .filter_map(|(d, group)| Some((d, group.filter(|&g| g < n_groups)?)))
            .collect();
        members.iter().for_each(|&(_, g)| n_documents[g] += 1);
        let mut means = Matrix::zeros(n_groups, k);
        for j in 0..k {
            members.iter().for_each(|&(d, g)| means[(g, j)] += mixtures[(d, j)]);
            (0..n_groups).for_each(|g| means[(g, j)] /= n_documents[g].max(1) as f64);
        }
        // Deviations from the mean are summed in a second pass: as the difference of two large sums, small ones
        // would be lost in rounding.
        let mut errors = Matrix::zeros(n_groups, k);
        for j in 0..k {
            for &(d, g) in &members {
                errors[(g, j)] += (mixtures[(d, j)] - means[(g, j)]).powi(2);
            }
            for (g, &n) in n_documents.iter().enumerate() {
                let n = n as f64;
                let variance = if n > 1.0 { errors[(g, j)] / (n * (n - 1.0)) } else { 0.0 };
                errors[(g, j)] = variance.sqrt();
            }
        }
        Self { means, errors, n_documents, pooled: None }
    }

    /// The same shares with intervals that also hold for small groups; `noise` is the sampling variance of one
    /// document's estimate, for each topic ([`Unmixing::noise`]).
    ///
    /// The deviation between a few documents is a poor estimate, and zero where none of them has a rare topic. So
    /// the variance is pooled: that of all groups together counts beside that of the group. The interval is
    /// Wilson's: all shares that the mean does not contradict, each judged by the variance that belongs to it.
    ///
    /// # Panics
    /// If there is not a number for each topic.
    pub fn steadied(mut self, noise: Vec<f64>) -> Self {
        assert_eq!(noise.len(), self.means.n_columns(), "a number for each topic");
        let spread = |j: usize| {
            let (mut above_noise, mut at_most) = (0.0, 0.0);
            for (g, &n) in self.n_documents.iter().enumerate().filter(|(_, n)| **n > 1) {
                let (degrees, squared) = (n as f64 - 1.0, self.errors[(g, j)].powi(2));
                let p = self.means[(g, j)].clamp(0.0, 1.0);
                above_noise += degrees * (squared * n as f64 - noise[j]);
                at_most += degrees * (p * (1.0 - p) + squared);
            }
            if at_most > 0.0 { (above_noise / at_most).clamp(0.0, 1.0) } else { 1.0 }
        };
        let spread = (0..noise.len()).map(spread).collect();
        self.pooled = Some(Pooled { spread, noise });
        self
    }

    /// The share of a topic, cut to between 0 and 1 (an estimate without a prior may lie outside); `None` when the
    /// group has no documents.
    pub fn share(&self, group: usize, topic: usize) -> Option<f64> {
        (self.n_documents[group] > 0).then(|| self.means[(group, topic)].clamp(0.0, 1.0))
    }

    /// The 95 % interval of a share, within 0 and 1. `None` when the group has fewer than two documents; with
    /// [steadied](Self::steadied) intervals, when it has none.
    pub fn interval(&self, group: usize, topic: usize) -> Option<[f64; 2]> {
        let n = self.n_documents[group];
        if let Some(pooled) = self.pooled.as_ref().filter(|_| n > 0) {
            return Some(self.steady_interval(pooled, group, topic));
        }
        let (mean, error) = (self.means[(group, topic)], self.errors[(group, topic)]);
        let reach = student_t(n.checked_sub(1).filter(|&dof| dof > 0)?) * error;
        Some([(mean - reach).clamp(0.0, 1.0), (mean + reach).clamp(0.0, 1.0)])
    }
}

impl Shares {
    /// The shares `p` with `n (mean - p)^2 <= t^2 (spread p (1 - p) + noise)`.
    fn steady_interval(&self, pooled: &Pooled, group: usize, topic: usize) -> [f64; 2] {
        let n = self.n_documents[group] as f64;
        let mean = self.means[(group, topic)].clamp(0.0, 1.0);
        let own = self.errors[(group, topic)].powi(2) * n;
        let degrees = POOLED_DEGREES + self.n_documents[group] - 1;
        let weight = POOLED_DEGREES as f64 / degrees as f64;
        let t2 = student_t(degrees).powi(2);
        let spread = t2 * weight * pooled.spread[topic];
        let noise = t2 * (weight * pooled.noise[topic] + (1.0 - weight) * own);
        let (a, b) = (n + spread, 2.0 * n * mean + spread);
        let root = (b * b - 4.0 * a * (n * mean * mean - noise)).max(0.0).sqrt();
        [(b - root) / (2.0 * a), (b + root) / (2.0 * a)].map(|end| end.clamp(0.0, 1.0))
    }
}

/// The 97.5 % quantile of Student's t, for two-sided 95 % intervals.
///
/// From a table up to ten degrees of freedom, beyond that by the Cornish-Fisher expansion about the normal
/// quantile, which is then within 0.1 %.
pub fn student_t(degrees: usize) -> f64 {
    const Z: f64 = 1.959_964;
    const TABLE: [f64; 10] =
        [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match degrees {
        0 => f64::INFINITY,
        1..=10 => TABLE[degrees - 1],
        _ => {
            let (n, z3) = (degrees as f64, Z.powi(3));
            Z + (z3 + Z) / (4.0 * n) + (5.0 * Z.powi(5) + 16.0 * z3 + 3.0 * Z) / (96.0 * n * n)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_errors_agree_with_a_count_by_hand() {
        let mixtures = Matrix::from_columns(4, 2, vec![0.2, 0.4, 0.9, 0.5, 0.8, 0.6, 0.1, 0.5]);
        let groups = [Some(0), Some(0), Some(1), None];
        let shares = Shares::by_group(&mixtures, &groups, 3);
        assert_eq!(shares.n_documents, [2, 1, 0]);
        assert!((shares.means[(0, 0)] - 0.3).abs() < 1e-15);
        // Deviations of 0.1 to either side: s = sqrt(0.02), over sqrt(2).
        assert!((shares.errors[(0, 0)] - 0.1).abs() < 1e-15);
        assert_eq!((shares.means[(1, 0)], shares.interval(1, 0)), (0.9, None));
        assert_eq!(shares.means[(2, 1)], 0.0);
        let [low, high] = shares.interval(0, 0).unwrap();
        assert_eq!((low, high), (0.0, 1.0), "two documents say next to nothing");
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        let table = [(1, 12.706), (3, 3.182), (10, 2.228), (11, 2.201), (19, 2.093), (60, 2.000)];
        for (degrees, expected) in table {
            assert!((student_t(degrees) - expected).abs() < 0.001 * expected, "{degrees}");
        }
        assert!((student_t(100_000) - 1.96).abs() < 1e-3);
    }

    #[test]
    fn the_interval_covers_the_mean_of_the_population_in_95_of_100_cases() {
        // Groups of 8 drawn from a skewed population: u^3, whose mean is 1/4.
        let mut state = 7_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (n_groups, size) = (2000, 8);
        let values: Vec<f64> = (0..n_groups * size).map(|_| uniform().powi(3)).collect();
        let groups: Vec<Option<usize>> = (0..values.len()).map(|d| Some(d / size)).collect();
        let mixtures = Matrix::from_columns(values.len(), 1, values);
        let shares = Shares::by_group(&mixtures, &groups, n_groups);
        let covered = (0..n_groups).filter(|&g| {
            shares.interval(g, 0).is_some_and(|[low, high]| (low..=high).contains(&0.25))
        });
        let rate = covered.count() as f64 / n_groups as f64;
        // Skew costs some of it; without the small-sample factor it would be 0.83.
        assert!((0.86..0.97).contains(&rate), "{rate}");
    }
}
