//! Products, eigenpairs, bases and least squares against their definitions.

use super::*;

fn wavy(n: usize, m: usize) -> Matrix {
    Matrix::from_fn(n, m, |i, j| ((i * 7 + j * 13) as f64 * 0.37).sin() + (i == j) as u8 as f64)
}

#[test]
fn products_agree_with_their_definition() {
    let (a, b) = (wavy(5, 3), wavy(3, 4));
    let product = a.times(&b);
    let expected = Matrix::from_fn(5, 4, |i, j| dot(&a.row(i), b.column(j)));
    assert!(product.values().iter().zip(expected.values()).all(|(x, y)| (x - y).abs() < 1e-14));
    let gram = a.transpose_times(&a);
    assert!((gram[(1, 2)] - dot(a.column(1), a.column(2))).abs() < 1e-14);
}

#[test]
fn long_products_have_the_same_bits_for_any_number_of_threads() {
    let a = wavy(3 * CHUNK + 17, 9);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (a.transpose_times(&a), orthonormal_basis(a.clone())))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn eigenvalues_fall_and_vectors_diagonalise() {
    let a = wavy(6, 6);
    let symmetric = a.transpose_times(&a);
    let (values, vectors) = symmetric_eigen(&symmetric);
    assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
    let image = symmetric.times(&vectors);
    for j in 0..6 {
        for i in 0..6 {
            assert!((image[(i, j)] - values[j] * vectors[(i, j)]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_basis_drops_columns_that_repeat_others() {
    let mut block = wavy(50, 4);
    block.append(&block.columns(1..3));
    let basis = orthonormal_basis(block);
    assert_eq!(basis.n_columns(), 4);
    let gram = basis.transpose_times(&basis);
    for i in 0..4 {
        for j in 0..4 {
            assert!((gram[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-13);
        }
    }
}

#[test]
fn non_negative_least_squares_keeps_what_plain_least_squares_would_make_negative_at_zero() {
    // Columns (1,0), (1,1); target (1,-1): the plain solution is (2,-1).
    let gram = Matrix::from_columns(2, 2, vec![1.0, 1.0, 1.0, 2.0]);
    let solution = non_negative_least_squares(&gram, &[1.0, 0.0]);
    assert!((solution[0] - 1.0).abs() < 1e-14 && solution[1] == 0.0);
}

#[test]
fn non_negative_least_squares_is_exact_inside_the_cone() {
    let a = wavy(20, 5);
    let truth = [0.1, 0.4, 0.0, 0.3, 0.2];
    let gram = a.transpose_times(&a);
    let rhs: Vec<f64> = (0..5).map(|j| dot(gram.column(j), &truth)).collect();
    let solution = non_negative_least_squares(&gram, &rhs);
    assert!(solution.iter().zip(truth).all(|(x, y)| (x - y).abs() < 1e-10));
}

/// More rows than one task takes, and columns that do not fill the last stripe.
#[test]
fn weighted_grams_are_those_of_plain_loops() {
    let value = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin();
    let (n, k) = (9000, 37);
    let block = Matrix::from_fn(n, k, value);
    for (n_scales, first) in [(k, None), (5, Some(0))] {
        let first_column = |c: usize| first.unwrap_or(c);
        let scales = Matrix::from_fn(n, n_scales, |i, c| value(c, i));
        let grams = weighted_grams(&block, &scales, first_column);
        assert_eq!(grams.len(), n_scales);
        for c in (0..n_scales).step_by(4) {
            let first = first_column(c);
            assert_eq!((grams[c].n_rows(), grams[c].n_columns()), (k - first, k - first));
            for (a, b) in (first..k).flat_map(|a| (first..=a).map(move |b| (a, b))) {
                let terms = (0..n).map(|i| block[(i, a)] * scales[(i, c)] * block[(i, b)]);
                let off = grams[c][(a - first, b - first)] - terms.sum::<f64>();
                assert!(off.abs() < 1e-9, "{c} {a} {b}: {off}");
            }
        }
    }
}
