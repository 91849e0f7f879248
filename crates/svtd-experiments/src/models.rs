//! The paper's other models: the method on exact moments, and on samples of growing size.
//!
//! Latent classes are naive Bayes models of categorical records. From exact moments (every pattern of answers with
//! its probability) the classes must come out exactly. On samples, four methods are compared with the truth: the
//! rotation from one feature (the paper's Algorithm 2), the joint diagonalisation of all features, the tensor power
//! method, and the default, which continues from there. The results of other programs come from a recorded run.

mod peers;
mod sequences;

use svtd::models::classes::spectral::{Rotation, Spectral, spectral_classes};
use svtd::models::classes::{
    ClassModel, ClassParameters, Item, ItemKind, LatentClass, Records, exact_records,
};

use crate::report::{Claim, Numbers, Section, Verdict};
use crate::seeds::seed;
use crate::statistics::Mean;
use crate::table::{Cell, Table};
use crate::{Plan, Watch, each};

/// Number of items, categories of each and classes, of the models with exact moments.
const EXACT: [(usize, usize, usize); 4] = [(5, 2, 2), (7, 2, 3), (6, 3, 3), (4, 4, 3)];

/// The accuracy that exact moments must give.
const EXACT_TO: f64 = 1e-8;

/// Number of items, categories and classes of the models from which samples are drawn.
const DRAWN: (usize, usize, usize) = (8, 3, 3);

/// Runs the experiment.
///
/// # Errors
/// When records cannot be fitted, which drawn ones always can.
pub fn run(plan: &Plan, watch: Watch<'_>) -> svtd::Result<Section> {
    let mut section = Section::new(
        "models",
        "latent classes, hidden Markov models, Gaussian mixtures: exact moments, and samples of growing size",
    );
    section.setting = format!(
        "models with {} items of {} categories and {} classes, Dirichlet(1) answers; errors are of \
         the probabilities, classes matched",
        DRAWN.0, DRAWN.1, DRAWN.2
    );
    exact(&mut section, plan);
    samples(&mut section, plan, watch)?;
    sequences::add(&mut section, plan, watch)?;
    peers::add(&mut section);
    Ok(section)
}

/// The method on exact moments.
fn exact(section: &mut Section, plan: &Plan) {
    let mut table = Table::new(
        "Largest error of a probability from exact moments",
        &["items", "categories", "classes", "models", "largest error"],
    );
    let mut worst = 0.0_f64;
    for (n_items, n_categories, k) in EXACT {
        let n = plan.n_corpora(10, 3);
        let errors: Vec<f64> = (0..n)
            .filter_map(|i| {
                let truth = drawn_model(n_items, n_categories, k, seed("exact classes", i));
                let records = exact_records(items(n_items, n_categories), &truth)?;
                let model = ClassModel::new(records, 0.0);
                let how = Spectral::EXACT;
                let found = spectral_classes(model.records(), model.frequencies(), k, how)?;
                Some(largest_error(&truth, &found))
            })
            .collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        worst = if errors.len() == n { worst.max(largest) } else { f64::INFINITY };
        table.push(vec![n_items.into(), n_categories.into(), k.into(), n.into(), largest.into()]);
    }
    section.claims.push(Claim::new(
        "Theorem 4.1, for naive Bayes models",
        "exact moments in, exact parameters out",
        format!("the largest error of a probability is {worst:.1e}"),
        Verdict::of(worst < EXACT_TO),
    ));
    section.tables.push(table);
}

/// The result of a contestant on a sample.
struct Outcome {
    n_records: usize,
    corpus: usize,
    contestant: &'static str,
    error: Option<f64>,
}

