//! The value with which a stored count enters a product.

use crate::questions::Counting;

/// The value of a stored entry, given its position in the row arrays and its count.
pub(super) trait EntryValue: Sync {
    fn value(&self, position: usize, count: u32) -> f64;
}

pub(super) struct RawValue;

impl EntryValue for RawValue {
    #[inline(always)]
    fn value(&self, _: usize, count: u32) -> f64 {
        f64::from(count)
    }
}

/// Damped counts from a table, because logarithms of small counts are needed again and again.
pub(super) struct DampedValue([f64; 256]);

impl DampedValue {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|count| Counting::Damped.value(count.max(1) as u32)))
    }
}

impl EntryValue for DampedValue {
    #[inline(always)]
    fn value(&self, _: usize, count: u32) -> f64 {
        match self.0.get(count as usize) {
            Some(&value) => value,
            None => Counting::Damped.value(count),
        }
    }
}

/// Squares of the values, for sums over documents of `x^2`.
pub(super) struct SquaredValue<V>(pub V);

impl<V: EntryValue> EntryValue for SquaredValue<V> {
    #[inline(always)]
    fn value(&self, position: usize, count: u32) -> f64 {
        let value = self.0.value(position, count);
        value * value
    }
}

/// Given values, one for every entry, in the order of the row arrays.
pub(super) struct GivenValue<'a>(pub &'a [f32]);

impl EntryValue for GivenValue<'_> {
    #[inline(always)]
    fn value(&self, position: usize, _: u32) -> f64 {
        f64::from(self.0[position])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damping_by_table_is_damping() {
        let table = DampedValue::new();
        for count in [1, 2, 255, 256, 1000] {
            assert_eq!(table.value(0, count), Counting::Damped.value(count));
        }
    }
}
