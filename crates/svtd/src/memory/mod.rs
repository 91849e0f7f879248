//! Memory whose size depends on data: reserved before it is used, and refused with a message.
//!
//! A vector that cannot grow ends the process. Where a size comes from a file or follows from a request, the memory
//! is reserved first by a call that may fail. On systems that promise more memory than they have, success is no
//! guarantee; but more than the machine has is refused. The memory of documents can be limited by a [`Limit`]; the
//! rest is then kept on disk.

mod ahead;
mod limit;
mod numbers;
mod pages;

use crate::error::{Error, Result};

pub(crate) use self::ahead::will_need;
pub use self::limit::{Limit, caught};
pub(crate) use self::numbers::Numbers;

/// An empty vector with capacity for `n` values, or an error that names `what`.
pub(crate) fn room<T>(n: usize, what: &str) -> Result<Vec<T>> {
    let mut values = Vec::new();
    match values.try_reserve_exact(n) {
        Ok(()) => Ok(values),
        Err(_) => Err(Error::Memory {
            what: what.to_owned(),
            bytes: (n as u64).saturating_mul(size_of::<T>() as u64),
            advice: "is the size right?",
        }),
    }
}

/// Whether this many bytes can be allocated; they are freed at once.
pub(crate) fn can_have(bytes: f64) -> bool {
    // A float beyond the largest size becomes the largest size, which cannot be allocated.
    Vec::<u8>::new().try_reserve_exact(bytes.max(0.0) as usize).is_ok()
}

/// A number of bytes as text, such as `2.0 GB`.
pub(crate) fn readable(bytes: u64) -> String {
    match bytes as f64 {
        n if n < 1e6 => format!("{:.0} kB", (n / 1e3).ceil()),
        n if n < 1e9 => format!("{:.0} MB", (n / 1e6).ceil()),
        n => format!("{:.1} GB", n / 1e9),
    }
}

/// A number of bytes from text: `2GB`, `400 MB`, `1.5 GiB`.
///
/// # Errors
/// A sentence for any other text, to follow the name of what it was given for.
pub fn bytes_of(text: &str) -> Result<u64, String> {
    let needed = || format!("a size with its unit is needed, such as 400MB or 2GB, not {text:?}");
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(needed)?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| needed())?;
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "kb" | "k" => 1e3,
        "mb" | "m" => 1e6,
        "gb" | "g" => 1e9,
        "tb" | "t" => 1e12,
        "kib" => 1024.0,
        "mib" => f64::from(1 << 20),
        "gib" => f64::from(1 << 30),
        "tib" => 1024.0 * f64::from(1 << 30),
        _ => return Err(needed()),
    };
    Ok((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(bytes_of("2GB"), Ok(2_000_000_000));
        assert_eq!(bytes_of(" 1.5 gib "), Ok(1_610_612_736));
        assert_eq!(bytes_of("400m"), Ok(400_000_000));
        for wrong in ["", "2", "GB", "-1GB", "1..5GB", "2 gigabytes", "NaNGB", "é"] {
            assert!(bytes_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn more_than_the_address_space_is_refused_in_a_sentence() {
        let error = room::<u64>(usize::MAX / 8, "a table of counts").unwrap_err().to_string();
        assert!(error.starts_with("a table of counts takes about 1844674407"), "{error}");
        assert!(error.ends_with("which cannot be had here; is the size right?"), "{error}");
        assert!(!can_have(1e30) && can_have(1e6) && can_have(-1.0));
        assert_eq!(room::<u64>(10, "ten numbers").unwrap().capacity(), 10);
    }
}
