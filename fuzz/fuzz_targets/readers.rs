//! Every reader under libFuzzer; the first byte of the input says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use svtd_fuzz::{TARGETS, Target};

fuzz_target!(|bytes: &[u8]| {
    let readers: Vec<&Target> = TARGETS.iter().filter(|target| target.is_reader).collect();
    if let Some((first, rest)) = bytes.split_first() {
        (readers[usize::from(*first) % readers.len()].run)(rest);
    }
});
