//! Arrays in memory or, beyond a [`Limit`], in a temporary file that is mapped into memory.
//!
//! Used like a vector and, through [`Deref`], like a slice.

use std::fs::File;
use std::ops::{Deref, DerefMut};

use pulp::bytemuck::Pod;

use super::Limit;
use super::pages::Pages;

/// A file grows by a fraction of its size, one over this number, but at least by [`STEP`] bytes.
const GROWTH: usize = 4;
const STEP: usize = 4 << 20;

/// A growing array.
#[derive(Debug)]
pub(crate) struct Numbers<T> {
    held: Held<T>,
    limit: Limit,
}

#[derive(Debug)]
enum Held<T> {
    Memory(Vec<T>),
    File { file: File, pages: Pages, len: usize, capacity: usize },
}

impl<T: Pod> Numbers<T> {
    /// An empty array.
    pub(crate) fn new(limit: &Limit) -> Self {
        Self { held: Held::Memory(Vec::new()), limit: limit.clone() }
    }

    /// An array of `n` zeros.
    pub(crate) fn zeros(n: usize, limit: &Limit) -> Self {
        if !limit.is_exceeded_by(n * size_of::<T>()) {
            // The system provides zeroed pages as they are first used.
            return Self { held: Held::Memory(vec![T::zeroed(); n]), limit: limit.clone() };
        }
        let mut numbers = Self::new(limit);
        numbers.reserve(n);
        match &mut numbers.held {
            Held::Memory(values) => values.resize(n, T::zeroed()),
            // A file that is extended is filled with zeros.
            Held::File { len, .. } => *len = n,
        }
        numbers
    }

    /// The limit that applies to the array.
    pub(crate) fn limit(&self) -> &Limit {
        &self.limit
    }

    /// Makes room for `n` further numbers.
    pub(crate) fn reserve(&mut self, n: usize) {
        let wanted = self.len() + n;
        match &mut self.held {
            Held::Memory(values) => match self.limit.is_exceeded_by(wanted * size_of::<T>()) {
                true => self.move_to_file(wanted),
                false => values.reserve_exact(n),
            },
            Held::File { capacity, .. } if wanted > *capacity => self.lengthen(wanted),
            Held::File { .. } => {}
        }
    }

    /// Adds a number.
    #[inline(always)]
    pub(crate) fn push(&mut self, number: T) {
        if let Held::Memory(values) = &mut self.held
            && values.len() < values.capacity()
        {
            values.push(number);
        } else {
            self.extend_from_slice(&[number]);
        }
    }

    /// Adds numbers.
    pub(crate) fn extend_from_slice(&mut self, numbers: &[T]) {
        let (start, end) = (self.len(), self.len() + numbers.len());
        let step = (start / GROWTH).max(STEP / size_of::<T>());
        match &mut self.held {
            Held::Memory(values) => {
                if !self.limit.is_exceeded_by(end * size_of::<T>()) {
                    return values.extend_from_slice(numbers);
                }
                self.move_to_file(end + step);
            }
            Held::File { capacity, .. } if end > *capacity => self.lengthen(end + step),
            Held::File { .. } => {}
        }
        if let Held::File { len, .. } = &mut self.held {
            *len = end;
        }
        self.limit.touch(size_of_val(numbers));
        self[start..].copy_from_slice(numbers);
    }

    /// Keeps the first `n` numbers.
    pub(crate) fn truncate(&mut self, n: usize) {
        match &mut self.held {
            Held::Memory(values) => values.truncate(n),
            Held::File { len, .. } => *len = n.min(*len),
        }
    }

