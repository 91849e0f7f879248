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

pub(crate) use self::ahead::{will_need, will_need_row};
pub use self::limit::{Limit, caught};
pub(crate) use self::numbers::Numbers;
pub use crate::bytes::bytes_of;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_address_space_is_refused_in_a_sentence() {
        let error = room::<u64>(usize::MAX / 8, "a table of counts").unwrap_err().to_string();
        assert!(error.starts_with("a table of counts takes about 1844674407"), "{error}");
        assert!(error.ends_with("more than this machine can give; is the size right?"), "{error}");
        assert!(!can_have(1e30) && can_have(1e6) && can_have(-1.0));
        assert_eq!(room::<u64>(10, "ten numbers").unwrap().capacity(), 10);
    }
}
