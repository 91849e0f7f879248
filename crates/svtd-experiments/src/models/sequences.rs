//! The paper's other models: hidden Markov models and Gaussian mixtures through the same
//! decomposition.
//!
//! The paper says that its method learns Gaussian mixtures, hidden Markov models and naive Bayes models alike. Here
//! the moments of each are given to the compared methods: exact moments must give exact parameters; moments of
//! samples show how much data each method needs; and the polished default shows the value of moments as a start.

use svtd::linalg::Matrix;
use svtd::models::gaussian::{Covariance, GaussianMixture, Points, RawMoments};
use svtd::models::hmm::{Emissions, Hmm, Sequences, TripleMoments};
use svtd::{Method, Result};

use crate::report::{Claim, Section, Verdict};
use crate::seeds::seed;
use crate::statistics::{Mean, exponent};
use crate::table::Table;
use crate::{Plan, Watch, each};

const SIZES: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];
const QUICK_SIZES: [usize; 2] = [1000, 10_000];

/// The compared methods of moments.
const METHODS: [(&str, Method); 3] = [
    ("SVTD, one feature", Method::Svtd),
    ("joint diagonalisation", Method::Joint),
    ("tensor power", Method::TensorPower { seed: 1 }),
];

const POLISHED: &str = "our default, polished";

/// With more steps or records than this the polished default is not run.
const POLISHED_UP_TO: usize = 100_000;

/// Adds what was found about hidden Markov models and Gaussian mixtures.
///
/// # Errors
/// Drawn data can always be fitted; none is expected.
pub fn add(section: &mut Section, plan: &Plan, watch: Watch<'_>) -> Result<()> {
    let worst = METHODS.map(|(_, method)| exact_error(method)).into_iter().fold(0.0, f64::max);
    section.claims.push(Claim::new(
        "Theorem 4.1",
        "the method learns Gaussian mixtures and hidden Markov models as well",
        format!("with exact moments the largest error of any parameter is {worst:.1e}"),
        Verdict::of(worst < 1e-8),
    ));
    let sizes = plan.sizes(&SIZES, &QUICK_SIZES);
    let n_sets = plan.n_corpora(8, 3);
    let tasks: Vec<(usize, usize)> =
        sizes.iter().rev().flat_map(|&n| (0..n_sets).map(move |s| (n, s))).collect();
    let runs = each(&tasks, watch, |&(n, s)| Ok((n, hmm_errors(n, s)?, gaussian_errors(n, s)?)))?;
    let mut table = Table::new(
        format!("Largest error of a parameter, mean over {n_sets} drawn data sets for each N"),
        &["model", "N", "method", "error"],
    );
    let names: Vec<&str> = METHODS.iter().map(|m| m.0).chain([POLISHED]).collect();
    for model in 0..2 {
        let word = ["hidden Markov model", "Gaussian mixture"][model];
        for &n in &sizes {
            for (at, name) in names.iter().enumerate() {
                let values: Vec<f64> = runs
                    .iter()
                    .filter(|run| run.0 == n)
                    .filter_map(|run| [&run.1, &run.2][model][at])
                    .collect();
                if !values.is_empty() {
                    let mean = Mean::of(&values);
                    table.push(vec![word.into(), n.into(), (*name).into(), mean.into()]);
                }
            }
        }
        let mean = |n: usize, at: usize| {
            let of = runs.iter().filter(|run| run.0 == n);
            let values: Vec<f64> = of.filter_map(|run| [&run.1, &run.2][model][at]).collect();
            Mean::of(&values).value
        };
        let falls = exponent(&sizes.iter().map(|&n| (n as f64, mean(n, 1))).collect::<Vec<_>>());
        let first = sizes[0];
        section.claims.push(Claim::new(
            "Section 4",
            format!("from samples of a {word} the error falls with N"),
            format!(
                "joint diagonalisation falls like N to the power {falls:.2}; at N = {first} its error is {:.3}, \
                 that of one feature {:.3}, that of the polished default {:.3}",
                mean(first, 1),
                mean(first, 0),
                mean(first, 3)
            ),
            Verdict::of(falls < -0.2 && mean(first, 3) < mean(first, 1)),
        ));
    }
    section.tables.push(table);
    Ok(())
}

/// A chain over five symbols: initial distribution, transitions, emissions symbol by state.
fn chain() -> (Vec<f64>, Matrix, Matrix) {
    let a = Matrix::from_columns(3, 3, vec![0.8, 0.1, 0.2, 0.1, 0.7, 0.1, 0.1, 0.2, 0.7]);
    let b = Matrix::from_columns(
        5,
        3,
        vec![0.5, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.5],
    );
    // The stationary distribution, by many steps.
    let mut law = vec![1.0 / 3.0; 3];
    for _ in 0..2000 {
        law = (0..3).map(|j| (0..3).map(|i| law[i] * a[(i, j)]).sum()).collect();
    }
    (law, a, b)
}