    /// Gives back memory that was reserved and is not used.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Held::Memory(values) = &mut self.held {
            values.shrink_to_fit();
        }
    }

    /// Bytes that are in memory whatever the limit.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.held {
            Held::Memory(values) => values.capacity() * size_of::<T>(),
            Held::File { .. } => 0,
        }
    }

    /// The same numbers under another limit.
    pub(crate) fn kept_within(self, limit: &Limit) -> Self {
        let mut kept = Self { limit: limit.clone(), ..self };
        if let Held::Memory(values) = &kept.held
            && limit.is_exceeded_by(size_of_val(values.as_slice()))
        {
            kept.move_to_file(kept.len());
        }
        kept
    }

    /// Moves the numbers to a file with room for `room` of them.
    fn move_to_file(&mut self, room: usize) {
        let made = self.limit.file().and_then(|file| {
            let pages = Pages::map(&file, bytes_of::<T>(room))?;
            Ok((file, pages))
        });
        let (file, pages) = made.unwrap_or_else(|error| self.limit.leave(error));
        self.limit.register(&pages);
        let held = Held::File { file, pages, len: self.len(), capacity: room };
        let before = std::mem::replace(&mut self.held, held);
        if let Held::Memory(values) = before {
            self.copy_from_slice(&values);
        }
    }

    /// Extends the file to have room for `room` numbers.
    fn lengthen(&mut self, room: usize) {
        if let Held::File { file, pages, capacity, .. } = &mut self.held {
            match Pages::map(file, bytes_of::<T>(room)) {
                Ok(longer) => {
                    *pages = longer;
                    *capacity = room;
                    self.limit.register(pages);
                }
                Err(error) => self.limit.leave(error),
            }
        }
    }
}

/// At least one element: an empty file cannot be mapped.
fn bytes_of<T>(n: usize) -> usize {
    (n * size_of::<T>()).max(1)
}

impl<T: Pod> Deref for Numbers<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.held {
            Held::Memory(values) => values,
            Held::File { pages, len, .. } => pages.as_slice(*len),
        }
    }
}

impl<T: Pod> DerefMut for Numbers<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.held {
            Held::Memory(values) => values,
            Held::File { pages, len, .. } => pages.as_mut_slice(*len),
        }
    }
}

impl<T: Pod> Clone for Numbers<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new(&self.limit);
        copy.reserve(self.len());
        for part in self.chunks(STEP / size_of::<T>()) {
            copy.extend_from_slice(part);
        }
        copy
    }
}

impl<T: Pod> From<Vec<T>> for Numbers<T> {
    fn from(values: Vec<T>) -> Self {
        Self { held: Held::Memory(values), limit: Limit::none() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    /// Arrays above a quarter of a megabyte lie in a file.
    fn tight() -> (tempfile::TempDir, Limit) {
        let folder = tempfile::tempdir().unwrap();
        let limit = Limit::of(16 << 20, folder.path()).unwrap();
        (folder, limit)
    }

    fn in_file<T>(numbers: &Numbers<T>) -> bool {
        matches!(numbers.held, Held::File { .. })
    }

    #[test]
    fn numbers_are_the_same_in_memory_and_in_a_file() {
        let (_folder, limit) = tight();
        let (mut memory, mut file) = (Numbers::new(&Limit::none()), Numbers::new(&limit));
        for i in 0..3_000_000_u32 {
            memory.push(i.wrapping_mul(2_654_435_761));
            file.push(i.wrapping_mul(2_654_435_761));
        }
        assert!(in_file(&file) && !in_file(&memory));
        assert_eq!(*memory, *file);
        assert_eq!(file.memory_bytes(), 0);
        file.sort_unstable();
        memory.sort_unstable();
        assert_eq!(*memory, *file.clone());
        file.truncate(5);
        assert_eq!(file.len(), 5);
        file.extend_from_slice(&[7; 10]);
        assert_eq!(file[4..7], [memory[4], 7, 7]);
    }

    #[test]
    fn what_is_small_stays_in_memory_and_zeros_are_zeros() {
        let (_folder, limit) = tight();
        assert!(!in_file(&Numbers::<f32>::zeros(1000, &limit)));
        let zeros = Numbers::<f32>::zeros(1_000_000, &limit);
        assert!(in_file(&zeros) && zeros.iter().all(|&zero| zero == 0.0));
        let moved = Numbers::from(vec![1_u32; 1_000_000]).kept_within(&limit);
        assert!(in_file(&moved) && moved.iter().all(|&one| one == 1));
        assert!(Numbers::<u32>::new(&limit).is_empty());
    }

    #[test]
    fn pages_that_are_given_back_again_and_again_keep_their_numbers() {
        let (_folder, limit) = tight();
        let mut numbers = Numbers::<u64>::zeros(4_000_000, &limit);
        for round in 1..4 {
            for part in numbers.chunks_mut(100_000) {
                limit.touch(size_of_val(part));
                part.iter_mut().for_each(|number| *number += round);
            }
        }
        assert!(numbers.iter().all(|&number| number == 6));
    }
}
