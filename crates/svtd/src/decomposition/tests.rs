//! Methods on cubes that follow no model, and on directions that tell nothing apart.

use super::*;
use crate::moments::{Basis, ExactMoments};
use crate::synthetic::SingleTopicSource;
use crate::whitening::Scaling;

const RIVALS: [Method; 4] = [
    Method::TensorPower { seed: 3 },
    Method::Eigenvectors { seed: 3 },
    Method::SingularVectors { seed: 3 },
    Method::Als { seed: 3 },
];

/// The second moment of a model, and a third moment that says what the test wants.
struct WithCube {
    exact: ExactMoments,
    cube: Cube,
}

impl Moments for WithCube {
    fn n_features(&self) -> usize {
        self.exact.n_features()
    }

    fn first(&self) -> &[f64] {
        self.exact.first()
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        self.exact.second_times(block)
    }

    fn third_whitened(&self, _: &Basis) -> Cube {
        self.cube.clone()
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, range: std::ops::Range<usize>) -> Matrix {
        self.exact.third_slices(basis, rows, range)
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        self.exact.third_diagonals(basis, rotation)
    }

    /// `M3 = T(E', E', E')` along a direction.
    fn third_towards(&self, basis: &Basis, direction: &[f64]) -> Matrix {
        let k = self.cube.side();
        let mut sum = Matrix::zeros(k, k);
        for l in 0..k {
            let weight = dot(basis.factor().column(l), direction);
            let slice = Matrix::from_columns(k, k, self.cube.slice(l).to_vec());
            sum.add(weight, &slice);
        }
        sum
    }
}

fn with_cube(cube: Cube) -> (WithCube, Whitening) {
    let source = SingleTopicSource::uniform(20, cube.side(), 1);
    let exact = ExactMoments::single_topic(source.word_topic, &source.topic_weights);
    let whitening = Whitening::fit(&exact, cube.side(), Scaling::Plain).unwrap();
    (WithCube { exact, cube }, whitening)
}

#[test]
fn a_cube_that_says_nothing_is_flagged_and_gives_finite_numbers() {
    let (moments, whitening) = with_cube(Cube::zeros(3));
    for method in RIVALS {
        let found = method.decompose(&moments, &whitening, Rows::Kept);
        assert!(found.note.is_some(), "{method:?}");
        assert!(found.rotation.values().iter().all(|v| v.is_finite()), "{method:?}");
        assert!(found.separation.is_finite() && found.residual.is_finite());
    }
}

#[test]
fn a_cube_that_is_not_finite_is_flagged() {
    let (moments, whitening) = with_cube(Cube::symmetric(3, |_, _, _| f64::NAN));
    for method in RIVALS {
        let found = method.decompose(&moments, &whitening, Rows::Kept);
        assert!(found.note.is_some(), "{method:?}");
    }
}

#[test]
fn columns_that_cancel_are_flagged() {
    // Topics along directions whose features sum to nothing.
    let (_, whitening) = with_cube(Cube::zeros(2));
    let sums: Vec<f64> = (0..2).map(|a| whitening.factor().column(a).iter().sum()).collect();
    let length = dot(&sums, &sums).sqrt();
    let (c, s) = (sums[0] / length, sums[1] / length);
    let basis = [[c, s], [-s, c]];
    let cube = Cube::symmetric(2, |i, j, l| {
        basis.iter().zip([1.0, 2.0]).map(|(o, value)| value * o[i] * o[j] * o[l]).sum()
    });
    let (moments, whitening) = with_cube(cube);
    for method in RIVALS {
        let found = method.decompose(&moments, &whitening, Rows::Kept);
        let note = found.note.unwrap();
        assert!(note.starts_with("1 of 2 topics came out"), "{method:?}: {note}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_one_others() {
    // Not the cube of any model, so that chance has something to decide.
    let cube = Cube::symmetric(4, |a, b, c| ((a * b * c + 3 * (a + b + c)) as f64).sin());
    let (moments, whitening) = with_cube(cube);
    let run = |method: Method| method.decompose(&moments, &whitening, Rows::Kept).rotation;
    for method in RIVALS {
        assert_eq!(run(method), run(method), "{method:?}");
    }
    assert_ne!(run(Method::Eigenvectors { seed: 3 }), run(Method::Eigenvectors { seed: 4 }));
    assert_ne!(run(Method::SingularVectors { seed: 3 }), run(Method::SingularVectors { seed: 4 }));
}

#[test]
fn the_tensor_power_method_gives_its_topics_one_at_a_time() {
    let cube = Cube::symmetric(4, |a, b, c| ((a * b * c + 3 * (a + b + c)) as f64).sin());
    let (_, whitening) = with_cube(cube.clone());
    let all = tensor_power::decompose(&cube, &whitening, 3).rotation;
    let mut one_by_one = tensor_power::Deflation::new(&cube, 3);
    for j in 0..4 {
        assert_eq!(one_by_one.next().unwrap().direction, all.column(j));
    }
    assert!(one_by_one.next().is_none());
}

#[test]
fn rounds_of_least_squares_bring_the_misfit_down() {
    let cube = Cube::symmetric(4, |a, b, c| ((a * b * c + 3 * (a + b + c)) as f64).sin());
    let after = [1, 3, 10, 100].map(|n| als::misfit_after(&cube, 3, n));
    assert!(after.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "{after:?}");
    assert!(after[3] < after[0]);
}

#[test]
fn names_in_model_files_stay_what_they_are() {
    let name = |method: Method| serde_json::to_string(&method).unwrap();
    assert_eq!(name(Method::Joint), "\"joint\"");
    assert_eq!(name(Method::Svtd), "\"svtd\"");
    assert_eq!(name(Method::TensorPower { seed: 7 }), "{\"tensor-power\":{\"seed\":7}}");
    for method in [Method::Joint, Method::Svtd].into_iter().chain(RIVALS) {
        assert_eq!(serde_json::from_str::<Method>(&name(method)).unwrap(), method);
    }
}