/// A spherical mixture: weights, means, variances.
fn mixture() -> (Vec<f64>, Vec<Vec<f64>>, Vec<f64>) {
    let means = vec![
        vec![2.0, 0.0, -1.0, 0.5, 0.0],
        vec![-1.5, 1.5, 0.5, 0.0, 1.0],
        vec![0.0, -1.0, 1.5, 2.0, -1.0],
    ];
    (vec![0.5, 0.2, 0.3], means, vec![0.6, 1.0, 0.8])
}

fn exact_error(method: Method) -> f64 {
    let (law, a, b) = chain();
    let found = TripleMoments::exact(&law, &a, &b).decompose(3, method);
    let first = found.map_or(f64::INFINITY, |f| columns_error(&f.emissions, &b));
    let (weights, means, variances) = mixture();
    let raw = RawMoments::exact(&weights, &means, &variances);
    let second = raw.spherical_components(3, method);
    let second = second.map_or(f64::INFINITY, |f| centres_error(&f.centres, &means));
    first.max(second)
}

/// Errors of all methods on a generated sequence of `n` steps; `None` where a method fails.
fn hmm_errors(n: usize, set: usize) -> Result<Vec<Option<f64>>> {
    let (law, a, b) = chain();
    let emission = b.transpose();
    let labels = (0..5).map(|x| x.to_string()).collect();
    let parameters = (law, a, emission);
    let (kind, names) = (Emissions::Categorical, vec!["symbol".to_owned()]);
    let source = Hmm::from_parameters(kind, names, vec![labels], parameters, 1)?;
    let values = source.sample(n, seed(&format!("models/hmm/{n}"), set), 1).0;
    let symbols: Vec<usize> = values.iter().map(|x| *x as usize).collect();
    let moments = TripleMoments::of_symbols(&symbols, 5);
    let mut errors: Vec<Option<f64>> = METHODS
        .iter()
        .map(|(_, method)| moments.decompose(3, *method))
        .map(|found| found.map(|f| columns_error(&f.emissions, &b)))
        .collect();
    errors.push(if n > POLISHED_UP_TO {
        None
    } else {
        let sequences = Sequences::new(Emissions::Categorical, 1, values, vec![n])?;
        let model = Hmm::params(3).error_bars(false).fit(&sequences)?;
        let found = Matrix::from_fn(5, 3, |x, j| model.emission(j)[x]);
        Some(columns_error(&found, &b))
    });
    Ok(errors)
}

/// Errors of all methods on `n` generated records; `None` where a method fails.
fn gaussian_errors(n: usize, set: usize) -> Result<Vec<Option<f64>>> {
    let (weights, means, variances) = mixture();
    let names = (1..=5).map(|a| format!("x{a}")).collect();
    let centres = Matrix::from_fn(3, 5, |j, a| means[j][a]);
    let spread = |&v: &f64| Matrix::from_fn(5, 5, |a, b| if a == b { v } else { 0.0 });
    let spreads = variances.iter().map(spread).collect();
    let shape = Covariance::Spherical;
    let source = GaussianMixture::from_parameters(names, shape, weights, centres, spreads)?;
    let values = source.sample(n, seed(&format!("models/gaussian/{n}"), set)).0;
    let rows = Matrix::from_fn(n, 5, |u, a| values[5 * u + a]);
    let raw = RawMoments::of(&rows, &vec![1.0; n]);
    let mut errors: Vec<Option<f64>> = METHODS
        .iter()
        .map(|(_, method)| raw.spherical_components(3, *method))
        .map(|found| found.map(|f| centres_error(&f.centres, &means)))
        .collect();
    errors.push(if n > POLISHED_UP_TO {
        None
    } else {
        let points = Points::new(5, values)?;
        let params = GaussianMixture::params(3).covariance(Covariance::Spherical);
        let model = params.error_bars(false).fit(&points)?;
        let centres: Vec<Vec<f64>> = (0..3).map(|j| model.means().row(j)).collect();
        Some(centres_error(&centres, &means))
    });
    Ok(errors)
}

/// The largest difference of an entry, over the best order of three columns.
fn columns_error(found: &Matrix, truth: &Matrix) -> f64 {
    let columns = |matrix: &Matrix| -> Vec<Vec<f64>> {
        (0..matrix.n_columns()).map(|j| matrix.column(j).to_vec()).collect()
    };
    centres_error(&columns(found), &columns(truth))
}

fn centres_error(found: &[Vec<f64>], truth: &[Vec<f64>]) -> f64 {
    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let far = |order: &[usize; 3]| {
        let pairs = order.iter().zip(truth).flat_map(|(&j, t)| found[j].iter().zip(t));
        pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    ORDERS.iter().map(far).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_moments_give_exact_parameters_by_every_method() {
        for (name, method) in METHODS {
            let error = exact_error(method);
            assert!(error < 1e-8, "{name}: {error}");
        }
    }

    #[test]
    fn a_quick_run_ends_in_claims_and_a_table() {
        let plan = Plan { quick: true, seeds: Some(1), ..Plan::default() };
        let mut section = Section::new("models", "models");
        add(&mut section, &plan, &|_, _| {}).unwrap();
        assert_eq!(section.claims.len(), 3);
        assert_eq!(section.tables.len(), 1);
    }
}
