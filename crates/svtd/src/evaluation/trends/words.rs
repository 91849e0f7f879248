//! How the words of a topic change: the topics of each period, estimated from the period's own documents.
//!
//! Every occurrence of a word is distributed over the topics of its document, in proportion to `theta_dj mu_ij`.
//! Summed over the documents of a period this gives the counts of word i in topic j in that period, and summed over
//! all documents those of the whole corpus:
//!
//! ```text
//! whole_ij = N_ij / N_j        period_gij = N_gij / N_gj        variance_gij = sum over d of (n_dij - n_dj whole_ij)^2 / N_gj^2
//! ```
//!
//! The variance is that between documents, so a word that one document repeats does not look like a change of the
//! topic. It is scaled up when there are few documents, and down when the period is a large part of the whole.
//!
//! # Shrinkage
//! A period with few documents differs from the whole by chance. Only the part of the distance that chance does not
//! explain is kept,
//!
//! ```text
//! evidence_gj = max(0, 1 - sum_i variance_gij / whole_ij  /  sum_i (period_gij - whole_ij)^2 / whole_ij)
//! shrunk_gij  = whole_ij + evidence_gj (period_gij - whole_ij)
//! ```
//!
//! which is the positive-part James-Stein rule. Words are reported if they moved by three standard errors or more.
//!
//! # What it leaves out
//! Occurrences are distributed by the topics of the whole corpus, which pulls a period's topic towards them:
//! changes are underestimated rather than overestimated.
//!
//! # Cost
//! Two passes over the counts with `k` operations each, and two tables of words x topics.

use crate::corpus::Corpus;
use crate::linalg::Matrix;
use crate::model::Topics;

/// Words are reported if they moved by at least this many standard errors; three, because many words are tested.
const LEAST_Z: f64 = 3.0;

/// A topic in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodTopic {
    /// Number of word occurrences that belong to the topic.
    pub n_tokens: f64,
    /// The share of the distance from the whole that is kept, from 0 to 1.
    pub evidence: f64,
    /// Words that are more probable in the period, largest gain first.
    pub gained: Vec<PeriodWord>,
    /// Words that are less probable in the period, largest loss first.
    pub lost: Vec<PeriodWord>,
}

/// A word whose probability in a topic is different in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodWord {
    /// The word's number in the vocabulary of the model.
    pub word: usize,
    /// Its probability in the topic over all periods.
    pub whole: f64,
    /// Its probability in the period, after shrinkage.
    pub period: f64,
    /// The difference of the period in standard errors, before shrinkage.
    pub z: f64,
}

/// The topics of each group of documents, each with at most `n_words` words that gained and as many that lost.
///
/// The corpus must have the words of the model in the same order; `mixtures` are those of its documents (documents
/// x topics). Documents whose group is `None`, or beyond the last, are left out.
///
/// # Panics
/// If there are not as many groups as documents and mixtures.
pub fn topics_by_group(
    topics: &Topics,
    corpus: &Corpus,
    mixtures: &Matrix,
    groups: &[Option<usize>],
    n_groups: usize,
    n_words: usize,
) -> Vec<Vec<PeriodTopic>> {
    assert_eq!(corpus.n_documents(), groups.len(), "a group, or none, for each document");
    assert_eq!(mixtures.n_rows(), groups.len(), "a mixture for each document");
    let mut members = vec![Vec::new(); n_groups];
    for (d, group) in groups.iter().enumerate() {
        if let Some(members) = group.and_then(|g| members.get_mut(g)) {
            members.push(d);
        }
    }
    let shared = SharedOut { topics, corpus, mixtures };
    let whole = Whole::new(&shared, &members.concat());
    members
        .iter()
        .map(|members| {
            crate::stop::here();
            let sums = Sums::new(&shared, members, &whole);
            (0..topics.len()).map(|j| sums.topic(j, &whole, n_words)).collect()
        })
        .collect()
}

/// Word occurrences distributed over the topics.
struct SharedOut<'a> {
    topics: &'a Topics,
    corpus: &'a Corpus,
    mixtures: &'a Matrix,
}

