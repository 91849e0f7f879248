//! Which columns of a table with a document in each row hold what.

/// Which columns of a table hold what. What is not named is looked for under its usual name.
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
