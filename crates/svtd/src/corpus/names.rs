//! What to call a document: the name it came with, or its number; and its label, if it has one.
//!
//! A subset keeps the names of the corpus it was taken from, and a document without a name keeps
//! its number there. So a held-out document can be found again in the file it was read from. The
//! list is shared between a corpus and its subsets, which add only where each document stood.

use std::borrow::Cow;
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    listed: Option<Arc<Vec<String>>>,
    labels: Option<Arc<Vec<String>>>,
    /// Where each document stood in the first corpus; in that corpus itself, not needed.
    origin: Option<Vec<u32>>,
}

impl Names {
    pub(super) fn listed(names: Vec<String>) -> Self {
        Names { listed: Some(Arc::new(names)), ..Names::default() }
    }

    /// The same names, with a label for each document.
    pub(super) fn labelled(self, labels: Vec<String>) -> Self {
        Names { labels: Some(Arc::new(labels)), ..self }
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
    }
}
