//! Records in blocks: 64 at a time, variable after variable, all with the same values missing.
//!
//! Within a block the loops of an EM step run over records, so that they fill vector registers
//! whatever the number of variables. Records are sorted by which of their values are missing, so
//! that what depends on that alone (a Cholesky factor, a regression on what was observed) is
//! computed once for each pattern and component. Sums are made block by block and added in the
//! order of the blocks: the same bits for any number of threads.

use rayon::prelude::*;

/// Number of records in a block.
pub(super) const WIDTH: usize = 64;

/// Number of blocks that one task handles.
const BLOCKS_PER_TASK: usize = 32;

/// Which variables are observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) observed: Vec<usize>,
    pub(super) missing: Vec<usize>,
}

/// Up to [`WIDTH`] records of one pattern.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) pattern: usize,
    /// Position of its first record in the order of the blocks.
    pub(super) first: usize,
    /// Number of records; positions after them are zero, with weight zero.
    pub(super) len: usize,
    /// Value of variable `a` for record `u` at `a * WIDTH + u`; zero where missing.
    pub(super) values: Vec<f64>,
    pub(super) weights: [f64; WIDTH],
}

/// All records, in blocks.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub(super) n_variables: usize,
    pub(super) patterns: Vec<Pattern>,
    pub(super) blocks: Vec<Block>,
    /// The record at each position.
    pub(super) order: Vec<usize>,
}

impl Blocks {
    /// Blocks of the records `record(0..n)`, in the coordinates of the fit; NaN where missing.
    pub(super) fn new(
        n_variables: usize,
        n_records: usize,
        record: impl Fn(usize) -> Vec<f64>,
        weight: impl Fn(usize) -> f64,
    ) -> Self {
        let rows: Vec<Vec<f64>> = (0..n_records).map(record).collect();
        let masks: Vec<Vec<bool>> =
            rows.iter().map(|row| row.iter().map(|x| x.is_nan()).collect()).collect();
        let mut order: Vec<usize> = (0..n_records).collect();
        // `false` sorts first: complete records come before the others, each group in its order.
        order.sort_by(|&i, &j| masks[i].cmp(&masks[j]).then(i.cmp(&j)));
        let mut result =
            Self { n_variables, patterns: Vec::new(), blocks: Vec::new(), order: Vec::new() };
        let mut start = 0;
        for group in order.chunk_by(|&i, &j| masks[i] == masks[j]) {
            let (missing, observed) = (0..n_variables).partition(|&a| masks[group[0]][a]);
            result.patterns.push(Pattern { observed, missing });
            for members in group.chunks(WIDTH) {
                result.blocks.push(block(
                    &rows,
                    members,
                    start,
                    result.patterns.len() - 1,
                    &weight,
                ));
                start += members.len();
            }
        }
        result.order = order;
        result
    }

    /// Number of records.
    pub(super) fn n_records(&self) -> usize {
        self.order.len()
    }

    /// Folds tasks of blocks, in parallel, and returns their results in order.
    pub(super) fn by_task<T: Send>(&self, task: impl Fn(&[Block]) -> T + Sync + Send) -> Vec<T> {
        if self.blocks.len() <= BLOCKS_PER_TASK {
            return vec![task(&self.blocks)];
        }
        self.blocks.par_chunks(BLOCKS_PER_TASK).map(task).collect()
    }

    /// The value of variable `a` of the record at a place of the order; zero where missing.
    pub(super) fn for_each_record(&self, mut visit: impl FnMut(usize, &[f64], f64)) {
        let mut record = vec![0.0; self.n_variables];
        for block in &self.blocks {
            for u in 0..block.len {
                for (a, x) in record.iter_mut().enumerate() {
                    *x = block.values[a * WIDTH + u];
                }
                visit(block.first + u, &record, block.weights[u]);
            }
        }
    }
}

fn block(
    rows: &[Vec<f64>],
    members: &[usize],
    first: usize,
    pattern: usize,
    weight: &impl Fn(usize) -> f64,
) -> Block {
    let d = rows[members[0]].len();
    let mut values = vec![0.0; d * WIDTH];
    let mut weights = [0.0; WIDTH];
    for (u, &i) in members.iter().enumerate() {
        weights[u] = weight(i);
        for (a, &x) in rows[i].iter().enumerate() {
            values[a * WIDTH + u] = if x.is_nan() { 0.0 } else { x };
        }
    }
    Block { pattern, first, len: members.len(), values, weights }
}
