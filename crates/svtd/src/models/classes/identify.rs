//! Whether `k` classes can be identified: before a fit from the items and their pairs, after it from the
//! information matrix at the estimate.
//!
//! * **The items** (Allman, Matias and Rhodes 2009): if items can be dealt into three groups with
//!   `K1, K2, K3` joint answers so that `min(k, K1) + min(k, K2) + min(k, K3) >= 2k + 2`, then `k`
//!   classes are identified but for exceptional parameters. For yes/no items that is
//!   `p >= 2 ceil(log2 k) + 1` of them.
//! * **Their pairs**: answers to half of the items against answers to the other half form a matrix
//!   of rank `k`. Its singular directions are taken from nineteen twentieths of the records and
//!   measured on the last, in turn: noise then measures 0 in the mean, and the twenty
//!   measurements give the error.
//! * **The estimate**: the expected information in log-odds. A direction without information is
//!   one along which parameters can move and explain the records as well.

use serde::{Deserialize, Serialize};

use super::data::Records;
use super::items::ItemKind;
use super::model::{ClassModel, normalise_within};
use super::parameters::ClassParameters;
use super::spectral::pair_counts;
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::models::engine::{GROUPS, Groups, JACKKNIFE_FACTOR, LatentModel};

/// With more possible patterns than this, the information is not summed over all of them.
const MAX_PATTERNS: usize = 4096;

/// With more parameters than this, the information matrix is not computed.
const MAX_PARAMETERS: usize = 400;

/// Probabilities this close to 0 or 1 have no log-odds.
const BOUNDARY: f64 = 1e-6;

/// An eigenvalue of the information matrix below this fraction of the largest counts as zero.
const NO_INFORMATION: f64 = 1e-8;

/// The largest number of singular values that are measured.
const MAX_RANK: usize = 12;

/// A singular value of the pairs, with its error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visible {
    /// Its mean over records that were not used to find its direction.
    pub value: f64,
    /// The standard error of that mean.
    pub error: f64,
}

/// What items and their pairs say about classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identifiability {
    /// The largest number of classes that the items identify, except for special parameters; at most 64 are
    /// considered.
    pub most_classes: usize,
    /// Number of classes visible in pairs of answers: singular values that exceed their errors.
    pub visible: usize,
    /// The singular values, falling.
    pub singular_values: Vec<Visible>,
    /// Number of possible answers to all items together, less one; infinite with real numbers.
    pub n_free_cells: f64,
    /// Number of records, with their weights.
    pub n_records: f64,
    /// Number of distinct patterns.
    pub n_patterns: usize,
    /// Number of missing answers.
    pub n_missing: usize,
}

impl Identifiability {
    /// Examines the records.
    pub fn of(records: &Records) -> Self {
        let sizes: Vec<f64> = records
            .items()
            .iter()
            .map(|item| match &item.kind {
                ItemKind::Categorical { labels } => labels.len() as f64,
                _ => f64::INFINITY,
            })
            .collect();
        let by_name = records.in_columns(&records.columns_by_name());
        let (visible, singular_values) = measured_rank(&by_name, &by_name.groups());
        Self {
            most_classes: most_classes(&sizes),
            visible,
            singular_values,
            n_free_cells: sizes.iter().product::<f64>() - 1.0,
            n_records: records.total_weight(),
            n_patterns: records.n_patterns(),
            n_missing: records.n_missing(),
        }
    }

    /// Why `k` classes may not be identified, or `None` when nothing speaks against them.
    pub fn objection(&self, k: usize) -> Option<String> {
        (k > self.most_classes).then(|| {
            format!(
                "{k} classes are more than these items identify for sure ({}); ask for {} or fewer, \
                 or add items",
                self.most_classes, self.most_classes
            )
        })
    }
}

/// How many singular values of the pairs between two halves of the items exceed their errors, and all of them. The
/// errors come from independent groups of the records.
pub(crate) fn measured_rank(records: &Records, groups: &Groups) -> (usize, Vec<Visible>) {
    let values = singular_values(records, groups);
    let clear = |v: &&Visible| v.value > JACKKNIFE_FACTOR * v.error;
    (values.iter().take_while(clear).count(), values)
}

/// The largest `k` that a division of the items into three groups identifies.
pub fn most_classes(sizes: &[f64]) -> usize {
    if sizes.len() < 3 {
        return 1;
    }
    (2..=64).take_while(|&k| dealt(sizes, k as f64)).last().unwrap_or(1)
}

