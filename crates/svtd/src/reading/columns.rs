//! Which columns of a table with one document per row have which meaning.

/// Which columns of a table have which meaning. A column that is not named is looked for under its usual name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Lists of words.
    pub tokens: Option<String>,
    /// Lists of word numbers, from 0.
    pub indices: Option<String>,
    /// Lists of counts, one for each word number.
    pub counts: Option<String>,
    /// Names of the documents.
    pub id: Option<String>,
    /// Labels of the documents.
    pub label: Option<String>,
}
