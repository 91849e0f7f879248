//! One pass over the documents: updates their mixtures under the topics and assigns their words to the topics.
//!
//! The state of documents between two sweeps stays with the holder of the documents. It is a
//! function of the documents and of the rates they were given so far.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::kernel::{Kernel, Row, Scratch, Words};
use super::tally::{Ledger, Tally};
use super::{LANES, STRIDE};
use crate::corpus::SparseCounts;
use crate::error::Result;
use crate::memory::Numbers;
use crate::questions::{Look, Order, Rates, wrong_size};
use crate::tasks;

/// Looks at a document in a sweep: the first lets its mixture follow the topics and excludes nothing; the last one
/// excludes each word and adds to `S`.
const LOOKS: usize = 2;

/// Looks at each document with fixed topics before the first sweep.
const WARM_UP: usize = 4;

/// [`WARM_UP`] for second-order updates, with the over-relaxation of a sweep. More looks are
/// needed: mixtures that have not converged under nearly correct topics would move those topics
/// closer together.
const LONG_WARM_UP: usize = 11;

/// Number of chunks of documents, each a task of a sweep: enough for every core of a large machine
/// (`benches/record/cores.md`). Each thread has its own sums.
pub(crate) const CHUNKS: usize = 512;

/// Number of looks at a document before the first sweep, and the over-relaxation of each.
pub(crate) fn warm_up(order: Order) -> (usize, f32) {
    match order {
        Order::Zeroth => (WARM_UP, 1.0),
        Order::Second => (LONG_WARM_UP, STRIDE as f32),
    }
}

/// Numbers stored for a document between passes: `D`, and for second order `V`.
pub(crate) fn kept_for(order: Order, width: usize) -> usize {
    match order {
        Order::Zeroth => width,
        Order::Second => 2 * width,
    }
}

/// Tallies that no thread is using at the moment. There are as many as the largest number of
/// threads that ran at once.
#[derive(Default)]
pub(crate) struct Tallies(Mutex<Vec<Tally>>);

impl Tallies {
    fn take(&self, ledger: &Ledger) -> Tally {
        let idle = self.idle().pop();
        idle.unwrap_or_else(|| Tally::new(ledger))
    }

    fn give_back(&self, tally: Tally) {
        self.idle().push(tally);
    }

    /// Replaces all tallies by this one.
    pub(super) fn set(&self, tally: Tally) {
        *self.idle() = vec![tally];
    }

    /// Returns all tallies.
    pub(crate) fn taken(self) -> Vec<Tally> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Tally>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of documents between passes: their mixtures.
pub(crate) struct Mixtures {
    /// `D`, one row of topics per document, to second order followed by `V`.
    values: Numbers<f32>,
    /// Numbers stored for a document.
    kept: usize,
    order: Order,
}

impl Mixtures {
    /// The mixtures of documents that were not visited yet.
    pub(crate) fn new(rows: &SparseCounts, order: Order, width: usize) -> Self {
        let kept = kept_for(order, width);
        Self { values: Numbers::zeros(rows.n_rows() * kept, rows.limit()), kept, order }
    }

    /// Returns an error if these are not the mixtures of the given documents.
    ///
    /// # Errors
    /// When there are not as many as the documents need.
    pub(crate) fn check(&self, rows: &SparseCounts, order: Order, width: usize) -> Result<()> {
        let found = self.values.len();
        let needed = rows.n_rows() * kept_for(order, width);
        match found == needed && order == self.order {
            true => Ok(()),
            false => Err(wrong_size(found, needed)),
        }
    }

    /// The mixtures, one document behind the other.
    pub(crate) fn values(&self) -> impl Iterator<Item = f32> + '_ {
        self.values.iter().copied()
    }

    /// The order of the updates that made them.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// Restores what [`values`](Self::values) returned for the same documents.
    ///
    /// # Errors
    /// When there are not as many as the documents need.
    pub(crate) fn from_values(
        rows: &SparseCounts,
        order: Order,
        width: usize,
        values: &[f32],
    ) -> Result<Self> {
        let mut mixtures = Self::new(rows, order, width);
        let needed = mixtures.values.len();
        if values.len() != needed {
            return Err(wrong_size(values.len(), needed));
        }
        mixtures.values.copy_from_slice(values);
        Ok(mixtures)
    }

    /// Goes through the documents, of which these are the mixtures, and adds their part of the new
    /// `S` to the tallies.
    pub(crate) fn look(
        &mut self,
        rows: &SparseCounts,
        ledger: &Ledger,
        tallies: &Tallies,
        rates: &Rates,
        look: Look,
    ) {
        let order = self.order;
        let pass = |chunk: Chunk<'_>| {
            crate::stop::here();
            rows.limit().touch(size_of_val(chunk.mixtures));
            let mut tally = tallies.take(ledger);
            run(Pass { chunk, tally: &mut tally, rows, ledger, order, rates, look });
            tallies.give_back(tally);
        };
        let chunks = cut(rows, &mut self.values, self.kept).into_par_iter().with_max_len(1);
        tasks::fork(|| chunks.for_each(|chunk| tasks::branch(|| pass(chunk))));
    }
}

