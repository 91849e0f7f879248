//! Tables that are aligned to cache lines.
//!
//! The rows of a panel, or of the tables of a sweep, fill whole cache lines, or nearly. The allocator places large
//! vectors 16 bytes after the beginning of a line: then every row would touch one line more than it
//! fills, and half of all registers would be loaded from two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: usize = 64;

/// A slice that begins at the beginning of a cache line. (A clone may not: it is then only slower.)
#[derive(Clone, Default)]
pub(crate) struct Aligned<T> {
    room: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// A slice of `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        let spare = LINE_BYTES / size_of::<T>() - 1;
        let room = vec![T::default(); len + spare];
        let start = room.as_ptr().align_offset(LINE_BYTES).min(spare);
        Self { room, start, len }
    }

    /// Becomes `len` zeros; the memory is reused if it is large enough.
    pub(crate) fn reset(&mut self, len: usize) {
        if self.start + len > self.room.len() {
            *self = Self::zeros(len);
        } else {
            self.len = len;
            self.fill(T::default());
        }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.room[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.room[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> From<Vec<T>> for Aligned<T> {
    fn from(values: Vec<T>) -> Self {
        let mut aligned = Self::zeros(values.len());
        aligned.copy_from_slice(&values);
        aligned
    }
}

impl<T: PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Aligned<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_begin_with_a_line_and_keep_their_place() {
        for len in [0, 1, 7, 100, 100_000] {
            let mut table = Aligned::<f64>::zeros(len);
            assert_eq!(table.as_ptr() as usize % LINE_BYTES, 0, "{len}");
            table.fill(3.0);
            let place = table.as_ptr();
            table.reset(len / 2);
            assert_eq!((table.as_ptr(), table.len()), (place, len / 2));
            assert!(table.iter().all(|&zero| zero == 0.0));
            table.reset(2 * len + 10);
            assert!(table.len() == 2 * len + 10 && table.iter().all(|&zero| zero == 0.0));
            assert_eq!(table.as_ptr() as usize % LINE_BYTES, 0, "{len}");
        }
        let words: Aligned<u32> = vec![1, 2, 3].into();
        assert_eq!((words[..] == [1, 2, 3], words.clone() == words), (true, true));
    }
}
