//! Text: from documents to counts of words.
//!
//! ```text
//! records ──► batches ──► words ──► counts of a batch ──► merged ──► filters ──► corpus
//! readers     batch       split     count                 collect    filter
//! ```
//!
//! Readers turn a folder, a file of lines, a table or columns from elsewhere into a stream of [`Records`]: a name,
//! a label, a text. The stream is cut into batches of bounded size, batches are split into words and counted in
//! parallel, and the counts are merged in the order of the documents. Decisions that depend on a word alone (stop
//! word, too short, stem) are made once for each word of a batch; decisions that need the whole corpus (in how many
//! documents it occurs) are made at the end, in one pass over the counts.
//!
//! # Same bits
//! Batches are cut by number of bytes, independent of threads. The vocabulary is ordered by falling frequency, ties
//! by spelling, so neither the threads nor the order of the documents can change it.
//!
//! # Cost
//! One pass over the text. In memory: a bounded number of bytes of text, the different words, and
//! 8 bytes for each different word of each document.
//!
//! # Example
//! ```
//! use svtd::text::{Preprocessing, count_texts};
//!
//! let texts = ["The sun and the stars", "The stars and the moon"];
//! let corpus = count_texts(texts, &Preprocessing::new().min_df("1".parse()?))?;
//! let words: Vec<_> = corpus.vocabulary().iter().collect();
//! assert_eq!(words, ["stars", "moon", "sun"]);
//! # Ok::<(), svtd::Error>(())
//! ```

mod batch;
mod collect;
mod count;
mod filter;
mod gathered;
mod hints;
mod intern;
mod marks;
mod rare;

use crate::corpus::Corpus;
use crate::error::Result;
use crate::memory::Limit;

pub(crate) use self::batch::Content;
pub use self::batch::{Batch, Records};
pub use self::collect::count_records;
pub use self::marks::{Mark, Marker};
pub use self::rare::{HIDDEN, WordSpread};
pub use crate::words::{
    Apostrophes, Dropped, Frequency, Language, Ngrams, Numbers, Preprocessing, Reason, StopWords,
    Tokenizer, WordChoice,
};

/// Counts the words of texts in memory, numbered from 1.
///
/// # Errors
/// If the preprocessing contradicts itself, or leaves no word.
pub fn count_texts<T: AsRef<str>>(
    texts: impl IntoIterator<Item = T, IntoIter: Send>,
    preprocessing: &Preprocessing,
) -> Result<Corpus> {
    count_records(&mut batch::Texts(texts.into_iter()), preprocessing, None, &Limit::none())
}
