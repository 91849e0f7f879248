//! Axes: where a number lies, and which numbers are written.

/// How numbers are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    Linear,
    /// Equal ratios, equal distances; only positive numbers have a place.
    Log,
}

/// An axis from `low` to `high`.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it counts, with the unit.
    pub label: String,
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), scale: Scale::Linear, low, high }
    }

    /// A logarithmic axis between positive numbers.
    pub fn log(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), scale: Scale::Log, low, high }
    }

    /// An axis that just holds the numbers, with a little room beyond them. A linear axis of
    /// numbers that are not negative begins at zero.
    pub fn around(
        label: impl Into<String>,
        scale: Scale,
        values: impl IntoIterator<Item = f64>,
    ) -> Self {
        let shown = |v: &f64| v.is_finite() && (scale == Scale::Linear || *v > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(shown) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                let foot = if low >= 0.0 { 0.0 } else { low };
                let room = if high > foot { 0.04 * (high - foot) } else { 1.0 };
                Self::linear(label, foot, high + room)
            }
            Scale::Log => Self::log(label, low / 1.12, high * 1.12),
        }
    }

    /// Where a number lies between 0 and 1; beyond them when it is beyond the axis.
    pub fn position(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => f64::NAN,
        };
        place.is_finite().then_some(place)
    }

    /// The numbers written along the axis, as they are written.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let values = match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        };
        values.into_iter().map(|v| (v, written(v))).collect()
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let span = self.high - self.low;
        let rough = span / 5.0;
        let magnitude = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * magnitude)
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(rough);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// Powers of ten; with twos and fives between them when there are few.
    fn log_ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let within: &[f64] = if decades < 2.6 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        (first..=last)
            .flat_map(|power| within.iter().map(move |m| m * 10.0_f64.powi(power)))
            .filter(|v| *v >= self.low * 0.999 && *v <= self.high * 1.001)
            .collect()
    }
}

/// A number as short as it can be read: `0.02`, `500`, `2e-4`.
fn written(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&value.abs()) {
        let text = format!("{value:.0e}");
        return text;
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Axis::linear("", 0.0, 0.5)), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(labels(&Axis::linear("", 50.0, 200.0)), ["50", "100", "150", "200"]);
        assert_eq!(
            labels(&Axis::log("", 100.0, 10_000.0)),
            ["100", "200", "500", "1000", "2000", "5000", "10000"]
        );
        assert_eq!(
            labels(&Axis::log("", 1e-5, 1e-1)),
            ["1e-5", "1e-4", "1e-3", "0.01", "0.1"].map(|l| if l == "1e-3" { "0.001" } else { l })
        );
    }

    #[test]
    fn an_axis_around_numbers_holds_them_all() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis::around("", scale, [3.0, 0.2, f64::NAN, 11.0]);
            for value in [3.0, 0.2, 11.0] {
                let place = axis.position(value).unwrap();
                assert!((0.0..=1.0).contains(&place));
            }
        }
        assert_eq!(Axis::around("", Scale::Log, [1.0, 2.0]).position(-1.0), None);
        assert!(!Axis::around("", Scale::Log, []).ticks().is_empty());
        assert!(Axis::around("", Scale::Linear, [0.0]).position(0.0).is_some());
    }
}
