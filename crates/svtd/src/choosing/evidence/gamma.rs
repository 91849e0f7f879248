//! The gamma function, in logarithms.

/// The logarithm of the gamma function for positive numbers: Stirling's series, from 8 on.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 8.0 {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - product.ln()
}

/// `ln [ x (x + 1) ... (x + n - 1) ]`.
pub(crate) fn ln_rising(x: f64, n: u64) -> f64 {
    match n {
        0 => 0.0,
        1 => x.ln(),
        2 => (x * (x + 1.0)).ln(),
        3 => (x * (x + 1.0) * (x + 2.0)).ln(),
        _ => ln_gamma(x + n as f64) - ln_gamma(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gamma_function_is_that_of_factorials_and_of_a_half() {
        let mut factorial: f64 = 1.0;
        for n in 1..30 {
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-10, "{n}");
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-10);
        assert!((ln_gamma(1e-3) - (ln_gamma(1.001) - 1e-3_f64.ln())).abs() < 1e-10);
    }

    #[test]
    fn a_rising_product_is_the_product() {
        for x in [1e-3, 0.7, 3.0, 900.0] {
            let mut product = 0.0;
            for n in 0..9 {
                assert!((ln_rising(x, n) - product).abs() < 1e-9, "{x} {n}");
                product += (x + n as f64).ln();
            }
        }
    }
}
