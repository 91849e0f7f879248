//! Symmetric slices that are rotated together, few enough to stay in the cache.
//!
//! The entries `(a, b)` of all slices are adjacent in memory: an angle is computed from three vectors, and a
//! rotation combines vectors two at a time.

use super::super::Curvature;
use crate::linalg::Matrix;

/// Number of values that are summed side by side, so that sums of products can use vector registers.
pub(super) const LANES: usize = 8;

/// The rotation of two rows and columns.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    pub p: usize,
    pub q: usize,
    pub cosine: f64,
    pub sine: f64,
}

impl Rotation {
    /// Rotates two vectors.
    #[inline(always)]
    pub(super) fn turn(self, x: &mut [f64], y: &mut [f64]) {
        let Rotation { cosine, sine, .. } = self;
        for (x, y) in x.iter_mut().zip(y) {
            let (old_x, old_y) = (*x, *y);
            *x = cosine * old_x + sine * old_y;
            *y = cosine * old_y - sine * old_x;
        }
    }

    /// Rotates columns `p` and `q` of a matrix.
    pub(super) fn turn_columns(self, matrix: &mut Matrix) {
        let n = matrix.n_rows();
        let (head, tail) = matrix.values_mut().split_at_mut(self.q * n);
        self.turn(&mut head[self.p * n..(self.p + 1) * n], &mut tail[..n]);
    }
}

/// The effect of a visit to some pairs.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub rotations: usize,
    /// The squares removed from the off-diagonal entries of the visited pairs (`gone`) and those that remain there
    /// (`left`); both are four times the actual sums.
    pub gone: f64,
    pub left: f64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.rotations += other.rotations;
        self.gone += other.gone;
        self.left += other.left;
    }
}

/// The criterion for making a rotation.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// The smallest angle.
    pub angle: f64,
    /// The squares it removes must exceed this fraction of those that remain off the diagonal in its pair.
    pub part: f64,
}

/// The best rotation of a pair.
struct Best {
    cosine: f64,
    sine: f64,
    /// The sum of squares that the rotation removes from the off-diagonal entries of the pair, times four.
    gone: f64,
    /// The sum of squares that remains there, times four.
    left: f64,
}

/// Entries `(a, b)`, `a <= b`, of several slices, those of one place adjacent.
pub(super) struct Slices {
    /// Rows of each slice.
    pub k: usize,
    /// Numbers per entry: one for each slice, padded with zeros to a multiple of the lanes.
    pub width: usize,
    pub values: Vec<f64>,
}

/// The index of entry `(a, b)`, in either order, in the packed upper triangle of a `k x k` matrix.
#[inline(always)]
pub(super) fn place(k: usize, a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    a * k - a * (a + 1) / 2 + b
}

impl Slices {
    pub(super) fn zeros(k: usize, width: usize) -> Self {
        Self { k, width, values: vec![0.0; k * (k + 1) / 2 * width] }
    }

    #[inline(always)]
    fn at(&self, a: usize, b: usize) -> usize {
        place(self.k, a, b) * self.width
    }

    #[inline(always)]
    pub(super) fn entry(&self, a: usize, b: usize) -> &[f64] {
        let start = self.at(a, b);
        &self.values[start..start + self.width]
    }