/// Samples of growing size.
fn samples(section: &mut Section, plan: &Plan, watch: Watch<'_>) -> svtd::Result<()> {
    let sizes = plan.sizes(&[300, 1000, 3000, 10_000, 30_000], &[300, 3000]);
    let n = plan.n_corpora(10, 3);
    let tasks: Vec<(usize, usize)> =
        sizes.iter().flat_map(|&size| (0..n).map(move |i| (size, i))).collect();
    let outcomes: Vec<Outcome> =
        each(&tasks, watch, |&(size, i)| contest(size, i))?.into_iter().flatten().collect();
    let columns =
        ["records", "one feature (SVTD)", "joint diagonalisation", "tensor power", "default"];
    let names = &columns[1..];
    let mut table = Table::new("Mean error of a probability", &columns);
    let mean_of = |size: usize, name: &str| {
        let errors: Vec<f64> = outcomes
            .iter()
            .filter(|o| o.n_records == size && o.contestant == name)
            .filter_map(|o| o.error)
            .collect();
        (Mean::of(&errors), errors.len())
    };
    for &size in &sizes {
        let mut row: Vec<Cell> = vec![size.into()];
        row.extend(names.iter().map(|name| {
            let (mean, found) = mean_of(size, name);
            if found == 0 { Cell::Empty } else { Cell::Mean(mean.value, mean.error) }
        }));
        table.push(row);
    }
    let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
    let [small, large] = [first, last].map(|size| mean_of(size, "default").0.value);
    let rate = (small / large).ln() / (last as f64 / first as f64).ln();
    section.claims.push(Claim::new(
        "Theorem 5.1, for naive Bayes models",
        "errors fall with the square root of the records",
        format!(
            "the default's mean error falls from {small:.4} at {first} records to {large:.4} at {last}: \
             like N to the power -{rate:.2}"
        ),
        if rate > 0.4 { Verdict::Holds } else { Verdict::Partly },
    ));
    let closest = names
        .iter()
        .copied()
        .min_by(|a, b| mean_of(last, a).0.value.total_cmp(&mean_of(last, b).0.value));
    section.claims.push(Claim::new(
        "expected",
        "the search that begins at the moments ends nearest to the truth",
        format!("nearest at {last} records: {}", closest.unwrap_or("none")),
        Verdict::of(closest == Some("default")),
    ));
    section.tables.push(table);
    section.numbers.push(Numbers { name: "models".to_owned(), table: raw(&outcomes) });
    Ok(())
}

fn raw(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new("Every outcome", &["records", "sample", "contestant", "mean_error"]);
    for o in outcomes {
        table.push(vec![o.n_records.into(), o.corpus.into(), o.contestant.into(), o.error.into()]);
    }
    table
}

fn contest(n_records: usize, i: usize) -> svtd::Result<Vec<Outcome>> {
    let (n_items, n_categories, k) = DRAWN;
    let truth = drawn_model(n_items, n_categories, k, seed("drawn classes", i));
    let own = seed("records of classes", 1000 * i + n_records % 997);
    let records = drawn_records(&truth, items(n_items, n_categories), n_records, own);
    let model = ClassModel::new(records.clone(), 0.0);
    let by = |rotation: Rotation| {
        let how = Spectral { rotation, smoothing: 0.0, ..Spectral::START };
        let found = spectral_classes(model.records(), model.frequencies(), k, how)?;
        Some(mean_error(&truth, &found))
    };
    let fitted = LatentClass::params(k).error_bars(false).fit(&records)?;
    let outcome =
        |contestant: &'static str, error| Outcome { n_records, corpus: i, contestant, error };
    Ok(vec![
        outcome("one feature (SVTD)", by(Rotation::OneFeature)),
        outcome("joint diagonalisation", by(Rotation::Joint)),
        outcome("tensor power", by(Rotation::TensorPower { seed: 1 })),
        outcome("default", Some(mean_error(&truth, fitted.parameters()))),
    ])
}

fn items(n_items: usize, n_categories: usize) -> Vec<Item> {
    let labels: Vec<String> = (0..n_categories).map(|i| i.to_string()).collect();
    let kind = ItemKind::Categorical { labels };
    (0..n_items).map(|b| Item { name: format!("q{}", b + 1), kind: kind.clone() }).collect()
}

/// Numbers in (0, 1) from a seed: Weyl's sequence, scrambled.
struct Uniforms(u64);

impl Uniforms {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON / 4.0
    }

    /// A uniformly distributed point of the simplex.
    fn simplex(&mut self, n: usize) -> Vec<f64> {
        let raw: Vec<f64> = (0..n).map(|_| -self.next().ln()).collect();
        let sum: f64 = raw.iter().sum();
        raw.iter().map(|x| x / sum).collect()
    }

    /// A draw from a distribution.
    fn falls(&mut self, probabilities: impl Iterator<Item = f64>) -> usize {
        let mut u = self.next();
        let mut last = 0;
        for (place, p) in probabilities.enumerate() {
            last = place;
            u -= p;
            if u < 0.0 {
                break;
            }
        }
        last
    }
}

