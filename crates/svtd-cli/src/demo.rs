//! `svtd demo`: what a fit looks like, on 230 years of State of the Union addresses.
//!
//! The counts are part of the program, so there is nothing to fetch and nothing to clean up; see
//! `data/README.md` for where they come from. Addresses are cut into passages of about 150 words: an
//! address is about everything, a passage about one or two things, and only of such documents are there
//! enough for topics to come back in halves of them.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::json;
use svtd::linalg::Matrix;
use svtd::model::WordOrder;
use svtd::persist::Saved;
use svtd::{Corpus, Lda, Model, Vocabulary};
use svtd_report::Made;

use crate::args::{Common, Demo};
use crate::failure::{Failure, Outcome};
use crate::listing::{self, Listing};
use crate::progress::{Detail, Progress};
use crate::terminal::Screen;
use crate::{json, output, recipe, report, threads, trust};

const COUNTS: &[u8] = include_bytes!("../data/sotu.counts.gz");
const WORDS: &str = include_str!("../data/sotu.vocab.txt");
const DOCUMENTS: &str = include_str!("../data/sotu.documents.csv");

/// Years to a column of the timeline.
const PERIOD: usize = 20;
/// Characters to a column of the timeline.
const COLUMN: usize = 5;
/// Topics in the timeline.
const LEADING: usize = 12;
/// Words that stand for a topic beside its timeline.
const CAPTION: usize = 3;

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
    progress.begin("inference");
    let mixtures = model.infer(&corpus)?.mixtures;
    let mut model = Model::Lda(model);
    if let Some(path) = &args.report {
        let saved = Saved::new(model, &corpus);
        write_page(args, path, (&corpus, &addresses), &saved, &progress)?;
        model = saved.model;
    }
    progress.finish();

    let listing = Listing::new(&model, WordOrder::Probability, listing::TOP_WORDS)?;
    let periods = shares_by_period(&mixtures, &years);
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing.to_json();
        object.insert("first_years".to_owned(), json!(periods.first_years));
        object.insert("shares_by_period".to_owned(), json!(periods.means));
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
    writeln!(out, "\nMean share by {PERIOD} years\n")?;
    write_timeline(&mut out, &model, &periods)?;
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
    /// When it was given.
    pub year: usize,
    /// Who gave it.
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

/// Something of each passage's address.
fn of_passages<T: Clone>(addresses: &[Address], what: impl Fn(&Address) -> T) -> Vec<T> {
    addresses.iter().flat_map(|a| std::iter::repeat_n(what(a), a.n_passages)).collect()
}

/// A document is a passage.
fn passages(addresses: &[Address]) -> Outcome<Corpus> {
    let name = |address: &Address| {
        let n = address.n_passages;
        (1..=n).map(|i| format!("{}, {i} of {n}", address.name())).collect::<Vec<String>>()
    };
    built(counts(addresses)?, addresses.iter().flat_map(name).collect())
}

/// A document is a whole address.
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

/// First years of the periods, and the mean mixture of the passages in each.
struct Periods {
    first_years: Vec<usize>,
    means: Vec<Vec<f64>>,
}

fn shares_by_period(mixtures: &Matrix, years: &[usize]) -> Periods {
    let mut first_years: Vec<usize> = years.iter().map(|&year| period_of(year, years)).collect();
    let periods = first_years.clone();
    first_years.sort_unstable();
    first_years.dedup();
    let mean = |first: &usize| {
        let members: Vec<usize> = (0..years.len()).filter(|&d| periods[d] == *first).collect();
        let share = |j| members.iter().map(|&d| mixtures[(d, j)]).sum::<f64>();
        let n = members.len() as f64;
        (0..mixtures.n_columns()).map(|j| share(j) / n).collect()
    };
    let means = first_years.iter().map(mean).collect();
    Periods { first_years, means }
}

/// Periods are counted from the first address.
fn period_of(year: usize, years: &[usize]) -> usize {
    let first = years.iter().copied().min().unwrap_or(year);
    first + (year - first) / PERIOD * PERIOD
}

/// A line for each leading topic, a block for each period: the full height is the largest share.
fn write_timeline(out: &mut dyn Write, model: &Model, periods: &Periods) -> io::Result<()> {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let largest = periods.means.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
    for topic in model.topics().iter().take(LEADING) {
        let caption = listing::words(model, topic.index(), CAPTION).join(" ");
        write!(out, "{:5}  {caption:<34}", topic.index() + 1)?;
        for mean in &periods.means {
            let eighths = (8.0 * mean[topic.index()] / largest).round() as usize;
            let block = BLOCKS[eighths.min(8)].to_string();
            write!(out, "{} ", block.repeat(COLUMN - 1))?;
        }
        writeln!(out)?;
    }
    write!(out, "{:41}", "")?;
    for year in &periods.first_years {
        write!(out, "{year:<COLUMN$}")?;
    }
    writeln!(out, "\n{:41}█ is a share of {:.0}%", "", 100.0 * largest)
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

    #[test]
    fn a_period_holds_the_mean_of_its_years() {
        let mixtures = Matrix::from_columns(3, 1, vec![0.2, 0.4, 0.9]);
        let periods = shares_by_period(&mixtures, &[1790, 1809, 1810]);
        assert_eq!(periods.first_years, [1790, 1810]);
        assert!((periods.means[0][0] - 0.3).abs() < 1e-15);
        assert_eq!(periods.means[1], [0.9]);
    }
}
