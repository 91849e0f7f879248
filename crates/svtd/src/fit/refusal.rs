//! What a fit refuses: at its beginning what the corpus cannot give, at its end numbers that are not
//! finite.
//!
//! Counts near the largest that can be stored make weights and variances whose ratio is lost in
//! rounding. What of a fit is only told (an error bar, a residual) is then left out, with a note that
//! says so; what the model is made of cannot be left out, and the fit fails in a sentence.

use super::options::Options;
use super::workload::Workload;
use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::error::{Error, Result};
use crate::memory;
use crate::model::diagnostics::{Diagnostics, TopicTrust};
use crate::model::topic::Topics;
use crate::moments::DocumentWeights;
use crate::whitening::check_n_topics;

/// Refuses what only documents at hand can tell, of documents that are elsewhere.
pub(super) fn elsewhere(corpus: &Corpus, options: &Options) -> Result<()> {
    let wrong = |name: &'static str, needed: &str, found: String| {
        let needed = format!("{needed} where the documents are elsewhere");
        Err(Error::Option { name, needed, found })
    };
    if !corpus.is_elsewhere() {
        return Ok(());
    }
    if options.method != Method::Joint {
        return wrong("method", "joint", format!("{:?}", options.method).to_lowercase());
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

/// Leaves out what is not finite among the numbers that may be missing, and notes it.
pub(super) fn tell(diagnostics: &mut Diagnostics) {
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
        if topic.trust.as_mut().is_some_and(|trust| !settle(trust)) {
            lost.push("what is known about a topic's errors");
        }
    }
    lost.dedup();
    if !lost.is_empty() {
        diagnostics.notes.push(format!(
            "not told, because it is not a finite number: {}; some counts may be too large",
            lost.join(", ")
        ));
    }
}

/// Leaves out what is not finite; whether there was nothing to leave out.
fn settle(trust: &mut TopicTrust) -> bool {
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

/// Refuses a model that is made of numbers that are not finite.
pub(super) fn check(topics: &Topics, alpha: &[f64], diagnostics: &Diagnostics) -> Result<()> {
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
    // The rest is told only, and `tell` has seen to it; a number that it does not know of would be
    // null in the model file and differ here.
    let written = serde_json::to_value(d).and_then(serde_json::from_value::<Diagnostics>);
    match written {
        Ok(read) if read == *d => Ok(()),
        _ => Err(Error::NotFinite { what: "a diagnostic".to_owned() }),
    }
}

/// Refuses at once what the corpus cannot give: more topics than words or documents, more memory
/// than there is. The number of topics to fit: fewer than asked for only if that is allowed.
pub(super) fn attainable(corpus: &Corpus, options: &Options) -> Result<usize> {
    // A document's part of the pair moment, `x x' - diag(x)`, has one positive eigenvalue at most,
    // and so a sum of `N` of them has `N` at most.
    let documents = corpus.n_documents() - corpus.report().n_empty - corpus.report().n_one_word;
    let (asked, words) = (options.n_topics, corpus.n_present());
    // The lower of both bounds is the one to tell.
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

/// What to say when fewer topics were fitted than asked for.
pub(super) fn fewer(asked: usize, fitted: usize) -> Option<String> {
    (fitted < asked).then(|| {
        format!(
            "{asked} topics were asked for; {fitted} documents have two words or more, and each shows \
             one topic at most"
        )
    })
}
