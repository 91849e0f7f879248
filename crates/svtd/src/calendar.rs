//! Times of documents, and the periods they fall in.
//!
//! Dates are those of the proleptic Gregorian calendar; days are counted from 1970-01-01 by the
//! usual arithmetic on eras of 400 years, so nothing depends on a clock or a time zone. A time of
//! day is ignored.

use std::fmt;

/// How precisely a time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    Year,
    Month,
    Day,
}

/// When a document is from: a year, a month or a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    year: i32,
    month: u32,
    day: u32,
    precision: Precision,
}

impl Moment {
    /// Reads `1861`, `1861-03`, `1861-03-04`, `1861-03-04T12:00:00Z`, also with `/` or `.`; `None`
    /// for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let date = digits.split(['T', ' ']).next()?;
        let mut parts = date.split(['-', '/', '.']);
        let year = parts.next().filter(|part| (1..=5).contains(&part.len()))?;
        let year = sign * whole(year)? as i32;
        // A year as a floating-point table has it: 1861.0.
        let rest: Vec<&str> = parts.collect();
        if rest.is_empty() || (date.contains('.') && rest.len() == 1 && whole(rest[0])? == 0) {
            let bare = digits == date;
            return bare.then_some(Self { year, month: 1, day: 1, precision: Precision::Year });
        }
        let month = whole(rest[0]).filter(|m| (1..=12).contains(m))?;
        let Some(day) = rest.get(1) else {
            let bare = digits == date;
            return bare.then_some(Self { year, month, day: 1, precision: Precision::Month });
        };
        let day = whole(day).filter(|&d| d >= 1 && d <= days_in(year, month))?;
        (rest.len() == 2).then_some(Self { year, month, day, precision: Precision::Day })
    }

    /// How precisely it is known.
    pub(crate) fn precision(self) -> Precision {
        self.precision
    }

    /// Days since 1970-01-01.
    pub(crate) fn days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let month = i64::from((self.month + 9) % 12);
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }
}

