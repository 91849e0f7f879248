//! The scaled forward-backward recursion, and the most probable path.
//!
//! ```text
//! alpha_t(j) = b_j(t) sum_i alpha_(t-1)(i) A_ij / c_t          c_t makes alpha_t sum to one
//! beta_t(i)  = sum_j A_ij b_j(t+1) beta_(t+1)(j) / n_t         n_t = sum_i alpha_t(i) (...)
//! gamma_t    = alpha_t beta_t                                  xi_ij = A_ij sum_t alpha_t(i) b_j beta_j / n_t
//! ```
//!
//! Emission likelihoods are divided by the largest of their row; the caller adds the logarithms back. The backward
//! pass computes the sums of the M step as it goes: `beta` is not stored.

/// The likelihood of a step that no state can explain.
const FLOOR: f64 = 1e-300;

/// Likelihoods of distinct observations: `k` numbers per row.
pub(super) struct Likelihoods {
    pub(super) scaled: Vec<f64>,
    /// Logarithm of the divisor of each row.
    pub(super) log_scale: Vec<f64>,
}

/// A chain as the recursion needs it.
pub(super) struct Recursion<'a> {
    pub(super) k: usize,
    pub(super) initial: &'a [f64],
    pub(super) transitions: &'a [f64],
    pub(super) likelihoods: &'a Likelihoods,
}

/// Sums over the steps of some sequences.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) log_likelihood: f64,
    /// Probability of the first states.
    pub(super) initial: Vec<f64>,
    /// `sum_t alpha_t(i) b_j beta_j / n_t`, to be multiplied by `A_ij`.
    pub(super) pairs: Vec<f64>,
}