impl SharedOut<'_> {
    /// Calls `each` with every word of a document and its count in each topic.
    fn document(&self, d: usize, mut each: impl FnMut(usize, &[f64])) {
        let k = self.topics.len();
        let m = self.topics.word_topic();
        let mut parts = vec![0.0; k];
        for (word, count) in self.corpus.document(d).words() {
            let word = word as usize;
            let mut total = 0.0;
            for (j, part) in parts.iter_mut().enumerate() {
                *part = self.mixtures[(d, j)] * m[(word, j)];
                total += *part;
            }
            // A word that no topic of the document can produce belongs to none.
            if total > 0.0 {
                parts.iter_mut().for_each(|part| *part *= f64::from(count) / total);
                each(word, &parts);
            }
        }
    }
}

/// The topics estimated from all documents.
struct Whole {
    /// Words x topics: counts divided by the total of the topic.
    topics: Matrix,
    n_tokens: Vec<f64>,
}

impl Whole {
    fn new(shared: &SharedOut, documents: &[usize]) -> Self {
        let (n, k) = (shared.topics.word_topic().n_rows(), shared.topics.len());
        let mut topics = Matrix::zeros(n, k);
        for &d in documents {
            shared.document(d, |word, parts| {
                parts.iter().enumerate().for_each(|(j, part)| topics[(word, j)] += part);
            });
        }
        let n_tokens: Vec<f64> = (0..k).map(|j| topics.column(j).iter().sum()).collect();
        let factors: Vec<f64> =
            n_tokens.iter().map(|&n| if n > 0.0 { 1.0 / n } else { 0.0 }).collect();
        topics.scale_columns(&factors);
        Self { topics, n_tokens }
    }
}

/// Sums over the documents of a group.
struct Sums {
    /// Words x topics: counts.
    counts: Matrix,
    /// Words x topics: sums of squared deviations of the documents from the whole.
    squares: Matrix,
    n_tokens: Vec<f64>,
    /// The effective number of documents of each topic: how many documents of equal length would have the same
    /// variance.
    n_documents: Vec<f64>,
}

impl Sums {
    fn new(shared: &SharedOut, documents: &[usize], whole: &Whole) -> Self {
        let (n, k) = (whole.topics.n_rows(), whole.n_tokens.len());
        let (mut counts, mut squares) = (Matrix::zeros(n, k), Matrix::zeros(n, k));
        let mut squared_lengths = vec![0.0; k];
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for &d in documents {
            entries.clear();
            let mut lengths = vec![0.0; k];
            shared.document(d, |word, parts| {
                for (j, &part) in parts.iter().enumerate() {
                    lengths[j] += part;
                    counts[(word, j)] += part;
                    entries.push((word, part));
                }
            });
            for (at, &(word, part)) in entries.iter().enumerate() {
                let j = at % k;
                let expected = lengths[j] * whole.topics[(word, j)];
                // The squares were first summed as if the document had none of the word; this corrects them for a
                // word that it has.
                squares[(word, j)] += (part - expected).powi(2) - expected.powi(2);
            }
            lengths.iter().zip(&mut squared_lengths).for_each(|(l, sum)| *sum += l * l);
        }
        for j in 0..k {
            for i in 0..n {
                squares[(i, j)] += whole.topics[(i, j)].powi(2) * squared_lengths[j];
            }
        }
        let n_tokens: Vec<f64> = (0..k).map(|j| counts.column(j).iter().sum()).collect();
        let worth = |j: usize| n_tokens[j].powi(2) / squared_lengths[j].max(f64::MIN_POSITIVE);
        let n_documents = (0..k).map(worth).collect();
        Self { counts, squares, n_tokens, n_documents }
    }