fn dealt(sizes: &[f64], k: f64) -> bool {
    let enough = |groups: &[f64; 3]| groups.iter().map(|g| g.min(k)).sum::<f64>() >= 2.0 * k + 2.0;
    if sizes.len() <= 9 {
        return (0..3_usize.pow(sizes.len() as u32)).any(|mut deal| {
            let mut groups = [1.0; 3];
            for size in sizes {
                groups[deal % 3] *= size;
                deal /= 3;
            }
            enough(&groups)
        });
    }
    // Too many divisions to try them all: an even one, and two groups just large enough with the rest in the third.
    let mut order: Vec<f64> = sizes.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let (mut even, mut filled) = ([1.0_f64; 3], [1.0_f64; 3]);
    for size in order {
        let smallest = (0..3).min_by(|&a, &b| even[a].total_cmp(&even[b])).unwrap_or(0);
        even[smallest] *= size;
        filled[(0..2).find(|&g| filled[g] < k).unwrap_or(2)] *= size;
    }
    enough(&even) || enough(&filled)
}

/// Singular values of the pairs between two halves of the items, each measured on records that were not used to
/// find its direction.
fn singular_values(records: &Records, groups: &Groups) -> Vec<Visible> {
    let offsets = records.offsets();
    let n_items = offsets.len() - 1;
    if n_items < 2 {
        return Vec::new();
    }
    let model = ClassModel::new(records.clone(), 0.0);
    let scales: Vec<f64> = model.frequencies.iter().map(|m1| (m1 + 1e-2).powf(-0.5)).collect();
    // Neighbouring questions are often about one thing, so they alternate between the halves.
    let half = |parity: usize| -> Vec<(usize, usize)> {
        let items = (0..n_items).filter(|b| b % 2 == parity);
        items.flat_map(|b| (offsets[b]..offsets[b + 1]).map(move |i| (b, i))).collect()
    };
    let (rows, columns) = (half(0), half(1));
    let all = pair_counts(records);
    let cross = |counts: &Matrix| {
        let both = |b: usize, c: usize| -> f64 {
            let cells = (offsets[b]..offsets[b + 1])
                .flat_map(|i| (offsets[c]..offsets[c + 1]).map(move |h| (i, h)));
            cells.map(|place| counts[place]).sum()
        };
        let masses =
            Matrix::from_fn(n_items, n_items, |b, c| if b == c { 0.0 } else { both(b, c) });
        Matrix::from_fn(rows.len(), columns.len(), |a, d| {
            let ((b, i), (c, h)) = (rows[a], columns[d]);
            scales[i] * scales[h] * counts[(i, h)] / masses[(b, c)].max(f64::MIN_POSITIVE)
        })
    };
    let rank = MAX_RANK.min(rows.len()).min(columns.len());
    let measured: Vec<Vec<f64>> = (0..GROUPS)
        .filter_map(|g| {
            let without = groups.without(g);
            let group: Vec<f64> =
                records.weights().iter().zip(&without).map(|(w, kept)| w - kept).collect();
            (group.iter().any(|&w| w > 0.0) && without.iter().any(|&w| w > 0.0)).then(|| {
                let own = pair_counts(&records.reweighted(group));
                let mut others = all.clone();
                others.add(-1.0, &own);
                measure(&cross(&others), &cross(&own), rank)
            })
        })
        .collect();
    let groups = measured.len() as f64;
    (0..rank)
        .map(|l| {
            let value = measured.iter().map(|m| m[l]).sum::<f64>() / groups;
            let squares: f64 = measured.iter().map(|m| (m[l] - value).powi(2)).sum();
            Visible { value, error: (squares / (groups * (groups - 1.0)).max(1.0)).sqrt() }
        })
        .collect()
}

/// `u'X v` for the leading singular pairs `u, v` of another matrix.
fn measure(directions: &Matrix, matrix: &Matrix, rank: usize) -> Vec<f64> {
    let (_, left) = symmetric_eigen(&directions.times(&directions.transpose()));
    let right = directions.transpose_times(&left.columns(0..rank));
    (0..rank)
        .map(|l| {
            let norm = dot(right.column(l), right.column(l)).sqrt();
            let image = matrix.times(&right.columns(l..l + 1));
            if norm > 0.0 { dot(left.column(l), image.column(0)) / norm } else { 0.0 }
        })
        .collect()
}

