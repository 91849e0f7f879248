//! Tests of the flags of a topic.

use super::*;

#[test]
fn one_split_asks_for_more_words_than_two() {
    let halves = |found_again: f64, n_splits: usize| Halves {
        found_again,
        by_chance: 0.0,
        half_distance: 0.5,
        close: false,
        n_splits,
        n_documents: 100,
        held_by_few: false,
    };
    assert_eq!(halves(7.0, 2).standing(), Standing::Reproduces);
    assert_eq!(halves(7.0, 1).standing(), Standing::Partly);
    assert_eq!(halves(8.0, 1).standing(), Standing::Reproduces);
    assert_eq!(halves(4.0, 1).standing(), Standing::NotFoundAgain);
    assert_eq!(halves(7.0, 1).flag(), "partly: 7 of 10 words", "chance did not decide");
    assert_eq!(Halves { held_by_few: true, ..halves(9.0, 2) }.standing(), Standing::Partly);
}
