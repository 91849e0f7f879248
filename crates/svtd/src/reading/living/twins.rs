//! Documents with the same name.

use std::collections::HashMap;

use super::Taken;
use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// Which documents of a united corpus are kept.
pub(super) struct Twins {
    pub kept: Vec<usize>,
    /// Names of new documents that already exist with the same words.
    pub same: Vec<String>,
    /// Names of old documents that a new one replaces.
    pub replaced: Vec<String>,
}

impl Twins {
    /// Compares the documents from `first_new` on with those before them. Documents without names are all
    /// different.
    pub(super) fn find(corpus: &Corpus, first_new: usize, taken: Taken) -> Result<Self> {
        let n = corpus.n_documents();
        let (mut same, mut replaced) = (Vec::new(), Vec::new());
        if !corpus.has_names() {
            return Ok(Self { kept: (0..n).collect(), same, replaced });
        }
        let mut stays = vec![true; n];
        let mut of_name: HashMap<_, Vec<usize>> = HashMap::new();
        (0..first_new).for_each(|d| of_name.entry(corpus.document_name(d)).or_default().push(d));
        let mut conflicts = Vec::new();
        for d in first_new..n {
            let name = corpus.document_name(d);
            let earlier = of_name.entry(name.clone()).or_default();
            if earlier.iter().any(|&e| corpus.keys()[e] == corpus.keys()[d]) {
                stays[d] = false;
                same.push(name.into_owned());
                continue;
            }
            match (earlier.is_empty(), taken) {
                (true, _) => {}
                (false, Taken::Refuse) => conflicts.push(name.clone().into_owned()),
                (false, Taken::Replace) => {
                    earlier.drain(..).for_each(|e| stays[e] = false);
                    replaced.push(name.clone().into_owned());
                }
            }
            earlier.push(d);
        }
        match conflicts.split_first() {
            Some((name, others)) => {
                Err(Error::NameTaken { name: name.clone(), others: others.len() })
            }
            None => Ok(Self { kept: (0..n).filter(|&d| stays[d]).collect(), same, replaced }),
        }
    }
}
