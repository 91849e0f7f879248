//! Sums of parts, always added along the same tree, so that they do not depend on the number of threads.

use std::ops::Range;

use crate::tasks;

/// Computes the answers of the blocks `blocks` and adds them up, two neighbours at a time.
///
/// At most as many answers are in memory as the tree is high, plus one for each thread.
pub(crate) fn sum_over<T: Send>(
    blocks: Range<usize>,
    answer: &(impl Fn(usize) -> T + Sync),
    add: &(impl Fn(&mut T, T) + Sync),
) -> T {
    sum_over_occupied(blocks, &|_| false, answer, add)
}

/// As [`sum_over`], skipping empty blocks. If all blocks are empty, the first one answers.
pub(crate) fn sum_over_occupied<T: Send>(
    blocks: Range<usize>,
    is_empty: &(impl Fn(Range<usize>) -> bool + Sync),
    answer: &(impl Fn(usize) -> T + Sync),
    add: &(impl Fn(&mut T, T) + Sync),
) -> T {
    if blocks.len() <= 1 {
        return answer(blocks.start);
    }
    let middle = blocks.start + blocks.len() / 2;
    let (left, right) = (blocks.start..middle, middle..blocks.end);
    let half = |half: Range<usize>| sum_over_occupied(half, is_empty, answer, add);
    match (is_empty(left.clone()), is_empty(right.clone())) {
        (_, true) => half(left),
        (true, false) => half(right),
        (false, false) => {
            let (mut left, right) = tasks::join(|| half(left), || half(right));
            add(&mut left, right);
            left
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_made_along_the_tree() {
        let tree = sum_over(0..4, &|b| b.to_string(), &|left: &mut String, right| {
            *left = format!("({left}+{right})");
        });
        assert_eq!(tree, "((0+1)+(2+3))");
        assert_eq!(sum_over(0..1, &|b| b, &|_: &mut usize, _| ()), 0);
    }

    #[test]
    fn empty_blocks_are_not_asked() {
        let tree = |full: &[usize]| {
            let is_empty = |blocks: Range<usize>| !full.iter().any(|b| blocks.contains(b));
            let add = |left: &mut String, right| *left = format!("({left}+{right})");
            sum_over_occupied(0..8, &is_empty, &|b| b.to_string(), &add)
        };
        assert_eq!(tree(&[0, 1, 2, 3, 4, 5, 6, 7]), "(((0+1)+(2+3))+((4+5)+(6+7)))");
        assert_eq!(tree(&[1, 2, 6]), "((1+2)+6)");
        assert_eq!((tree(&[5]).as_str(), tree(&[]).as_str()), ("5", "0"));
    }
}
