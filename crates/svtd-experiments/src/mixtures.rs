//! Theorem 3.1 on generated corpora: the errors of the moments when documents mix topics.
//!
//! The paper tests its estimates only on single topics. The moments of LDA are the same ones minus products of
//! lower moments, so the weights of documents should matter in the same way.

use svtd::Result;
use svtd::evaluation::{MomentErrors, lda_moment_errors};
use svtd::moments::DocumentWeights;
use svtd::synthetic::LdaSource;

use crate::contestants::paper_lengths;
use crate::report::{Claim, Verdict};
use crate::seeds::seed;
use crate::statistics::{Mean, exponent};
use crate::table::Table;
use crate::{Plan, each};

const SIZES: [usize; 3] = [100, 1000, 10_000];
const QUICK_SIZES: [usize; 2] = [100, 1000];
const ALPHA0: f64 = 2.0;

const WEIGHTS: [(&str, DocumentWeights); 3] = [
    ("Theorem 3.1", DocumentWeights::Paper),
    ("documents alike, as Zou et al.", DocumentWeights::Zou),
    ("least variance (default)", DocumentWeights::Optimal),
];

/// A claim about the errors, and their table.
///
/// # Errors
/// Drawn corpora have moments; none is expected.
pub fn errors(plan: &Plan) -> Result<(Claim, Table)> {
    let sizes = plan.sizes(&SIZES, &QUICK_SIZES);
    let n_corpora = plan.n_corpora(20, 12);
    let tasks: Vec<(usize, usize)> =
        sizes.iter().rev().flat_map(|&n| (0..n_corpora).map(move |c| (n, c))).collect();
    let runs = each(&tasks, &|_, _| {}, |&(n, c)| Ok((n, one(n, c)?)))?;
    let mean = |weights: usize, n: usize, value: fn(&MomentErrors) -> f64| {
        let of_size = runs.iter().filter(|run| run.0 == n);
        Mean::of(&of_size.map(|run| value(&run.1[weights])).collect::<Vec<_>>())
    };
    let mut table = Table::new(
        format!(
            "Mean errors of the moments of LDA, alpha0 = {ALPHA0}, {n_corpora} corpora for each N"
        ),
        &["N", "weights", "Err2", "Err3"],
    );
    for &n in &sizes {
        for (at, (name, _)) in WEIGHTS.iter().enumerate() {
            let errors = [mean(at, n, |e| e.second), mean(at, n, |e| e.third)];
            table.push(vec![n.into(), (*name).into(), errors[0].into(), errors[1].into()]);
        }
    }
    let falls = |value: fn(&MomentErrors) -> f64| {
        let of = |&n: &usize| (n as f64, mean(0, n, value).value);
        exponent(&sizes.iter().map(of).collect::<Vec<_>>())
    };
    let (second, third) = (falls(|e| e.second), falls(|e| e.third));
    let ratio = |n: usize| mean(1, n, |e| e.third).value / mean(0, n, |e| e.third).value;
    let ratios: Vec<String> =
        sizes.iter().map(|&n| format!("{:.1} at N = {n}", ratio(n))).collect();
    let claim = Claim::new(
        "Theorem 3.1",
        "the same estimates, with lower moments taken off, are those of LDA",
        format!(
            "mean errors fall like N to the power {second:.2} (M2) and {third:.2} (M3) towards nothing; with documents \
             weighing alike Err3 is {} times as large",
            ratios.join(", ")
        ),
        Verdict::of((second + 0.5).abs() < 0.1 && (third + 0.5).abs() < 0.1),
    );
    Ok((claim, table))
}

fn one(n_documents: usize, corpus: usize) -> Result<Vec<MomentErrors>> {
    let seed = seed(&format!("moments/lda/{n_documents}"), corpus);
    let source = LdaSource::uniform(100, 5, ALPHA0, seed);
    let drawn = source.draw(n_documents, &paper_lengths(), seed ^ 1).0;
    let errors = |weights| lda_moment_errors(&drawn, weights, &source.word_topic, &source.alpha);
    WEIGHTS.iter().map(|(_, weights)| errors(weights)).collect()
}