/// Runs a pass with the widest registers that a row of topics fills.
fn run(pass: Pass<'_>) {
    #[cfg(target_arch = "x86_64")]
    if let Arch::V4(simd) = Arch::new()
        && !pass.rates.alpha.len().is_multiple_of(LANES)
    {
        return simd.vectorize(InHalves { simd: *simd, pass });
    }
    Arch::new().dispatch(pass);
}

/// A pass with half a register at a time, and all the registers of the machine.
#[cfg(target_arch = "x86_64")]
struct InHalves<'a> {
    simd: pulp::x86::V3,
    pass: Pass<'a>,
}

#[cfg(target_arch = "x86_64")]
impl pulp::NullaryFnOnce for InHalves<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.pass.with_simd(self.simd);
    }
}

/// A pass over one chunk, compiled for each instruction set and chosen at run time.
struct Pass<'a> {
    chunk: Chunk<'a>,
    tally: &'a mut Tally,
    rows: &'a SparseCounts,
    ledger: &'a Ledger,
    order: Order,
    rates: &'a Rates,
    look: Look,
}

impl WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.order {
            Order::Zeroth => self.run_to::<S, false>(simd),
            Order::Second => self.run_to::<S, true>(simd),
        }
    }
}

impl Pass<'_> {
    /// Goes through the documents with as many registers as the topics need.
    #[inline(always)]
    fn run_to<S: Simd, const SECOND: bool>(self, simd: S) {
        let zero = simd.splat_f32s(0.0);
        let n_registers = self.rates.alpha.len() / S::F32_LANES;
        match n_registers {
            1 => self.run::<S, _, SECOND>(simd, [zero; 1]),
            2 => self.run::<S, _, SECOND>(simd, [zero; 2]),
            3 => self.run::<S, _, SECOND>(simd, [zero; 3]),
            4 => self.run::<S, _, SECOND>(simd, [zero; 4]),
            5 => self.run::<S, _, SECOND>(simd, [zero; 5]),
            6 => self.run::<S, _, SECOND>(simd, [zero; 6]),
            7 => self.run::<S, _, SECOND>(simd, [zero; 7]),
            8 => self.run::<S, _, SECOND>(simd, [zero; 8]),
            _ => self.run::<S, _, SECOND>(simd, vec![zero; n_registers]),
        }
    }

    /// Updates the documents; stores their mixtures and adds their contribution to the new `S`.
    ///
    /// `blank` is a row of topics. If its number of registers is known at compile time, the row
    /// stays in registers; otherwise it is in memory.
    #[inline(always)]
    fn run<S: Simd, R: Row<S>, const SECOND: bool>(self, simd: S, blank: R) {
        let Pass { chunk, tally, rows, ledger, order, rates, look } = self;
        let width = rates.alpha.len();
        let mut scratch = Scratch::new(&blank);
        let mut kernel = Kernel::<S, R, SECOND>::new(simd, blank, rates);
        let mixtures = chunk.mixtures.chunks_exact_mut(kept_for(order, width));
        let (looks, stride) = match look {
            Look::WarmUp => warm_up(order),
            Look::Sweep => (LOOKS, STRIDE as f32),
        };
        for (d, mixture) in chunk.documents.clone().zip(mixtures) {
            let (features, counts) = rows.row(d);
            let words = Words { features, counts };
            kernel.open(mixture);
            for _ in 1..looks {
                kernel.include(words, &mut scratch);
                kernel.settle(stride);
            }
            kernel.assign(words, look == Look::Sweep, &mut scratch, tally, ledger);
            kernel.settle(stride);
            kernel.close(mixture);
        }
    }
}

/// Consecutive documents with their mixtures.
struct Chunk<'a> {
    documents: Range<usize>,
    mixtures: &'a mut [f32],
}

/// Cuts documents, of which `kept` numbers each are kept, into [`CHUNKS`] of about equally many counts.
fn cut<'a>(rows: &SparseCounts, mut rest: &'a mut [f32], kept: usize) -> Vec<Chunk<'a>> {
    let (offsets, total) = (rows.offsets(), rows.n_nonzeros());
    let mut chunks = Vec::with_capacity(CHUNKS);
    let mut first = 0;
    for c in 1..=CHUNKS {
        let last = match c {
            CHUNKS => rows.n_rows(),
            _ => offsets.partition_point(|&o| o < total * c / CHUNKS).clamp(first, rows.n_rows()),
        };
        let (mixtures, behind) = rest.split_at_mut((last - first) * kept);
        if last > first {
            chunks.push(Chunk { documents: first..last, mixtures });
        }
        (first, rest) = (last, behind);
    }
    chunks
}