    fn topic(&self, j: usize, whole: &Whole, n_words: usize) -> PeriodTopic {
        let n_tokens = self.n_tokens[j];
        let nothing = PeriodTopic { n_tokens, evidence: 0.0, gained: vec![], lost: vec![] };
        // The variance between documents cannot be estimated from one document.
        if n_tokens <= 0.0 || self.n_documents[j] <= 1.0 {
            return nothing;
        }
        let mu = whole.topics.column(j);
        // The group is part of the whole, which makes the difference smaller by this factor.
        let rest = (1.0 - n_tokens / whole.n_tokens[j]).max(0.0);
        let factor = rest * self.n_documents[j] / (self.n_documents[j] - 1.0);
        let change = |i: usize| self.counts[(i, j)] / n_tokens - mu[i];
        let variance = |i: usize| factor * self.squares[(i, j)] / (n_tokens * n_tokens);
        let in_use = || (0..mu.len()).filter(|&i| mu[i] > 0.0);
        let noise: f64 = in_use().map(|i| variance(i) / mu[i]).sum();
        let distance: f64 = in_use().map(|i| change(i).powi(2) / mu[i]).sum();
        let evidence = if distance > 0.0 { (1.0 - noise / distance).max(0.0) } else { 0.0 };
        if evidence == 0.0 {
            return nothing;
        }
        let z = |i: usize| change(i) / variance(i).sqrt();
        let moved = |sign: f64| -> Vec<PeriodWord> {
            let mut words: Vec<usize> = in_use().filter(|&i| sign * z(i) >= LEAST_Z).collect();
            words.sort_by(|&a, &b| (sign * change(b)).total_cmp(&(sign * change(a))));
            words.truncate(n_words);
            let word = |i: usize| PeriodWord {
                word: i,
                whole: mu[i],
                period: mu[i] + evidence * change(i),
                z: z(i),
            };
            words.into_iter().map(word).filter(|word| word.z.is_finite()).collect()
        };
        PeriodTopic { evidence, gained: moved(1.0), lost: moved(-1.0), ..nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Vocabulary;

    /// Topic 0 is words 0 to 2, topic 1 words 3 and 4. In the second period word 1 takes the place of
    /// word 0.
    fn moving(per_period: usize) -> (Topics, Corpus, Matrix, Vec<Option<usize>>) {
        let topics = Matrix::from_columns(5, 2, vec![0.4, 0.4, 0.2, 0., 0., 0., 0., 0., 0.5, 0.5]);
        let topics = Topics::new(Vocabulary::numbered(5), topics, vec![0.5; 2]);
        let mut builder = Corpus::builder(5);
        let mut groups = Vec::new();
        for d in 0..2 * per_period {
            let period = d / per_period;
            let own = if period == 0 { (0, 8 + (d % 3) as u32) } else { (1, 8 + (d % 3) as u32) };
            let other = if period == 0 { (1, 1) } else { (0, 1) };
            let rest = [(2, 2 + (d % 2) as u32), (3, 4 + (d % 5) as u32), (4, 8 - (d % 5) as u32)];
            builder.push_document([own, other].into_iter().chain(rest)).unwrap();
            groups.push(Some(period));
        }
        let mixtures = Matrix::from_fn(2 * per_period, 2, |_, _| 0.5);
        (topics, builder.build().unwrap(), mixtures, groups)
    }

    #[test]
    fn words_that_move_are_told_and_topics_that_stay_are_left_alone() {
        let (topics, corpus, mixtures, groups) = moving(30);
        let found = topics_by_group(&topics, &corpus, &mixtures, &groups, 2, 3);
        let second = &found[1][0];
        assert!(second.evidence > 0.9, "{second:?}");
        assert_eq!((second.gained[0].word, second.lost[0].word), (1, 0));
        assert!(second.gained[0].period > second.gained[0].whole + 0.2, "{second:?}");
        assert_eq!(found[0][0].gained[0].word, 0);
        let still = &found[1][1];
        assert!(still.evidence < 0.5 && still.gained.is_empty(), "{still:?}");
    }

    #[test]
    fn a_period_of_one_document_has_no_evidence_and_an_empty_one_no_words() {
        let (topics, corpus, mixtures, mut groups) = moving(10);
        groups.fill(None);
        groups[0] = Some(0);
        groups[19] = Some(1);
        let found = topics_by_group(&topics, &corpus, &mixtures, &groups, 3, 3);
        assert!(found[0][0].evidence < 1e-9, "{:?}", found[0][0]);
        assert_eq!((found[2][0].n_tokens, found[2][0].evidence), (0.0, 0.0));
    }
}
