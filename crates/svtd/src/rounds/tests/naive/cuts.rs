//! Any cut of any documents, in any order: the same sums.

use proptest::prelude::*;

use super::*;

/// Small documents: some empty, some equal, some with a word that is repeated often.
fn documents() -> impl Strategy<Value = Vec<Vec<(u32, u32)>>> {
    let count = prop_oneof![8 => 1_u32..4, 1 => 100_u32..2000];
    let word = (0_u32..9, count);
    let document = prop::collection::btree_map(word.clone().prop_map(|w| w.0), word, 0..7);
    let document = document.prop_map(|words| {
        let mut words: Vec<(u32, u32)> = words.into_iter().map(|(i, (_, x))| (i, x)).collect();
        words.sort_unstable();
        words
    });
    prop::collection::vec(document, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums_do_not_depend_on_who_holds_documents_in_which_order_or_how_they_are_cut(
        documents in documents(),
        places in prop::collection::vec((0_usize..4, any::<u64>()), 40),
        blocks in 0_u32..8,
        kind in any::<prop::sample::Index>(),
    ) {
        let mut builder = Corpus::builder(9);
        documents.iter().for_each(|words| builder.push_document(words.clone()).unwrap());
        let Ok(corpus) = builder.build() else { return Ok(()) };
        let example = Example::new(corpus);
        // Documents in a random order, each with one of at most four holders.
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by_key(|&d| places[d].1);
        let of = |holder: usize| -> Vec<usize> {
            order.iter().copied().filter(|&d| places[d].0 == holder).collect()
        };
        let holders: Vec<Respondent> = (0..4)
            .map(of)
            .filter(|own| !own.is_empty())
            .map(|own| Respondent::new(example.corpus.subset(&own), 0))
            .collect();
        let (first, last) = (0, example.names.len() as u32 - 1);
        let lists = vec![(first..=last).rev().collect(), vec![last, first, last], vec![]];
        let question = example.question(1 << blocks, Request::Together(lists.clone()));
        let counts = held_out::found_together(&example.rows, &lists);
        prop_assert_eq!(asked(&holders, &question).whole, counts);
        let mut requests = requests(example.names.len());
        let request = requests.swap_remove(kind.index(requests.len()));
        let expected = answer(&example.rows, &request);
        let question = example.question(1 << blocks, request);
        let found = asked(&holders, &question).sums;
        prop_assert_eq!(found.len(), expected.len(), "{}", question.name());
        let largest = expected.iter().map(|x| x.abs()).fold(0.0, f64::max);
        for (x, y) in found.iter().zip(&expected) {
            let apart = (x - y).abs();
            prop_assert!(apart <= 1e-10 * largest.max(1e-3), "{}: {} {}", question.name(), x, y);
        }
    }
}
