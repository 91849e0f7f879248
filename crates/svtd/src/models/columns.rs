//! The order of columns. A fit takes them by name, so that a model is the same however a table has them; its results
//! are shown in the order of the user.
//!
//! An order is a list of places: the first column of the new order is the one at its first place in the old.

/// The places of columns by name, in natural order: `q2` before `q10`. Columns that were numbered for want of names
/// stay as they are.
pub(crate) fn by_name<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let keys: Vec<_> = names.into_iter().map(natural).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
    order
}

/// The order that takes columns back from `order` to where they were.
pub(crate) fn back(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| places[old] = new);
    places
}

/// The places of the names `wanted` among `names`; `None` where these are not the same names in some order.
pub(crate) fn places(wanted: &[&str], names: &[&str]) -> Option<Vec<usize>> {
    let place = |name: &&str| names.iter().position(|known| known == name);
    let order: Vec<usize> = wanted.iter().map(place).collect::<Option<_>>()?;
    (wanted.len() == names.len()).then_some(order)
}

/// A label as stretches of text, each with the number that follows it; the label itself decides between equals.
pub(crate) fn natural(label: &str) -> (Vec<(String, u128)>, String) {
    let mut parts: Vec<(String, u128)> = Vec::new();
    let mut rest = label;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let end = rest[text..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| text + n);
        let number = rest[text..end].parse().unwrap_or(if text < end { u128::MAX } else { 0 });
        parts.push((rest[..text].to_owned(), number));
        rest = &rest[end..];
    }
    (parts, label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_by_name_and_back() {
        let names = ["q10", "age", "q2", "q1"];
        let order = by_name(names);
        assert_eq!(order, [1, 3, 2, 0]);
        let there: Vec<&str> = order.iter().map(|&at| names[at]).collect();
        let again: Vec<&str> = back(&order).iter().map(|&at| there[at]).collect();
        assert_eq!(again, names);
        assert_eq!(places(&there, &names), Some(order));
        assert_eq!(places(&["q1", "q2"], &names), None);
        assert_eq!(places(&["a", "b"], &["a", "c"]), None);
    }

    #[test]
    fn columns_numbered_for_want_of_names_stay_as_they_are() {
        let names: Vec<String> = (1..=12).map(|a| format!("x{a}")).collect();
        assert!(by_name(names.iter().map(String::as_str)).is_sorted());
    }
}
