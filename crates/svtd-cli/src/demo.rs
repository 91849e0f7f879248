//! `svtd demo`: what a fit looks like, on 232 years of State of the Union addresses.
//!
//! The counts are part of the program, so there is nothing to download or clean up; `data/README.md` says where
//! they come from. Addresses are cut into passages of about 150 words: an address is about everything, a passage
//! about one or two things, and only with that many documents are topics found again in halves of them.

mod timeline;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use svtd::model::WordOrder;
use svtd::persist::Saved;
use svtd::{Corpus, Lda, Model, Vocabulary};
use svtd_report::Made;

use self::timeline::Timeline;
use crate::args::{Common, Demo};
use crate::failure::{Failure, Outcome};
use crate::listing::{self, Listing};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{json, output, recipe, report, threads, trust};

const COUNTS: &[u8] = include_bytes!("../data/sotu.counts.gz");
const WORDS: &str = include_str!("../data/sotu.vocab.txt");
const DOCUMENTS: &str = include_str!("../data/sotu.documents.csv");

const NEXT: &str = "\
What to try next:
  svtd demo -k 20                                finer topics
  svtd demo --report                             the same as one page to look at and to mail
  svtd fit docword.NAME.txt.gz -k 20             your own counts (UCI docword or MatrixMarket)
  svtd fit docword.NAME.txt.gz -k 20 -o m.svtd   keep the model
  svtd topics m.svtd --lambda 0.3                words that tell its topics apart
  svtd infer m.svtd docword.NAME.txt.gz          the topics of each document
  svtd fit --help                                every choice, with examples";

/// Runs the command.
pub fn run(args: &Demo, common: &Common) -> Outcome {
    if let Some(path) = &args.report {
        output::check(path, args.force, &[])?;
    }
    threads::pool(common.threads)?.install(|| show(args, common))
}

fn show(args: &Demo, common: &Common) -> Outcome {
    let progress = Progress::new(Detail::chosen(common));
    progress.reading();
    let addresses = addresses()?;
    let (corpus, years) = (passages(&addresses)?, of_passages(&addresses, |a| a.year));
    let params = Lda::params(args.n_topics);
    progress.expect(&params.workload((&corpus).into()));
    let model = params.fit_watched(&corpus, &|step| progress.step(step))?;
    let mut model = Model::Lda(model);
    progress.begin("shares");
    let timeline = Timeline::of(&model, &corpus, &years)?;
    if let Some(path) = &args.report {
        let saved = Saved::new(model, &corpus);
        write_page(args, path, (&corpus, &addresses), &saved, &progress)?;
        model = saved.model;
    }
    progress.finish();

    let listing = Listing::new(&model, WordOrder::Probability, listing::TOP_WORDS)?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing.to_json();
        for (name, value) in timeline.iter().flat_map(Timeline::to_json) {
            object.insert(name.to_owned(), value);
        }
        writeln!(out, "{}", json::document("demo", object.into()))?;
        return Ok(out.flush()?);
    }
    let (first, last) = (years.iter().min(), years.iter().max());
    if let (Some(first), Some(last)) = (first, last) {
        let (k, n, parts) = (model.topics().len(), addresses.len(), corpus.n_documents());
        writeln!(
            out,
            "{k} topics of {n} State of the Union addresses, {first} to {last}, in {parts} passages\n"
        )?;
    }
    listing.write_table(&mut out, &Screen::stdout(common))?;
    if let Some(timeline) = &timeline {
        writeln!(out)?;
        timeline.write(&mut out, &model)?;
    }
    writeln!(out, "\nHow far to believe it\n")?;
    trust::write_summary(&mut out, &model)?;
    writeln!(out, "\n{NEXT}")?;
    Ok(out.flush()?)
}

/// Writes the page, with the years as times and the presidents as labels.
fn write_page(
    args: &Demo,
    path: &Path,
    (corpus, addresses): (&Corpus, &[Address]),
    saved: &Saved,
    progress: &Progress,
) -> Outcome {
    progress.begin("page");
    let command = recipe::this_command();
    let times = of_passages(addresses, |address| address.year.to_string());
    let title = format!("{} topics of the State of the Union, 1790 to 2021", args.n_topics);
    let page = svtd_report::Report::new(saved)
        .documents(corpus)
        .times(times)
        .labels(of_passages(addresses, |address| address.president.clone()))
        .title(title)
        .made(Made { again: vec![command.clone()], command });
    report::write(path, args.force, &page.to_html()?, progress)
}

