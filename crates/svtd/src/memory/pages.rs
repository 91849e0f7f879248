//! Pages of a temporary file as memory. One of two modules with `unsafe` code.
//!
//! # Why it is sound
//! - The file was created without a name by this process and nobody else can open it: its content changes only
//!   through these pages, and it is never shortened.
//! - Its blocks are allocated before it is mapped, so a page can always be written.
//! - [`Pages`] hands out bytes only to [`Numbers`](super::Numbers), which own them: shared through `&`,
//!   exclusive through `&mut`.
//! - Releasing pages changes no byte of a file that is mapped as shared: they are loaded again.

#![allow(unsafe_code, reason = "a mapped file is memory that the language does not know")]

use std::fs::File;
use std::io;
use std::sync::{Arc, Weak};

use memmap2::MmapRaw;
use pulp::bytemuck::Pod;

/// Memory that is backed by a file. It has one owner.
#[derive(Debug)]
pub(super) struct Pages(Arc<MmapRaw>);

/// A handle that can release pages while they exist, but cannot read them.
#[derive(Debug)]
pub(super) struct Returnable(Weak<MmapRaw>);

impl Pages {
    /// Extends the file to this length, with disk space allocated, and maps it.
    pub(super) fn map(file: &File, bytes: usize) -> io::Result<Self> {
        allocate(file, bytes as u64)?;
        Ok(Self(Arc::new(MmapRaw::map_raw(file)?)))
    }

    /// The first `n` numbers.
    pub(super) fn as_slice<T: Pod>(&self, n: usize) -> &[T] {
        assert!(n * size_of::<T>() <= self.0.len());
        // SAFETY: the map is aligned to a page and as long as asserted; any bytes are a `T`.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), n) }
    }

    /// The first `n` numbers, mutable.
    pub(super) fn as_mut_slice<T: Pod>(&mut self, n: usize) -> &mut [T] {
        assert!(n * size_of::<T>() <= self.0.len());
        // SAFETY: as above; the one owner is borrowed exclusively, and a `Returnable` reads nothing.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), n) }
    }

    /// A handle for the code that tracks all pages.
    pub(super) fn returnable(&self) -> Returnable {
        Returnable(Arc::downgrade(&self.0))
    }
}

impl Returnable {
    /// Whether the pages still exist.
    pub(super) fn is_mapped(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Releases the memory; its content stays in the file.
    pub(super) fn give_back(&self) {
        #[cfg(target_os = "linux")]
        if let Some(map) = self.0.upgrade() {
            // SAFETY: pages of a file mapped as shared keep their content, which is loaded again. If the system
            // ignores the advice, memory stays in use and nothing else happens.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

/// Extends a file and allocates its disk space: a page without disk space would end the process.
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    let from = file.metadata()?.len();
    if bytes <= from {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::FallocateFlags;
        match rustix::fs::fallocate(file, FallocateFlags::empty(), from, bytes - from) {
            Err(error) if error == rustix::io::Errno::OPNOTSUPP => {}
            done => return done.map_err(io::Error::from),
        }
    }
    fill_with_zeros(file, from, bytes)
}

/// Writes zeros, for systems without a call to allocate disk space.
fn fill_with_zeros(mut file: &File, from: u64, to: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    let zeros = vec![0; 1 << 20];
    let mut at = file.seek(SeekFrom::Start(from))?;
    while at < to {
        let n = zeros.len().min((to - at) as usize);
        file.write_all(&zeros[..n])?;
        at += n as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    #[test]
    fn pages_keep_what_was_written_when_they_are_given_back() {
        let file = tempfile::tempfile().unwrap();
        let mut pages = Pages::map(&file, 1 << 20).unwrap();
        let numbers: &mut [u32] = pages.as_mut_slice(1 << 18);
        (0..).zip(numbers).for_each(|(i, number)| *number = i);
        let returnable = pages.returnable();
        returnable.give_back();
        assert!(pages.as_slice::<u32>(1 << 18).iter().copied().eq(0..1 << 18));
        drop(pages);
        assert!(!returnable.is_mapped());
        returnable.give_back();
    }

    #[test]
    fn a_file_is_as_long_as_asked_with_or_without_the_systems_help() {
        let file = tempfile::tempfile().unwrap();
        allocate(&file, 5000).unwrap();
        fill_with_zeros(&file, 5000, 3 << 20).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 3 << 20);
        assert!(Pages::map(&file, 100).unwrap().as_slice::<u8>(5000).iter().all(|&b| b == 0));
    }
}