/// Classes with uniformly distributed answer probabilities and shares that are not too small.
fn drawn_model(n_items: usize, n_categories: usize, k: usize, seed: u64) -> ClassParameters {
    let mut uniforms = Uniforms(seed);
    let raw: Vec<f64> = (0..k).map(|_| 0.5 + uniforms.next()).collect();
    let total: f64 = raw.iter().sum();
    let shares = raw.iter().map(|w| w / total).collect();
    let mut probabilities = Vec::with_capacity(n_items * n_categories * k);
    for _ in 0..n_items {
        let columns: Vec<Vec<f64>> = (0..k).map(|_| uniforms.simplex(n_categories)).collect();
        for i in 0..n_categories {
            columns.iter().for_each(|column| probabilities.push(column[i]));
        }
    }
    ClassParameters { shares, probabilities, centres: Vec::new(), variances: Vec::new() }
}

fn drawn_records(truth: &ClassParameters, items: Vec<Item>, n: usize, seed: u64) -> Records {
    let mut uniforms = Uniforms(seed);
    let k = truth.n_classes();
    let mut answers = Vec::with_capacity(n * items.len());
    for _ in 0..n {
        let j = uniforms.falls(truth.shares.iter().copied());
        let mut first = 0;
        for item in &items {
            let own = (first..first + item.labels().len()).map(|i| truth.probabilities[i * k + j]);
            answers.push(uniforms.falls(own) as u32);
            first += item.labels().len();
        }
    }
    Records::from_codes(items, &answers, vec![1.0; n])
}

/// For every true class the nearest class found, each used once; greedily.
fn matched(truth: &ClassParameters, found: &ClassParameters) -> Vec<usize> {
    let k = truth.n_classes();
    let distance = |a: usize, b: usize| -> f64 {
        let pairs = truth.probabilities.chunks_exact(k).zip(found.probabilities.chunks_exact(k));
        pairs.map(|(p, q)| (p[a] - q[b]).abs()).sum()
    };
    let mut places: Vec<(usize, usize)> =
        (0..k).flat_map(|a| (0..k).map(move |b| (a, b))).collect();
    places.sort_by(|&(a, b), &(c, d)| distance(a, b).total_cmp(&distance(c, d)));
    let (mut class_of, mut taken) = (vec![usize::MAX; k], vec![false; k]);
    for (a, b) in places {
        if class_of[a] == usize::MAX && !taken[b] {
            class_of[a] = b;
            taken[b] = true;
        }
    }
    class_of
}

fn errors(truth: &ClassParameters, found: &ClassParameters) -> Vec<f64> {
    let k = truth.n_classes();
    let class_of = matched(truth, found);
    let rows = truth.probabilities.chunks_exact(k).zip(found.probabilities.chunks_exact(k));
    rows.flat_map(|(p, q)| (0..k).map(|j| (p[j] - q[class_of[j]]).abs()).collect::<Vec<_>>())
        .collect()
}

fn largest_error(truth: &ClassParameters, found: &ClassParameters) -> f64 {
    errors(truth, found).into_iter().fold(0.0, f64::max)
}

fn mean_error(truth: &ClassParameters, found: &ClassParameters) -> f64 {
    Mean::of(&errors(truth, found)).value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hidden Markov models and Gaussian mixtures have the same test in [`sequences`].
    #[test]
    fn exact_moments_give_exact_classes_by_joint_diagonalisation_and_by_tensor_power() {
        for rotation in [Rotation::Joint, Rotation::TensorPower { seed: 1 }] {
            for (n_items, n_categories, k) in EXACT {
                let truth = drawn_model(n_items, n_categories, k, seed("exact classes", 0));
                let records = exact_records(items(n_items, n_categories), &truth).unwrap();
                let model = ClassModel::new(records, 0.0);
                let how = Spectral { rotation, ..Spectral::EXACT };
                let found = spectral_classes(model.records(), model.frequencies(), k, how).unwrap();
                let error = largest_error(&truth, &found);
                assert!(error < EXACT_TO, "{rotation:?}, {n_items} x {n_categories}: {error:e}");
            }
        }
    }
}