/// An address, as the embedded list has it.
pub struct Address {
    /// The year in which it was given.
    pub year: usize,
    /// The president who gave it.
    pub president: String,
    n_passages: usize,
}

impl Address {
    fn name(&self) -> String {
        format!("{} {}", self.year, self.president)
    }
}

/// The addresses, in order.
pub fn addresses() -> Outcome<Vec<Address>> {
    let address = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let (first, president, last) = (fields.first()?, fields.get(1)?, fields.last()?);
        Some(Address {
            year: first.parse().ok()?,
            president: (*president).to_owned(),
            n_passages: last.parse().ok()?,
        })
    };
    let addresses: Option<Vec<Address>> = DOCUMENTS.lines().skip(1).map(address).collect();
    addresses.ok_or_else(|| damaged("names"))
}

/// A property of each passage's address.
fn of_passages<T: Clone>(addresses: &[Address], what: impl Fn(&Address) -> T) -> Vec<T> {
    addresses.iter().flat_map(|a| std::iter::repeat_n(what(a), a.n_passages)).collect()
}

/// The corpus with one passage per document.
fn passages(addresses: &[Address]) -> Outcome<Corpus> {
    let name = |address: &Address| {
        let n = address.n_passages;
        (1..=n).map(|i| format!("{}, {i} of {n}", address.name())).collect::<Vec<String>>()
    };
    built(counts(addresses)?, addresses.iter().flat_map(name).collect())
}

/// The corpus with one whole address per document.
pub fn whole(addresses: &[Address]) -> Outcome<Corpus> {
    let mut passages = counts(addresses)?.into_iter();
    let mut documents = Vec::new();
    for address in addresses {
        let mut document: BTreeMap<u32, u32> = BTreeMap::new();
        for (word, count) in passages.by_ref().take(address.n_passages).flatten() {
            *document.entry(word).or_default() += count;
        }
        documents.push(document.into_iter().collect());
    }
    built(documents, addresses.iter().map(Address::name).collect())
}

/// The embedded counts of each passage; the format is docword, `document word count` after three sizes.
fn counts(addresses: &[Address]) -> Outcome<Vec<Vec<(u32, u32)>>> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(COUNTS)
        .read_to_string(&mut text)
        .map_err(|_| damaged("counts"))?;
    let n_passages = addresses.iter().map(|address| address.n_passages).sum();
    let mut passages = vec![Vec::new(); n_passages];
    for line in text.lines().skip(3) {
        let (passage, word, count) = entry(line).ok_or_else(|| damaged("counts"))?;
        let entries = passages.get_mut(passage).ok_or_else(|| damaged("counts"))?;
        entries.push((word, count));
    }
    Ok(passages)
}

fn built(documents: Vec<Vec<(u32, u32)>>, names: Vec<String>) -> Outcome<Corpus> {
    let vocabulary = Vocabulary::from_words(WORDS.lines().map(str::to_owned).collect())?;
    let mut builder = Corpus::builder(vocabulary.len()).vocabulary(vocabulary).names(names);
    for document in documents {
        builder.push_document(document)?;
    }
    Ok(builder.build()?)
}

/// Document and word from 0, and the count.
fn entry(line: &str) -> Option<(usize, u32, u32)> {
    let mut fields = line.split(' ');
    let document: usize = fields.next()?.parse().ok()?;
    let word: u32 = fields.next()?.parse().ok()?;
    let count = fields.next()?.parse().ok()?;
    Some((document.checked_sub(1)?, word.checked_sub(1)?, count))
}

fn damaged(what: &str) -> Failure {
    Failure::Request(format!("the {what} inside this program are damaged; install it again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_corpus_is_whole() {
        let addresses = addresses().unwrap();
        let corpus = passages(&addresses).unwrap();
        assert_eq!((corpus.n_documents(), corpus.n_words()), (11_957, 4000));
        assert_eq!((corpus.n_nonzeros(), corpus.n_tokens()), (384_117, 428_565));
        let whole = whole(&addresses).unwrap();
        assert_eq!((whole.n_documents(), whole.n_nonzeros()), (233, 215_361));
        assert_eq!(whole.n_tokens(), corpus.n_tokens());
        assert_eq!(whole.document_name(0), "1790 George Washington");
        assert_eq!(corpus.document_name(8), "1790 George Washington, 9 of 9");
    }
}
