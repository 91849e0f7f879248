//! The length of a window, and the times of documents.

use std::str::FromStr;

use crate::calendar::{Moment, Precision, date, months_before};

const DAY: i64 = 86_400;

/// Which documents of a stream are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Last {
    /// All of them.
    #[default]
    All,
    /// This many of the most recent documents.
    Documents(usize),
    /// Those within this time before the newest.
    Time(Span),
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// This many hours.
    Hours(u32),
    /// This many days.
    Days(u32),
    /// This many calendar months.
    Months(u32),
    /// This many calendar years.
    Years(u32),
}

/// Parses `30d`, `12h`, `8w`, `6m`, `1y`; `5000` is a number of documents.
impl FromStr for Last {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected hours, days, weeks, months or years, such as 12h, 30d, 8w, 6m or 1y, or a number \
             of documents"
                .to_owned()
        };
        let (digits, unit) = match text.char_indices().next_back() {
            Some((at, unit)) if !unit.is_ascii_digit() => (&text[..at], Some(unit)),
            _ => (text, None),
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        let Some(unit) = unit else {
            return match digits.parse() {
                Ok(n) if n > 0 => Ok(Last::Documents(n)),
                _ => Err(wrong()),
            };
        };
        let n: u32 = digits.parse().ok().filter(|n| (1..=100_000).contains(n)).ok_or_else(wrong)?;
        Ok(Last::Time(match unit {
            'h' => Span::Hours(n),
            'd' => Span::Days(n),
            'w' => Span::Days(7 * n),
            'm' => Span::Months(n),
            'y' => Span::Years(n),
            _ => return Err(wrong()),
        }))
    }
}

impl Span {
    /// The time this long before another one, in seconds. Only later times belong to the window, so that 30 days of
    /// dates are 30 dates.
    pub(super) fn before(self, seconds: i64) -> i64 {
        let (days, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        match self {
            Span::Hours(n) => seconds - i64::from(n) * 3600,
            Span::Days(n) => seconds - i64::from(n) * DAY,
            Span::Months(n) => months_before(days, n) * DAY + of_day,
            Span::Years(n) => months_before(days, 12 * n) * DAY + of_day,
        }
    }

    /// Reads the time of a document, which must be as precise as the window.
    pub(super) fn read(self, text: Option<&str>) -> Result<Stamp, String> {
        let (needed, such_as) = match self {
            Span::Hours(_) => (Exactness::Second, "a time of day, such as 2024-03-09T12:30:00Z"),
            Span::Days(_) => (Exactness::Day, "a day, such as 2024-03-09"),
            Span::Months(_) => (Exactness::Month, "a month or a day, such as 2024-03"),
            Span::Years(_) => (Exactness::Year, "a year, a month or a day, such as 2024"),
        };
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let stamp = text.and_then(Stamp::parse).filter(|stamp| stamp.exactness >= needed);
        stamp.ok_or_else(|| {
            let found = text.map_or("nothing".to_owned(), |text| format!("{:?}", shortened(text)));
            format!("expected {such_as}, in the column of times, found {found}")
        })
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// When a document is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    seconds: i64,
    exactness: Exactness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exactness {
    Year,
    Month,
    Day,
    Second,
}

impl Stamp {
    /// Reads years, months and days as [`Moment::parse`] does, time stamps such as
    /// `2024-03-09T12:30:00+01:00`, and seconds or milliseconds since 1970; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(seconds) = since_1970(text) {
            return Some(Self { seconds, exactness: Exactness::Second });
        }
        let moment = Moment::parse(text)?;
        let start = moment.days() * DAY;
        let exactness = match moment.precision() {
            Precision::Year => Exactness::Year,
            Precision::Month => Exactness::Month,
            Precision::Day => Exactness::Day,
        };
        let of_day = text.split_once(['T', ' ']).and_then(|(_, rest)| time_of_day(rest));
        Some(match of_day {
            Some(of_day) => Self { seconds: start + of_day, exactness: Exactness::Second },
            None => Self { seconds: start, exactness },
        })
    }

    /// Seconds since 1970-01-01, at the beginning of the known period.
    pub fn seconds(self) -> i64 {
        self.seconds
    }
}

/// The date of a time in seconds.
pub(super) fn day(seconds: i64) -> String {
    date(seconds.div_euclid(DAY))
}

/// Seconds since 1970 (from 1973 on, so that they cannot be a year), or milliseconds.
fn since_1970(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    match whole.len() {
        9..=11 => whole.parse().ok(),
        12..=14 => whole.parse::<i64>().ok().map(|milliseconds| milliseconds / 1000),
        _ => None,
    }
}

/// Seconds since midnight for `12:30`, `12:30:05`, `12:30:05.25`, each followed by `Z`, `+01:00`, `+0100` or
/// nothing.
fn time_of_day(text: &str) -> Option<i64> {
    let text = text.trim();
    let end = text.find(['Z', '+', '-', ' ']).unwrap_or(text.len());
    let (clock, zone) = (&text[..end], text[end..].trim());
    let mut parts = clock.split(':');
    let hours = number(parts.next()?, 24)?;
    let minutes = number(parts.next()?, 59)?;
    let seconds = match parts.next() {
        Some(seconds) => number(seconds.split('.').next()?, 60)?,
        None => 0,
    };
    if parts.next().is_some() {
        return None;
    }
    Some(hours * 3600 + minutes * 60 + seconds - offset(zone)?)
}

fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone {
        "" | "Z" | "UTC" => return Some(0),
        zone => match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
            (Some(rest), _) => (1, rest),
            (_, Some(rest)) => (-1, rest),
            _ => return None,
        },
    };
    let digits: String = rest.chars().filter(|&c| c != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "0"),
        4 if digits.is_ascii() => digits.split_at(2),
        _ => return None,
    };
    Some(sign * (number(hours, 18)? * 3600 + number(minutes, 59)? * 60))
}

