//! The data of a page: JSON, compressed if it is long.
//!
//! Above [`PLAIN`] bytes the JSON is compressed with gzip and written in base 64, which the browser decompresses
//! with its own `DecompressionStream`. The header of the gzip stream contains no time and no name, so the same data
//! give the same bytes.

use std::io::Write;

use flate2::{Compression, GzBuilder};

use crate::html::in_script;

/// JSON up to this many bytes is embedded uncompressed.
pub const PLAIN: usize = 300_000;

/// The HTML element with the data.
pub fn element(json: &str) -> String {
    if json.len() <= PLAIN {
        let safe = in_script(json);
        return format!("<script type=\"application/json\" id=\"data\">{safe}</script>");
    }
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    // Writing to memory cannot fail; if it did, the data would be embedded uncompressed.
    let packed = encoder.write_all(json.as_bytes()).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) => format!(
            "<script type=\"text/plain\" id=\"data\" data-packed=\"gzip\">{}</script>",
            base64(&packed)
        ),
        Err(_) => {
            format!("<script type=\"application/json\" id=\"data\">{}</script>", in_script(json))
        }
    }
}

/// Bytes in base 64 (RFC 4648, with padding).
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_the_standard() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (b"\xff\xfe\xfd", "//79"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn long_data_is_packed_and_the_same_each_time() {
        let short = format!("[{}1]", "1,".repeat(10));
        assert!(element(&short).contains("application/json"));
        let long = format!("[{}1]", "1,".repeat(PLAIN));
        let packed = element(&long);
        assert!(packed.contains("data-packed") && packed.len() < 10_000);
        assert_eq!(packed, element(&long));
    }
}