/// Whether the information matrix at the estimate is non-singular; `None` when that is not checked: with numbers
/// among the items, or very many parameters.
pub(super) fn locally_identified(model: &ClassModel, p: &ClassParameters) -> Option<bool> {
    let k = p.n_classes();
    if k == 1 {
        return Some(true);
    }
    if !model.laws.is_empty() || model.n_free_parameters(k) > MAX_PARAMETERS {
        return None;
    }
    let records = every_pattern(&model.records, p)?;
    let all = ClassModel::new(records, 0.0);
    let r = all.responsibilities(p);
    let scores = scores(&all, p, &r);
    let mut weighted = scores.clone();
    weighted.scale_rows(all.records.weights());
    let mut information = scores.transpose_times(&weighted);
    let roots: Vec<f64> = (0..information.n_rows())
        .map(|l| information[(l, l)].max(f64::MIN_POSITIVE).powf(-0.5))
        .collect();
    information.scale_rows(&roots);
    information.scale_columns(&roots);
    let (values, _) = symmetric_eigen(&information);
    Some(values.last().is_some_and(|least| *least > NO_INFORMATION * values[0]))
}

/// All possible patterns with their probabilities or, when they are too many, the observed ones if there are far
/// more of them than parameters.
fn every_pattern(records: &Records, p: &ClassParameters) -> Option<Records> {
    let sizes: Vec<usize> = records.offsets().windows(2).map(|pair| pair[1] - pair[0]).collect();
    let cells = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    match cells {
        Some(cells) if cells <= MAX_PATTERNS => {
            let answer = |cell: usize| {
                let mut rest = cell;
                sizes.iter().map(move |&size| {
                    let own = rest % size;
                    rest /= size;
                    own as u32
                })
            };
            let answers: Vec<u32> = (0..cells).flat_map(answer).collect();
            let plain = Records::with_rows(records.items().to_vec(), &answers, vec![1.0; cells]);
            let logs = ClassModel::new(plain.clone(), 0.0).pattern_log_likelihoods(p);
            Some(plain.reweighted(logs.iter().map(|log| log.exp()).collect()))
        }
        _ => {
            let n = records.n_patterns();
            let thinned = records.thinned(n.div_ceil(MAX_PATTERNS));
            let parameters = p.shares.len() * (records.n_categories() - sizes.len() + 1);
            (thinned.n_patterns() > 3 * parameters).then_some(thinned)
        }
    }
}

/// Derivatives of every pattern's log-likelihood in log-odds, patterns x parameters.
fn scores(model: &ClassModel, p: &ClassParameters, r: &Matrix) -> Matrix {
    let k = p.n_classes();
    let offsets = model.records.offsets();
    let (jc, n) = (offsets.len() - 1, model.records.n_categories());
    let codes = &model.records.rows.codes;
    let inside = |value: f64| value > BOUNDARY && value < 1.0 - BOUNDARY;
    let mut places = Vec::new();
    for (b, pair) in offsets.windows(2).enumerate() {
        for j in 0..k {
            // The likeliest category is the reference for the others.
            let value = |i: usize| p.probabilities[i * k + j];
            let base = (pair[0]..pair[1]).max_by(|&a, &c| value(a).total_cmp(&value(c)));
            for i in pair[0]..pair[1] {
                if Some(i) != base && inside(value(i)) {
                    places.push((b, i, j));
                }
            }
        }
    }
    let n_items = places.len();
    Matrix::from_fn(r.n_rows(), n_items + k - 1, |u, place| match places.get(place) {
        Some(&(b, i, j)) => {
            let code = codes[u * jc + b] as usize;
            let observed = f64::from(u8::from(code != n));
            r[(u, j)] * (f64::from(u8::from(code == i)) - observed * p.probabilities[i * k + j])
        }
        None => r[(u, place - n_items)] - p.shares[place - n_items],
    })
}

/// Patterns of answers with their exact probabilities under known classes, for exact moments.
pub fn exact_records(items: Vec<super::Item>, p: &ClassParameters) -> Option<Records> {
    let labels = items.iter().map(|item| item.labels().len());
    let mut offsets = vec![0];
    labels.for_each(|size| offsets.push(offsets[offsets.len() - 1] + size));
    let mut normalised = p.clone();
    normalise_within(&mut normalised.probabilities, &offsets, p.n_classes(), None);
    let empty = Records::with_rows(items, &[], Vec::new());
    every_pattern(&empty, &normalised)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_no_items_carry_as_many_classes_as_the_theorem_says() {
        for p in 3..=15 {
            // p >= 2 ceil(log2 k) + 1: the largest k is 2^floor((p-1)/2).
            let expected = 1_usize << ((p - 1) / 2);
            assert!(most_classes(&vec![2.0; p]) >= expected.min(64), "{p}");
        }
        // With an odd number of items there is no better deal than the theorem's.
        assert_eq!([3, 5, 7].map(|p| most_classes(&vec![2.0; p])), [2, 4, 8]);
        assert_eq!(most_classes(&[2.0, 2.0]), 1);
        assert_eq!(most_classes(&[3.0, 3.0, 3.0]), 3);
        assert!(most_classes(&[f64::INFINITY; 3]) == 64);
    }
}
