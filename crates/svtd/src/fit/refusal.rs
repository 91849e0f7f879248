//! What a fit rejects: at its beginning what the corpus does not allow, at its end numbers that are not finite.
//!
//! Counts near the largest that can be stored give weights and variances whose ratio is lost in rounding. Results
//! that are only reported (an error bar, a residual) are then left out, with a note that says so; if the model
//! itself contains such numbers, the fit fails with a message.

use super::workload::Workload;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::memory;
use crate::model::Options;
use crate::model::diagnostics::{Diagnostics, TopicTrust};
use crate::model::topic::Topics;
use crate::moments::DocumentWeights;
use crate::whitening::check_n_topics;

/// Returns an error for options that need the documents here, if they are elsewhere.
pub(crate) fn elsewhere(corpus: &Corpus, options: &Options) -> Result<()> {
    let wrong = |name: &'static str, needed: &str, found: String| {
        let needed = format!("{needed} where the documents are elsewhere");
        Err(Error::Option { name, needed, found })
    };
    if !corpus.is_elsewhere() {
        return Ok(());
    }
    if !options.learner.is_moments() {
        return wrong("learner", "the moments", "a rival".to_owned());
    }
    match options.weights {
        DocumentWeights::Custom(_) | DocumentWeights::ThreeWords { .. } => {
            wrong("document weights", "optimal, paper or zou", "another law".to_owned())
        }
        _ => Ok(()),
    }
}

/// Removes optional numbers that are not finite, and adds a note that names them.
pub(crate) fn drop_not_finite(diagnostics: &mut Diagnostics) {
    let mut lost = Vec::new();
    let mut option = |value: &mut Option<f64>, name: &'static str| {
        if value.is_some_and(|value| !value.is_finite()) {
            *value = None;
            lost.push(name);
        }
    };
    option(&mut diagnostics.separation, "the separation of the topics");
    option(&mut diagnostics.off_diagonal, "the off-diagonal part");
    option(&mut diagnostics.eigenpairs_residual, "the residual of the eigenpairs");
    option(&mut diagnostics.spectral_gap, "the spectral gap");
    if diagnostics.z_scores.as_ref().is_some_and(|z| !z.iter().all(|z| z.is_finite())) {
        diagnostics.z_scores = None;
        lost.push("the z-scores");
    }
    for topic in &mut diagnostics.topics {
        if topic.trust.as_mut().is_some_and(|trust| !drop_from_topic(trust)) {
            lost.push("what is known about a topic's errors");
        }
    }
    lost.dedup();
    if !lost.is_empty() {
        diagnostics.notes.push(format!(
            "left out, because it is not a finite number: {}; some counts may be too large",
            lost.join(", ")
        ));
    }
}

/// Removes numbers that are not finite; returns whether there was nothing to remove.
fn drop_from_topic(trust: &mut TopicTrust) -> bool {
    let before = trust.clone();
    trust.z = trust.z.filter(|z| z.is_finite());
    trust.nearest = trust.nearest.take().filter(|nearest| nearest.distance.is_finite());
    trust.stability = trust.stability.take().filter(|stability| {
        [stability.expected_error, stability.mean_change, stability.largest_change]
            .iter()
            .all(|value| value.is_finite())
    });
    if !trust.driven.share.is_finite() {
        trust.driven.share = 0.0;
    }
    *trust == before
}

/// Returns an error for a model with numbers that are not finite.
pub(crate) fn check(topics: &Topics, alpha: &[f64], diagnostics: &Diagnostics) -> Result<()> {
    let d = diagnostics;
    let about_topics = d.topics.iter().flat_map(|topic| [topic.clipped, topic.documents]);
    let about_topics: Vec<f64> = about_topics.collect();
    let effective = [d.effective_documents_pairs, d.effective_documents_triples];
    let parts: [(&str, &[f64]); 6] = [
        ("a word probability", topics.word_topic().values()),
        ("a topic weight", topics.weights()),
        ("an alpha", alpha),
        ("an effective number of documents", &effective),
        ("an eigenvalue", &d.eigenvalues),
        ("a topic's evidence", &about_topics),
    ];
    for (what, values) in parts {
        if !values.iter().all(|value| value.is_finite()) {
            return Err(Error::NotFinite { what: what.to_owned() });
        }
    }
    // The rest is only reported, and `drop_not_finite` has checked it; an unchecked number would be null in the model
    // file and differ here.
    let written = serde_json::to_value(d).and_then(serde_json::from_value::<Diagnostics>);
    match written {
        Ok(read) if read == *d => Ok(()),
        _ => Err(Error::NotFinite { what: "a diagnostic".to_owned() }),
    }
}

/// Returns an error at once for what the corpus does not allow: more topics than words or documents, more memory
/// than there is. Otherwise the number of topics to fit: fewer than asked for only if that is allowed.
pub(crate) fn attainable(corpus: &Corpus, options: &Options) -> Result<usize> {
    // A document's contribution to the pair moment, `x x' - diag(x)`, has at most one positive eigenvalue, so a sum
    // of `N` of them has at most `N`.
    let documents = corpus.n_documents() - corpus.report().n_empty - corpus.report().n_one_word;
    let (asked, words) = (options.n_topics, corpus.n_present());
    // The lower of both bounds is reported.
    if asked > documents && (1..=words).contains(&documents) && !options.allow_fewer {
        return Err(Error::MoreTopicsThanDocuments { asked, documents });
    }
    check_n_topics(asked, words)?;
    let fitted = asked.min(documents.max(1));
    let mut options = options.clone();
    options.n_topics = fitted;
    let bytes = Workload::new(&options, corpus.into()).memory_beside_corpus;
    match memory::can_have(bytes) {
        true => Ok(fitted),
        false => Err(Error::Memory {
            what: format!("a fit of {fitted} topics"),
            bytes: bytes as u64,
            advice: "ask for fewer topics or keep fewer words",
        }),
    }
}

/// The note when fewer topics were fitted than asked for.
pub(crate) fn fewer(asked: usize, fitted: usize) -> Option<String> {
    (fitted < asked).then(|| {
        format!(
            "{asked} topics were asked for; {fitted} documents have two words or more, and each shows \
             one topic at most"
        )
    })
}
