//! Prefetching: loads memory into the cache before it is needed.
//!
//! Rows of a table that are visited in the order of a document's words lie far apart, and no processor can guess
//! the next one. Prefetching a row several words ahead hides most of the waiting time.
//!
//! # Soundness
//! A prefetch is a hint: it reads nothing that a program could see, writes nothing, and cannot fault
//! whatever the address is. The address is that of an element of a slice all the same.

#![allow(unsafe_code, reason = "a hint to the processor, which the language has no safe name for")]

use crate::aligned::LINE_BYTES;

/// Number of four-byte elements in a cache line.
const LINE: usize = LINE_BYTES / 4;

/// Prefetches `len` elements from `start` on, or as many as there are.
#[inline(always)]
pub(crate) fn will_need<T>(values: &[T], start: usize, len: usize) {
    const { assert!(size_of::<T>() == 4, "lines are counted in elements of four bytes") };
    for at in (start..start + len).step_by(LINE) {
        if let Some(value) = values.get(at) {
            hint(value);
        }
    }
}

/// Prefetches a row of a table, if there is one of this number.
#[inline(always)]
pub(crate) fn will_need_row<const W: usize>(rows: &[[f64; W]], at: usize) {
    if let Some(row) = rows.get(at) {
        row.iter().step_by(LINE_BYTES / size_of::<f64>()).for_each(hint);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hint<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch has no effect that a program can see, and the address is a valid one.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn hint<T>(_: &T) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_may_be_asked_for() {
        let values = vec![1.0_f32; 40];
        for start in [0, 30, 39, 40, 41, 1 << 40] {
            will_need(&values, start, 32);
        }
        will_need::<u32>(&[], 0, 16);
        will_need_row(&[[1.0; 16]; 3], 2);
        will_need_row(&[[1.0; 16]; 3], 3);
    }
}