    /// Visits the pairs once, in the given order, and makes the rotations that are worth making.
    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        pairs: impl Iterator<Item = (usize, usize)>,
        worth: Worth,
    ) -> (Vec<Rotation>, Tally) {
        let (mut made, mut tally) = (Vec::new(), Tally::default());
        for (p, q) in pairs {
            let Best { cosine, sine, gone, left } = self.best_rotation(p, q);
            if sine.abs() >= worth.angle && gone > worth.part * left {
                let rotation = Rotation { p, q, cosine, sine };
                self.rotate(rotation);
                made.push(rotation);
            }
            tally.add(Tally { rotations: 0, gone, left });
        }
        tally.rotations = made.len();
        (made, tally)
    }

    /// The rotation that best diagonalises the pair `(p, q)`.
    #[inline(always)]
    fn best_rotation(&self, p: usize, q: usize) -> Best {
        let pp = self.entry(p, p).chunks_exact(LANES);
        let qq = self.entry(q, q).chunks_exact(LANES);
        let pq = self.entry(p, q).chunks_exact(LANES);
        let (mut g11, mut g12, mut g22) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for ((x, y), z) in pp.zip(qq).zip(pq) {
            for l in 0..LANES {
                let (difference, twice) = (x[l] - y[l], 2.0 * z[l]);
                g11[l] += difference * difference;
                g12[l] += difference * twice;
                g22[l] += twice * twice;
            }
        }
        let sum = |lanes: [f64; LANES]| lanes.iter().sum::<f64>();
        let (g11, g12, g22) = (sum(g11), sum(g12), sum(g22));
        let (on, off) = (g11 - g22, 2.0 * g12);
        let length = on.hypot(off);
        // All angles are equally good.
        if length <= 1e-15 * (g11 + g22) {
            return Best { cosine: 1.0, sine: 0.0, gone: 0.0, left: g11 + g22 };
        }
        // A quarter of the angle of (on, off): the usual half-angle formula divides zero by zero
        // when the best rotation is by 45 degrees exactly, as for two topics that mirror each other.
        let angle = 0.25 * off.atan2(on);
        // Computed as `length - on` and `g11 + g22 - length`, but without subtracting nearly equal numbers.
        let gone = if on > 0.0 { off * off / (length + on) } else { length - on };
        let left = 4.0 * (g11 * g22 - g12 * g12).max(0.0) / (g11 + g22 + length);
        Best { cosine: angle.cos(), sine: angle.sin(), gone, left }
    }

    /// `A <- R'A R` for all slices.
    #[inline(always)]
    fn rotate(&mut self, rotation: Rotation) {
        let Rotation { p, q, cosine, sine } = rotation;
        for b in (0..self.k).filter(|&b| b != p && b != q) {
            let (first, second) = (self.at(p, b), self.at(q, b));
            let (head, tail) = self.values.split_at_mut(second);
            rotation.turn(&mut head[first..first + self.width], &mut tail[..self.width]);
        }
        let (cc, cs, ss) = (cosine * cosine, cosine * sine, sine * sine);
        let (pp, pq, qq) = (self.at(p, p), self.at(p, q), self.at(q, q));
        for l in 0..self.width {
            let (x, y, z) = (self.values[pp + l], self.values[qq + l], self.values[pq + l]);
            self.values[pp + l] = cc * x + 2.0 * cs * z + ss * y;
            self.values[qq + l] = ss * x - 2.0 * cs * z + cc * y;
            self.values[pq + l] = (cc - ss) * z + cs * (y - x);
        }
    }

    pub(super) fn off_diagonal_share(&self) -> f64 {
        let (mut diagonal, mut off) = (0.0, 0.0);
        for a in 0..self.k {
            for b in a..self.k {
                let square: f64 = self.entry(a, b).iter().map(|v| v * v).sum();
                if a == b { diagonal += square } else { off += 2.0 * square }
            }
        }
        if diagonal + off > 0.0 { (off / (diagonal + off)).sqrt() } else { 0.0 }
    }

    pub(super) fn curvature(&self) -> Curvature {
        let diagonals = Matrix::from_fn(self.k, self.k, |l, p| self.entry(p, p)[l]);
        let firmness = Matrix::from_fn(self.k, self.k, |p, q| {
            let difference = self.entry(p, p).iter().zip(self.entry(q, q)).map(|(x, y)| x - y);
            let pairs = difference.zip(self.entry(p, q));
            pairs.map(|(d, off)| d * d - 4.0 * off * off).sum()
        });
        Curvature { diagonals, firmness }
    }

    /// The smallest distance between the diagonals of two topics: the separation of the two topics that are hardest
    /// to tell apart. With one topic, the size of its diagonal.
    pub(super) fn separation(&self) -> f64 {
        let distance = |a: usize, b: usize| {
            let pairs = self.entry(a, a).iter().zip(self.entry(b, b));
            pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
        };
        let pairs = (0..self.k).flat_map(|a| (a + 1..self.k).map(move |b| (a, b)));
        match pairs.map(|(a, b)| distance(a, b)).reduce(f64::min) {
            Some(closest) => closest,
            None => self.entry(0, 0).iter().map(|v| v * v).sum::<f64>().sqrt(),
        }
    }
}
