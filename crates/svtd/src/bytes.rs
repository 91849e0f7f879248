//! Numbers of bytes as people write and read them.

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
}
