//! Names of documents (or numbers, if they have none), their labels, and the columns of their table that were kept,
//! such as a date.
//!
//! A subset keeps the names of the corpus it was taken from, and a document without a name keeps its number there.
//! So a held-out document can be found in the file it was read from. The list is shared between a corpus and its
//! subsets, which only add the original position of each document.

use std::borrow::Cow;
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    listed: Option<Arc<Vec<String>>>,
    labels: Option<Arc<Vec<String>>>,
    columns: Vec<KeptColumn>,
    /// The position of each document in the original corpus; `None` in that corpus itself.
    origin: Option<Vec<u32>>,
}

/// A column of the table from which the documents were read: one cell for each document.
#[derive(Debug, Clone)]
struct KeptColumn {
    name: String,
    cells: Arc<Vec<String>>,
}

impl Names {
    pub(super) fn listed(names: Vec<String>) -> Self {
        Names { listed: Some(Arc::new(names)), ..Names::default() }
    }

    /// These names, with a label for each document.
    pub(super) fn labelled(self, labels: Vec<String>) -> Self {
        Names { labels: Some(Arc::new(labels)), ..self }
    }

    /// These names with one more column; it replaces a column of the same name. There must be a cell for each
    /// document of the original corpus.
    pub(super) fn with_column(mut self, name: String, cells: Vec<String>) -> Self {
        self.columns.retain(|column| column.name != name);
        self.columns.push(KeptColumn { name, cells: Arc::new(cells) });
        self.columns.sort_by(|a, b| a.name.cmp(&b.name));
        self
    }

    /// The names of the columns, sorted.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The cell of a document in a column.
    pub(super) fn cell(&self, column: &str, document: usize) -> Option<&str> {
        let column = self.columns.iter().find(|kept| kept.name == column)?;
        Some(&column.cells[self.position(document)])
    }

    /// The names as they will be read back from a file: those of a subset no longer refer to the corpus it was
    /// taken from, and unnamed documents are numbered without gaps.
    pub(super) fn settled(self, n_documents: usize) -> Self {
        if self.origin.is_none() {
            return self;
        }
        let of_all =
            |text: &dyn Fn(usize) -> String| Arc::new((0..n_documents).map(text).collect());
        let column = |kept: &KeptColumn| KeptColumn {
            name: kept.name.clone(),
            cells: of_all(&|d| kept.cells[self.position(d)].clone()),
        };
        Names {
            listed: self.listed.as_ref().map(|_| of_all(&|d| self.name(d).into_owned())),
            labels: self.labels.as_ref().map(|all| of_all(&|d| all[self.position(d)].clone())),
            columns: self.columns.iter().map(column).collect(),
            origin: None,
        }
    }

    pub(super) fn are_listed(&self) -> bool {
        self.listed.is_some()
    }

    pub(super) fn label(&self, document: usize) -> Option<&str> {
        let labels = self.labels.as_ref()?;
        Some(&labels[self.position(document)])
    }

    pub(super) fn name(&self, document: usize) -> Cow<'_, str> {
        let position = self.position(document);
        match &self.listed {
            Some(names) => Cow::Borrowed(&names[position]),
            None => Cow::Owned((position + 1).to_string()),
        }
    }

    pub(super) fn subset(&self, documents: &[usize]) -> Self {
        let positions = documents.iter().map(|&d| self.position(d) as u32);
        Names {
            listed: self.listed.clone(),
            labels: self.labels.clone(),
            columns: self.columns.clone(),
            origin: Some(positions.collect()),
        }
    }

    fn position(&self, document: usize) -> usize {
        match &self.origin {
            Some(positions) => positions[document] as usize,
            None => document,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_names_are_numbered_from_one() {
        assert_eq!(Names::default().name(0), "1");
    }

    #[test]
    fn a_subset_of_a_subset_remembers_the_first_corpus() {
        let unnamed = Names::default().subset(&[4, 2, 7]).subset(&[2, 0]);
        assert_eq!((unnamed.name(0), unnamed.name(1)), ("8".into(), "5".into()));
        let listed = Names::listed(["a", "b", "c"].map(str::to_owned).to_vec());
        let labelled = listed.labelled(["x", "y", "z"].map(str::to_owned).to_vec());
        let subset = labelled.subset(&[2, 1]).subset(&[1]);
        assert_eq!((subset.name(0), subset.label(0)), ("b".into(), Some("y")));
        let settled = subset.settled(1);
        assert_eq!((settled.name(0), settled.label(0)), ("b".into(), Some("y")));
        assert_eq!(unnamed.settled(2).name(0), "1");
    }
}
