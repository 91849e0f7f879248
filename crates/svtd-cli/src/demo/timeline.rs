//! The demonstration's topics over time: shares by period with their 95 % intervals, as `svtd trends` estimates
//! them.

use std::io::{self, Write};

use serde_json::{Value, json};
use svtd::evaluation::{DocumentShares, Moment, Periods, Shares};
use svtd::{Corpus, Model};

use crate::listing;

/// Topics in the timeline.
const LEADING: usize = 12;
/// The number of words that describe a topic beside its curve, and the width for them.
const CAPTION: usize = 3;
const CAPTION_WIDTH: usize = 30;
/// Years between two marks of the axis.
const MARK: i64 = 50;

/// Shares of topics by period.
pub struct Timeline {
    periods: Periods,
    shares: Shares,
}

impl Timeline {
    /// The shares of the documents' topics by the years they are from.
    ///
    /// # Errors
    /// When the topics hold numbers that are not finite.
    pub fn of(model: &Model, corpus: &Corpus, years: &[usize]) -> svtd::Result<Option<Self>> {
        let moments: Vec<_> = years.iter().map(|year| Moment::parse(&year.to_string())).collect();
        let Some(periods) = Periods::of(&moments) else { return Ok(None) };
        let documents = DocumentShares::of(model.topics(), corpus)?;
        let shares = documents.by_group(&periods.of_document, periods.names.len());
        Ok(Some(Self { periods, shares }))
    }

    /// First years, and shares and bands by period and topic.
    pub fn to_json(&self) -> [(&'static str, Value); 3] {
        let (n, k) = (self.periods.names.len(), self.shares.means.n_columns());
        let starts: Vec<i64> = self.periods.bounds[..n].iter().map(|start| *start as i64).collect();
        let by_topic = |g: usize| (0..k).map(|j| self.shares.share(g, j)).collect::<Vec<_>>();
        let bands = |g: usize| (0..k).map(|j| self.shares.interval(g, j)).collect::<Vec<_>>();
        [
            ("first_years", json!(starts)),
            ("shares_by_period", json!((0..n).map(by_topic).collect::<Vec<_>>())),
            ("bands_by_period", json!((0..n).map(bands).collect::<Vec<_>>())),
        ]
    }

    /// One line for each leading topic: a curve scaled to the topic's largest share, and that share with its
    /// interval.
    pub fn write(&self, out: &mut dyn Write, model: &Model) -> io::Result<()> {
        writeln!(
            out,
            "Share by {}, each to its own height; the largest with its 95 % band\n",
            self.periods.unit
        )?;
        for topic in model.topics().iter().take(LEADING) {
            let j = topic.index();
            let caption = listing::words(model, j, CAPTION).join(" ");
            let (curve, largest) = (self.curve(j), self.largest(j));
            writeln!(out, "{:5}  {caption:<CAPTION_WIDTH$} {curve}  {largest}", j + 1)?;
        }
        writeln!(out, "{:width$}{}", "", self.axis(), width = 8 + CAPTION_WIDTH)
    }

    fn curve(&self, topic: usize) -> String {
        const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let n = self.periods.names.len();
        let shares: Vec<f64> = (0..n).map(|g| self.shares.share(g, topic).unwrap_or(0.0)).collect();
        let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        shares.iter().map(|share| HEIGHTS[(8.0 * share / most).round() as usize]).collect()
    }

    /// `1880–1884 38% (33-43)`.
    fn largest(&self, topic: usize) -> String {
        let share = |g: &usize| self.shares.share(*g, topic).unwrap_or(0.0);
        let periods = 0..self.periods.names.len();
        let most = periods.max_by(|a, b| share(a).total_cmp(&share(b)).then(b.cmp(a)));
        let Some(most) = most else { return String::new() };
        let band = self.shares.interval(most, topic).map_or(String::new(), |[low, high]| {
            format!(" ({:.0}-{:.0})", 100.0 * low, 100.0 * high)
        });
        format!("{} {:.0}%{band}", self.periods.names[most], 100.0 * share(&most))
    }

    /// Years below the periods they begin, a mark every fifty.
    fn axis(&self) -> String {
        let mut axis = String::new();
        for (g, start) in self.periods.bounds.iter().enumerate() {
            let room = axis.chars().count() <= g && g + 4 <= self.periods.names.len();
            if room && *start as i64 % MARK == 0 {
                axis = format!("{axis:<g$}{}", *start as i64);
            }
        }
        axis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_names_years_below_the_periods_they_begin() {
        let years: Vec<usize> = (1790..2022).flat_map(|year| [year; 3]).collect();
        let moments: Vec<_> = years.iter().map(|year| Moment::parse(&year.to_string())).collect();
        let periods = Periods::of(&moments).unwrap();
        let mixtures = svtd::linalg::Matrix::from_fn(years.len(), 1, |_, _| 1.0);
        let n = periods.names.len();
        let shares = Shares::by_group(&mixtures, &periods.of_document, n);
        let timeline = Timeline { periods, shares };
        let axis = timeline.axis();
        for year in [1800, 1850, 1900, 1950, 2000] {
            let at = timeline.periods.bounds.iter().position(|start| *start as i64 == year);
            assert_eq!(axis.find(&year.to_string()), at, "{axis:?}");
        }
        assert_eq!(timeline.curve(0), "█".repeat(n));
    }
}
