//! The Frobenius norm of the third moment, for small vocabularies.

use rayon::prelude::*;

use super::SingleTopicMoments;

impl SingleTopicMoments<'_> {
    /// `|M3|^2`, the sum of the squares of all entries.
    ///
    /// One slice at a time and only entries `i <= h <= l`, each counted as often as its indices can be permuted:
    /// `sum_d m_d^3 / 6` steps for documents of `m_d` different words, and `n^3 / 6` for the sum. A task holds one
    /// slice, never the cube.
    pub(crate) fn third_norm_squared(&self) -> f64 {
        let table = self.rows.table();
        // For every feature the documents that hold it, and where in the document.
        let mut holders: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.n_features];
        for d in (0..table.n_rows()).filter(|&d| self.weights.third[d] > 0.0) {
            for (position, &i) in table.row(d).0.iter().enumerate() {
                holders[i as usize].push((d as u32, position as u32));
            }
        }
        let squares: Vec<f64> = (0..self.n_features)
            .into_par_iter()
            .map_init(Vec::new, |slice, i| {
                crate::stop::here();
                self.slice_norm_squared(i, &holders[i], slice)
            })
            .collect();
        squares.iter().sum()
    }

    /// The part of `|M3|^2` whose smallest index is `i`.
    fn slice_norm_squared(&self, i: usize, holders: &[(u32, u32)], slice: &mut Vec<f64>) -> f64 {
        let side = self.n_features - i;
        slice.clear();
        slice.resize(side * side, 0.0);
        for &(d, position) in holders {
            let (features, counts) = self.rows.table().row(d as usize);
            let weight = self.weights.third[d as usize];
            let count = |at: usize| self.counting.value(counts[at]);
            let first = position as usize;
            for second in first..features.len() {
                // When both words are the same, one occurrence is already used.
                let pair = weight * count(first) * (count(second) - f64::from(second == first));
                let row = (features[second] as usize - i) * side;
                for (third, &l) in features.iter().enumerate().skip(second) {
                    let taken = f64::from(third == second) + f64::from(third == first);
                    slice[row + l as usize - i] += pair * (count(third) - taken);
                }
            }
        }
        let mut sum = 0.0;
        for h in 0..side {
            for l in h..side {
                let orders = match (h == 0, l == h) {
                    (true, true) => 1.0,
                    (false, false) => 6.0,
                    _ => 3.0,
                };
                sum += orders * slice[h * side + l] * slice[h * side + l];
            }
        }
        sum
    }
}