impl Recursion<'_> {
    /// Runs over one sequence of observation codes, adds to `sums` and passes the state probabilities of each step,
    /// last step first, to `visit`.
    pub(super) fn run(
        &self,
        codes: &[u32],
        alpha: &mut Vec<f64>,
        sums: &mut Sums,
        visit: &mut impl FnMut(usize, &[f64]),
    ) {
        // Known numbers of states let the compiler unroll the loops.
        match self.k {
            1 => self.sized(1, codes, alpha, sums, visit),
            2 => self.sized(2, codes, alpha, sums, visit),
            3 => self.sized(3, codes, alpha, sums, visit),
            4 => self.sized(4, codes, alpha, sums, visit),
            5 => self.sized(5, codes, alpha, sums, visit),
            6 => self.sized(6, codes, alpha, sums, visit),
            8 => self.sized(8, codes, alpha, sums, visit),
            k => self.sized(k, codes, alpha, sums, visit),
        }
    }

    #[inline(always)]
    fn sized(
        &self,
        k: usize,
        codes: &[u32],
        alpha: &mut Vec<f64>,
        sums: &mut Sums,
        visit: &mut impl FnMut(usize, &[f64]),
    ) {
        sums.log_likelihood += self.forward(k, codes, alpha);
        let n = codes.len();
        let a = &self.transitions[..k * k];
        let pairs = &mut sums.pairs[..k * k];
        let mut beta = vec![1.0; k];
        let mut v = vec![0.0; k];
        let mut gamma = vec![0.0; k];
        let (beta, v, gamma) = (&mut beta[..k], &mut v[..k], &mut gamma[..k]);
        gamma.copy_from_slice(&alpha[(n - 1) * k..n * k]);
        visit(n - 1, gamma);
        for t in (0..n - 1).rev() {
            let like = self.row(k, codes[t + 1]);
            let here = &alpha[t * k..(t + 1) * k];
            for j in 0..k {
                v[j] = like[j] * beta[j];
            }
            let mut norm = 0.0;
            for i in 0..k {
                let mut sum = 0.0;
                for j in 0..k {
                    sum += a[i * k + j] * v[j];
                }
                beta[i] = sum;
                norm += here[i] * sum;
            }
            let scale = 1.0 / norm.max(FLOOR);
            for i in 0..k {
                beta[i] *= scale;
                gamma[i] = here[i] * beta[i];
                let share = here[i] * scale;
                for j in 0..k {
                    pairs[i * k + j] += share * v[j];
                }
            }
            visit(t, gamma);
        }
        for (target, g) in sums.initial.iter_mut().zip(gamma.iter()) {
            *target += g;
        }
    }

    /// Fills `alpha` and returns the log-likelihood.
    #[inline(always)]
    fn forward(&self, k: usize, codes: &[u32], alpha: &mut Vec<f64>) -> f64 {
        alpha.clear();
        alpha.resize(codes.len() * k, 0.0);
        let a = &self.transitions[..k * k];
        let mut log_likelihood = 0.0;
        // Products of normalisers are accumulated until they are small, to save logarithms.
        let mut product = 1.0;
        for (t, &code) in codes.iter().enumerate() {
            let like = self.row(k, code);
            let (before, rest) = alpha.split_at_mut(t * k);
            let here = &mut rest[..k];
            let mut total = 0.0;
            for j in 0..k {
                let mut sum = 0.0;
                if t == 0 {
                    sum = self.initial[j];
                } else {
                    let last = &before[(t - 1) * k..];
                    for i in 0..k {
                        sum += last[i] * a[i * k + j];
                    }
                }
                here[j] = sum * like[j];
                total += here[j];
            }
            log_likelihood += self.likelihoods.log_scale[code as usize];
            if total > FLOOR {
                let scale = 1.0 / total;
                here.iter_mut().for_each(|x| *x *= scale);
                product *= total;
                if product < 1e-200 {
                    log_likelihood += product.ln();
                    product = 1.0;
                }
            } else {
                // No state explains this step: all states are equally likely, with a small likelihood.
                here.fill(1.0 / k as f64);
                log_likelihood += FLOOR.ln();
            }
        }
        log_likelihood + product.ln()
    }

    /// The log-likelihood of one sequence.
    pub(super) fn log_likelihood(&self, codes: &[u32]) -> f64 {
        self.forward(self.k, codes, &mut Vec::new())
    }

    /// The distribution of the last state given all observations.
    pub(super) fn filtered(&self, codes: &[u32]) -> Vec<f64> {
        let mut alpha = Vec::new();
        self.forward(self.k, codes, &mut alpha);
        alpha[alpha.len() - self.k..].to_vec()
    }

    /// The most probable path (Viterbi) and its log probability; ties go to the lowest state.
    pub(super) fn best_path(&self, codes: &[u32]) -> (Vec<usize>, f64) {
        let k = self.k;
        let log = |x: f64| x.max(FLOOR).ln();
        let log_a: Vec<f64> = self.transitions.iter().map(|&x| log(x)).collect();
        let mut from = vec![0_u32; codes.len() * k];
        let mut score: Vec<f64> = self.initial.iter().map(|&x| log(x)).collect();
        let mut next = vec![0.0; k];
        for (t, &code) in codes.iter().enumerate() {
            let like = self.row(k, code);
            let scale = self.likelihoods.log_scale[code as usize];
            for j in 0..k {
                let mut best = (score[j], j);
                if t > 0 {
                    best = (f64::NEG_INFINITY, 0);
                    for i in 0..k {
                        let through = score[i] + log_a[i * k + j];
                        if through > best.0 {
                            best = (through, i);
                        }
                    }
                }
                next[j] = best.0 + log(like[j]) + scale;
                from[t * k + j] = best.1 as u32;
            }
            std::mem::swap(&mut score, &mut next);
        }
        let mut state = 0;
        for j in 1..k {
            if score[j] > score[state] {
                state = j;
            }
        }
        let reached = score[state];
        let mut path = vec![0; codes.len()];
        for t in (0..codes.len()).rev() {
            path[t] = state;
            state = from[t * k + state] as usize;
        }
        (path, reached)
    }

    #[inline(always)]
    fn row(&self, k: usize, code: u32) -> &[f64] {
        &self.likelihoods.scaled[code as usize * k..code as usize * k + k]
    }
}
