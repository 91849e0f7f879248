//! Seeds: from the name of the experiment and the number of the corpus.
//!
//! So a corpus is the same whether it is generated alone, among twenty or on another thread, and no two experiments
//! share one by accident.

/// The seed of corpus `index` of a part of an experiment, such as `accuracy/uniform/200`.
pub fn seed(part: &str, index: usize) -> u64 {
    // FNV-1a, then the finaliser of SplitMix64 so that neighbours differ in all bits.
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let mut z = hash.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_fixed_and_differ() {
        assert_eq!(seed("moments", 0), seed("moments", 0));
        let mut all: Vec<u64> = ["moments", "accuracy", "moments/2"]
            .iter()
            .flat_map(|part| (0..100).map(move |index| seed(part, index)))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 300);
    }
}