fn whole(text: &str) -> Option<u32> {
    (!text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn days_in(year: i32, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.precision {
            Precision::Year => write!(f, "{}", self.year),
            Precision::Month => write!(f, "{}-{:02}", self.year, self.month),
            Precision::Day => write!(f, "{}-{:02}-{:02}", self.year, self.month, self.day),
        }
    }
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// This many days.
    Days(u32),
    /// This many months.
    Months(u32),
    /// This many years.
    Years(u32),
}

impl Unit {
    /// The lengths that are tried, shortest first.
    const LADDER: [Unit; 13] = [
        Unit::Days(1),
        Unit::Days(7),
        Unit::Months(1),
        Unit::Months(3),
        Unit::Years(1),
        Unit::Years(2),
        Unit::Years(5),
        Unit::Years(10),
        Unit::Years(20),
        Unit::Years(50),
        Unit::Years(100),
        Unit::Years(200),
        Unit::Years(500),
    ];

    /// How precisely a document must be dated for periods of this length.
    fn needs(self) -> Precision {
        match self {
            Unit::Days(_) => Precision::Day,
            Unit::Months(_) => Precision::Month,
            Unit::Years(_) => Precision::Year,
        }
    }

    /// The number of the period that a moment falls in; period 0 holds day 0 or begins in year 0.
    fn index(self, moment: Moment) -> i64 {
        match self {
            Unit::Days(n) => moment.days().div_euclid(i64::from(n)),
            Unit::Months(n) => {
                let months = i64::from(moment.year) * 12 + i64::from(moment.month) - 1;
                months.div_euclid(i64::from(n))
            }
            Unit::Years(n) => i64::from(moment.year).div_euclid(i64::from(n)),
        }
    }

    /// The name of the period with this number.
    fn name(self, index: i64) -> String {
        match self {
            Unit::Days(n) => date(index * i64::from(n)),
            Unit::Months(n) => {
                let first = index * i64::from(n);
                let (year, month) = (first.div_euclid(12), first.rem_euclid(12) + 1);
                format!("{year}-{month:02}")
            }
            Unit::Years(1) => index.to_string(),
            Unit::Years(n) => {
                let first = index * i64::from(n);
                format!("{first}\u{2013}{}", first + i64::from(n) - 1)
            }
        }
    }

    /// Where a period begins, in years, for an axis.
    fn begins(self, index: i64) -> f64 {
        match self {
            Unit::Days(n) => 1970.0 + (index * i64::from(n)) as f64 / 365.2425,
            Unit::Months(n) => (index * i64::from(n)) as f64 / 12.0,
            Unit::Years(n) => (index * i64::from(n)) as f64,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Days(1) => write!(f, "a day"),
            Unit::Days(7) => write!(f, "a week"),
            Unit::Days(n) => write!(f, "{n} days"),
            Unit::Months(1) => write!(f, "a month"),
            Unit::Months(3) => write!(f, "a quarter"),
            Unit::Months(n) => write!(f, "{n} months"),
            Unit::Years(1) => write!(f, "a year"),
            Unit::Years(n) => write!(f, "{n} years"),
        }
    }
}

/// The date of a day, given as days since 1970-01-01.
pub(crate) fn date(days: i64) -> String {
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// The day `months` months before another one, or the last day of its month.
pub(crate) fn months_before(days: i64, months: u32) -> i64 {
    let (year, month, day) = civil(days);
    let first = year * 12 + i64::from(month) - 1 - i64::from(months);
    let (year, month) = (first.div_euclid(12) as i32, first.rem_euclid(12) as u32 + 1);
    let day = day.min(days_in(year, month));
    Moment { year, month, day, precision: Precision::Day }.days()
}

/// Year, month and day, from days since 1970-01-01.
fn civil(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + late, month as u32, day as u32)
}

/// Documents by period.
#[derive(Clone, Debug, PartialEq)]
pub struct Periods {
    /// The length of a period.
    pub unit: Unit,
    /// What each period is called, from the first with a document to the last.
    pub names: Vec<String>,
    /// Where each begins and the last one ends, in years.
    pub bounds: Vec<f64>,
    /// The period of each document; `None` for documents without a time.
    pub of_document: Vec<Option<usize>>,
}

/// The largest number of periods; more could not be distinguished in a figure.
const MOST_PERIODS: usize = 80;

/// The smallest number of documents in the median period (of those that have any). With fewer, the next longer
/// period is taken, because an error estimated from fewer documents says little.
const ENOUGH_DOCUMENTS: usize = 5;

impl Periods {
    /// Periods of the shortest length for which the median period has at least five documents and
    /// there are no more than 80; `None` when no document has a time.
    pub fn of(moments: &[Option<Moment>]) -> Option<Self> {
        let coarsest = moments.iter().flatten().map(|m| m.precision).min()?;
        let mut usable = Unit::LADDER.into_iter().filter(|unit| unit.needs() <= coarsest);
        let fits = |unit: &Unit| Self::with(*unit, moments).is_some_and(|p| p.is_readable());
        let unit = usable.clone().find(fits);
        // With too few documents for every length, the longest that still gives more than one period.
        let apart = |unit: &Unit| Self::with(*unit, moments).is_some_and(|p| p.names.len() > 2);
        let unit = unit.or_else(|| usable.clone().rev().find(apart)).or_else(|| usable.next())?;
        Self::with(unit, moments)
    }

    /// Periods of this length; `None` when no document has a time, or there would be too many to
    /// be listed.
    pub fn with(unit: Unit, moments: &[Option<Moment>]) -> Option<Self> {
        let index = |m: &Option<Moment>| m.map(|m| unit.index(m));
        let indices: Vec<Option<i64>> = moments.iter().map(index).collect();
        let (first, last) = (*indices.iter().flatten().min()?, *indices.iter().flatten().max()?);
        let n = usize::try_from(last - first).ok().filter(|&n| n < 100_000)? + 1;
        Some(Self {
            unit,
            names: (first..=last).map(|index| unit.name(index)).collect(),
            bounds: (0..=n as i64).map(|i| unit.begins(first + i)).collect(),
            of_document: indices.iter().map(|i| i.map(|i| (i - first) as usize)).collect(),
        })
    }

    /// Documents in each period.
    pub fn n_documents(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        self.of_document.iter().flatten().for_each(|&p| counts[p] += 1);
        counts
    }

    fn is_readable(&self) -> bool {
        let mut filled: Vec<usize> = self.n_documents();
        filled.retain(|&n| n > 0);
        filled.sort_unstable();
        self.names.len() <= MOST_PERIODS && filled[filled.len() / 2] >= ENOUGH_DOCUMENTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn years_months_days_and_time_stamps_are_read() {
        for (text, written) in [
            ("1861", "1861"),
            (" 1861.0 ", "1861"),
            ("1861-03", "1861-03"),
            ("1861/3/4", "1861-03-04"),
            ("1861-03-04T12:30:00Z", "1861-03-04"),
            ("2000-02-29 00:00", "2000-02-29"),
            ("-44-03-15", "-44-03-15"),
        ] {
            assert_eq!(moment(text).to_string(), written);
        }
        for text in
            ["", "x", "1861-13", "1900-02-29", "1-2-3-4", "123456", "1861 AD", "12:30", "NaN"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_and_named_back() {
        assert_eq!(moment("1970-01-01").days(), 0);
        assert_eq!(moment("2000-03-01").days(), 11_017);
        for text in ["1600-02-29", "1790-01-08", "1999-12-31", "2024-02-29", "-44-03-15"] {
            assert_eq!(date(moment(text).days()), text);
        }
    }

    #[test]
    fn a_year_of_one_document_each_is_told_by_longer_periods() {
        let moments: Vec<_> = (1790..2022).map(|y| Some(moment(&y.to_string()))).collect();
        let periods = Periods::of(&moments).unwrap();
        assert_eq!(periods.unit, Unit::Years(5));
        assert_eq!((&periods.names[0][..], periods.bounds[1]), ("1790\u{2013}1794", 1795.0));
        assert_eq!(periods.n_documents()[..2], [5, 5]);
        assert_eq!(periods.of_document[231], Some(periods.names.len() - 1));
    }

    #[test]
    fn many_documents_a_day_are_told_by_days() {
        let day = |i: usize| Some(moment(&format!("2026-01-{:02}", 1 + i % 20)));
        let moments: Vec<_> = (0..200).map(day).chain([None]).collect();
        let periods = Periods::of(&moments).unwrap();
        assert_eq!((periods.unit, periods.names.len()), (Unit::Days(1), 20));
        assert_eq!((periods.names[19].as_str(), periods.of_document[200]), ("2026-01-20", None));
        assert_eq!(Periods::of(&[None]), None);
    }

    #[test]
    fn a_document_dated_by_its_year_alone_forbids_shorter_periods() {
        let moments: Vec<_> =
            (0..40).map(|i| Some(moment(["2001-05-06", "2002"][i % 2]))).collect();
        assert_eq!(Periods::of(&moments).unwrap().unit, Unit::Years(1));
    }

    #[test]
    fn few_documents_still_have_periods() {
        let moments = [Some(moment("1800")), Some(moment("1900")), Some(moment("2000"))];
        let periods = Periods::of(&moments).unwrap();
        assert!(periods.names.len() >= 3 && periods.of_document.iter().all(Option::is_some));
        assert_eq!(Periods::of(&moments[..1]).unwrap().names.len(), 1);
    }
}
