//! Accelerated EM: SQUAREM, scheme S3 (Varadhan and Roland 2008).
//!
//! ```text
//! t1 = EM(t0), t2 = EM(t1);  r = t1 - t0,  v = t2 - t1 - r;  a = -|r|/|v| within [-m, -1]
//! t  = project(t0 - 2 a r + a^2 v);  t0 <- EM(t) if F(t) >= F(t1), else t2
//! ```
//!
//! `m` begins at 4, grows fourfold whenever the limit is reached, and shrinks fourfold when an extrapolation is
//! rejected. A step of EM never lowers `F`, so neither does a cycle.

use super::LatentModel;

/// The first limit of an extrapolation.
const FIRST_LIMIT: f64 = 4.0;

/// The result of a climb.
#[derive(Clone, Debug)]
pub struct Climbed<P> {
    /// The parameters.
    pub parameters: P,
    /// `F` at these parameters.
    pub objective: f64,
    /// Number of EM steps.
    pub steps: usize,
    /// Whether it ended because nothing more was gained.
    pub converged: bool,
}

/// Climbs from `start` until a cycle gains less than the model's tolerance, or `budget` steps are made.
pub fn climb<M: LatentModel>(
    model: &M,
    start: M::Parameters,
    budget: usize,
) -> Climbed<M::Parameters> {
    let budget = budget.min(model.max_steps());
    let mut here = start;
    let mut limit = FIRST_LIMIT;
    let mut steps = 0;
    let mut before = f64::NEG_INFINITY;
    while steps < budget {
        crate::stop::here();
        let (first, objective) = model.step(&here);
        steps += 1;
        if objective.is_nan() {
            return Climbed {
                parameters: here,
                objective: f64::NEG_INFINITY,
                steps,
                converged: false,
            };
        }
        if objective - before < model.tolerance(objective) {
            return Climbed { parameters: here, objective, steps, converged: true };
        }
        before = objective;
        if steps + 2 > budget {
            here = first;
            break;
        }
        let (second, first_objective) = model.step(&first);
        steps += 1;
        here = match extrapolated(model, [&here, &first, &second], &mut limit) {
            None => second,
            Some(far) => {
                let (after, far_objective) = model.step(&far);
                steps += 1;
                if far_objective >= first_objective {
                    after
                } else {
                    limit = FIRST_LIMIT.max(limit / 4.0);
                    second
                }
            }
        };
    }
    let objective = model.objective(&here);
    let objective = if objective.is_nan() { f64::NEG_INFINITY } else { objective };
    Climbed { parameters: here, objective, steps, converged: false }
}

/// The extrapolated parameters, or `None` when two plain steps go as far.
fn extrapolated<M: LatentModel>(
    model: &M,
    [here, first, second]: [&M::Parameters; 3],
    limit: &mut f64,
) -> Option<M::Parameters> {
    let [t0, t1, t2] = [here, first, second].map(|parameters| model.flatten(parameters));
    let (mut r_squared, mut v_squared) = (0.0, 0.0);
    for ((x0, x1), x2) in t0.iter().zip(&t1).zip(&t2) {
        let r = x1 - x0;
        let v = x2 - x1 - r;
        r_squared += r * r;
        v_squared += v * v;
    }
    let length = (r_squared / v_squared).sqrt();
    if !length.is_finite() || length <= 1.0 {
        return None;
    }
    let a = length.min(*limit);
    if length >= *limit {
        *limit *= 4.0;
    }
    // With a = -|a|: t0 - 2 a r + a^2 v.
    let far: Vec<f64> = (t0.iter().zip(&t1).zip(&t2))
        .map(|((x0, x1), x2)| {
            let r = x1 - x0;
            x0 + 2.0 * a * r + a * a * (x2 - x1 - r)
        })
        .collect();
    Some(model.project(&far, second))
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Toy, drawn};
    use super::*;

    #[test]
    fn a_climb_ends_where_plain_em_ends_in_fewer_steps() {
        let model = Toy::new(drawn(&[(0.6, 0.0), (0.4, 1.6)], 400));
        let start = vec![(0.5, -0.5), (0.5, 0.5)];
        let climbed = climb(&model, start.clone(), 5000);
        assert!(climbed.converged);
        let (mut plain, mut steps) = (start, 0);
        let mut last = f64::NEG_INFINITY;
        loop {
            let (next, objective) = model.step(&plain);
            steps += 1;
            if objective - last < 1e-13 * objective.abs() {
                break;
            }
            (plain, last) = (next, objective);
        }
        assert!((climbed.objective - last).abs() < 1e-6, "{} {last}", climbed.objective);
        assert!(climbed.steps < steps / 2, "{} {steps}", climbed.steps);
    }

    #[test]
    fn a_longer_climb_is_never_lower() {
        let model = Toy::new(drawn(&[(0.3, 0.0), (0.3, 1.0), (0.4, 2.5)], 300));
        let start = vec![(0.2, -2.0), (0.3, 0.1), (0.5, 0.2)];
        let ends: Vec<f64> =
            (1..60).map(|budget| climb(&model, start.clone(), budget).objective).collect();
        assert!(ends.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{ends:?}");
    }
}
