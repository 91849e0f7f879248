//! Axes: positions of numbers, and tick labels.

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal distances.
    Linear,
    /// Equal ratios have equal distances; for positive numbers only.
    Log,
}

/// An axis from `low` to `high`.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The quantity, with its unit.
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

    /// An axis for these numbers, with a little space around them. A linear axis of non-negative numbers begins at
    /// zero.
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

    /// The position of a number, from 0 to 1 within the axis and beyond outside of it.
    pub fn position(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => f64::NAN,
        };
        place.is_finite().then_some(place)
    }

    /// The tick values and their labels.
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

/// A number in its shortest readable form: `0.02`, `500`, `2e-4`.
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
