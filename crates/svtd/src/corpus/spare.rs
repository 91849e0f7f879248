//! Memory for partial sums, reused by passes over the same counts.
//!
//! A fit makes hundreds of passes, and a partial sum has a number for every word and column. Allocating and freeing
//! that much memory in every pass cost a tenth of its time.

use std::sync::{Mutex, PoisonError};

use crate::aligned::Aligned;

/// Tables that are not in use.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Aligned<f64>>>);

impl Spare {
    /// A table of `n` zeros.
    pub(crate) fn zeros(&self, n: usize) -> Aligned<f64> {
        let idle = self.idle().pop();
        match idle {
            Some(mut room) => {
                room.reset(n);
                room
            }
            None => Aligned::zeros(n),
        }
    }

    /// Returns a table for reuse. At most one for each thread is kept.
    pub(crate) fn give_back(&self, room: Aligned<f64>) {
        let mut idle = self.idle();
        if idle.len() < rayon::current_num_threads() {
            idle.push(room);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Aligned<f64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A copy of a table has its own memory.
impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_used_again_and_zero() {
        let spare = Spare::default();
        let mut first = spare.zeros(1000);
        first.fill(3.0);
        let place = first.as_ptr();
        spare.give_back(first);
        let second = spare.zeros(500);
        assert_eq!((second.as_ptr(), second.len()), (place, 500));
        assert!(second.iter().all(|&zero| zero == 0.0) && spare.clone().idle().is_empty());
    }
}
