//! Twenty groups of documents, determined by their content, for the delete-a-group jackknife.

use crate::corpus::{Corpus, Dealt, KeyPart, KeyRange};

/// Number of groups; each is left out in turn.
pub const GROUPS: usize = 20;

/// With fewer different documents than this there are no groups.
const LEAST_DOCUMENTS: u64 = 2 * GROUPS as u64;

/// The salt that is mixed with keys to choose the documents that get a larger weight.
const SALT: u64 = 1 << 32;

/// The groups that documents of a corpus are in.
pub(crate) struct Groups<'a>(&'a Corpus);

impl<'a> Groups<'a> {
    /// Deals the documents by a hash of their content, equal documents into one group. So their
    /// order in the file changes nothing, a holder of a document can compute its group, and a copy
    /// does not count as independent evidence. A group is a range of keys: it lies in one or two
    /// blocks, and a sum over it costs only as much as the group is large. Groups are about equally
    /// large; the jackknife's variance does not depend on that. `None` when there are too few
    /// different documents.
    pub(crate) fn deal(corpus: &'a Corpus) -> Option<Self> {
        let enough = corpus.facts().n_different >= LEAST_DOCUMENTS;
        (enough && corpus.answers_for(1.0 / GROUPS as f64)).then_some(Self(corpus))
    }

    pub(crate) fn corpus(&self) -> &'a Corpus {
        self.0
    }

    /// The documents of group `g`.
    pub(crate) fn part(&self, g: usize) -> KeyPart {
        let edge = |g: usize| g as f64 / GROUPS as f64;
        KeyRange::between(edge(g), edge(g + 1)).into()
    }

    /// The documents of group `g`, with words numbered as in the whole corpus.
    pub(crate) fn among(&self, g: usize) -> Corpus {
        self.0.among(&self.part(g))
    }
}

/// The note for a fit whose sites have too few documents for some of this.
pub(crate) fn note(corpus: &Corpus) -> Option<String> {
    let missing = match corpus.least_share() {
        least if least > 0.5 => {
            "neither error bars nor whether topics come back in halves are told"
        }
        least if least > 1.0 / GROUPS as f64 => "error bars are not told",
        _ => return None,
    };
    Some(format!(
        "{missing}: a part of the documents of some site would be fewer than it gives sums over; agree on \
         a lower --min-documents, or ask sites with more documents"
    ))
}

/// Which documents get a larger weight while the others get a smaller one, given their keys: about
/// half of them, in any range of keys.
pub(crate) fn weighed_up(keys: impl Iterator<Item = u64>) -> impl Iterator<Item = bool> {
    let up = Dealt::between(SALT, 0.0, 0.5);
    keys.map(move |key| up.contains(key))
}

/// The sign of group `g` in signed sum `m`. About half of the groups have the sign `+1`, and any two of the first four
/// sums agree on about half of the groups.
pub(crate) fn sign(m: usize, g: usize) -> f64 {
    if (g >> m).is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn copies_share_a_group_and_order_changes_nothing() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let corpus = source.draw(100, &Lengths::Uniform(3..=20), 7).0;
        let twice: Vec<usize> = (0..100).chain((0..100).rev()).collect();
        let doubled = corpus.subset(&twice);
        let (dealt, again) = (Groups::deal(&corpus).unwrap(), Groups::deal(&doubled).unwrap());
        let mut n_members = 0;
        for g in 0..GROUPS {
            let members = dealt.part(g).documents(&corpus);
            let copies = again.part(g).documents(&doubled);
            assert!(copies.iter().all(|&d| members.contains(&twice[d])), "{g}");
            assert_eq!(copies.len(), 2 * members.len());
            assert!(members.len() <= 14, "{}", members.len());
            n_members += members.len();
        }
        assert_eq!(n_members, 100);
        let up = weighed_up((0..100).map(|d| corpus.document_key(d))).filter(|up| *up).count();
        assert!((35..=65).contains(&up), "{up}");
        assert!(Groups::deal(&corpus.subset(&[0; 100])).is_none());
    }
}