fn number(text: &str, most: i64) -> Option<i64> {
    let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok())?.filter(|n| *n <= most)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn seconds(text: &str) -> i64 {
        Stamp::parse(text).unwrap().seconds()
    }

    #[test]
    fn lengths_of_windows_are_read() {
        let time = |span| Ok(Last::Time(span));
        assert_eq!("30d".parse(), time(Span::Days(30)));
        assert_eq!("12h".parse(), time(Span::Hours(12)));
        assert_eq!("8w".parse(), time(Span::Days(56)));
        assert_eq!("6m".parse(), time(Span::Months(6)));
        assert_eq!("1y".parse(), time(Span::Years(1)));
        assert_eq!("5000".parse(), Ok(Last::Documents(5000)));
        for text in ["", "0", "0d", "d", "-3d", "3 d", "1.5d", "30dd", "5é", "99999999999d", "+5"]
        {
            assert!(text.parse::<Last>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_seconds_however_they_are_written() {
        assert_eq!(seconds("1970-01-02"), DAY);
        assert_eq!(seconds("1970-01-01T00:01:05Z"), 65);
        assert_eq!(seconds("1970-01-01 02:00:00+02:00"), 0);
        assert_eq!(seconds("1970-01-01T00:00:00.75-0100"), 3600);
        assert_eq!(seconds("1709985600"), seconds("2024-03-09T12:00Z"));
        assert_eq!(seconds("1709985600.5"), seconds("1709985600500"));
        assert_eq!(seconds("2024"), seconds("2024-01-01"));
        for text in ["soon", "", "20240309", "2024-13-01", "12:30"] {
            assert_eq!(Stamp::parse(text), None, "{text}");
        }
        // A time of day that cannot be read leaves the day.
        assert_eq!(seconds("2024-03-09 noon"), seconds("2024-03-09"));
    }

    #[test]
    fn a_window_of_days_is_as_many_dates_and_months_are_those_of_the_calendar() {
        let kept = |last: &str, newest: &str, other: &str| {
            let Ok(Last::Time(span)) = last.parse() else { return false };
            seconds(other) > span.before(seconds(newest))
        };
        assert!(
            kept("30d", "2024-03-30", "2024-03-01") && !kept("30d", "2024-03-30", "2024-02-29")
        );
        assert!(kept("12h", "2024-03-30T12:00", "2024-03-30T00:00:01"));
        assert!(!kept("12h", "2024-03-30T12:00", "2024-03-30T00:00:00"));
        assert!(kept("1m", "2024-03-31", "2024-03-01") && !kept("1m", "2024-03-31", "2024-02-29"));
        assert!(kept("6m", "2024-03", "2023-10") && !kept("6m", "2024-03", "2023-09"));
        assert!(kept("2y", "2024", "2023") && !kept("2y", "2024", "2022"));
    }

    #[test]
    fn a_time_must_be_as_exact_as_the_window() {
        let read = |span: Span, text| span.read(text).map(Stamp::seconds);
        assert_eq!(read(Span::Days(3), Some(" 1970-01-02 ")), Ok(DAY));
        let error = read(Span::Days(3), Some("2024")).unwrap_err();
        assert_eq!(
            error,
            "expected a day, such as 2024-03-09, in the column of times, found \"2024\""
        );
        assert!(read(Span::Hours(3), Some("2024-03-09")).unwrap_err().contains("a time of day"));
        assert!(read(Span::Years(3), None).unwrap_err().ends_with("found nothing"));
    }
}
