//! `svtd generate`: a random corpus, together with the true parameters.
//!
//! The library generates the corpus; here the files are named and written. All of them are checked before anything
//! is generated, and they appear together or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use svtd::Corpus;
use svtd::internals::atomic::Together;
use svtd::linalg::Matrix;
use svtd::model::Kind;
use svtd::synthetic::{LdaSource, SingleTopicSource, documents_seed};

use crate::args::{Common, Generate, alpha0};
use crate::failure::{Failure, Outcome, printable};
use crate::json;
use crate::output::{self, Column, Table, Target};

/// The largest table in numbers: eight gigabytes.
const MAX_NUMBERS: usize = 1 << 30;

/// Runs the command.
pub fn run(args: &Generate, common: &Common) -> Outcome {
    let alpha0 = alpha0(args.model, args.alpha0, "").map_err(Failure::Request)?;
    check(args)?;
    let files = Files::new(args)?;
    draw(args, alpha0, &files)?;
    tell(args, common, &files)
}

fn draw(args: &Generate, alpha0: f64, files: &Files) -> Outcome {
    let mut together = Together::default();
    let out = &mut together;
    let draw_seed = documents_seed(args.seed);
    match args.model {
        Kind::SingleTopic => {
            let source = single_topic_source(args);
            let (corpus, topics) = source.draw(args.n_documents, &args.lengths, draw_seed);
            files.write_corpus(out, &corpus, &source.word_topic)?;
            files.write_vector(out, "topic-weights", "weight", &source.topic_weights)?;
            let numbered: Vec<f64> = topics.iter().map(|&topic| (topic + 1) as f64).collect();
            files.write_vector(out, "topics", "topic", &numbered)?;
        }
        Kind::Lda => {
            let source = lda_source(args, alpha0);
            let (corpus, mixtures) = source.draw(args.n_documents, &args.lengths, draw_seed);
            files.write_corpus(out, &corpus, &source.word_topic)?;
            files.write_vector(out, "alpha", "alpha", &source.alpha)?;
            files.write_rows(out, "mixtures", &mixtures)?;
        }
    }
    Ok(together.finish()?)
}

/// Prints what was written.
fn tell(args: &Generate, common: &Common, files: &Files) -> Outcome {
    let paths = files.all(args.model);
    if common.json {
        let mut out = io::stdout().lock();
        let value = json!({
            "written": paths,
            "n_documents": args.n_documents,
            "n_words": args.n_words,
            "n_topics": args.n_topics,
            "seed": args.seed,
        });
        writeln!(out, "{}", json::document("generate", value))?;
        out.flush()?;
    } else if !common.quiet {
        for path in &paths {
            // A message that cannot be printed is no reason to fail.
            let _ = writeln!(io::stderr(), "saved {}", printable(&path.display().to_string()));
        }
    }
    Ok(())
}

/// Returns an error for too large a corpus.
fn check(args: &Generate) -> Outcome {
    let sizes = [("words", args.n_words), ("documents", args.n_documents)];
    for (what, size) in sizes {
        let fits = size.checked_mul(args.n_topics).is_some_and(|n| n <= MAX_NUMBERS);
        if !fits || u32::try_from(size).is_err() {
            let k = args.n_topics;
            return Err(Failure::Request(format!("{size} {what} by {k} topics are too many")));
        }
    }
    Ok(())
}

fn single_topic_source(args: &Generate) -> SingleTopicSource {
    let (n, k, seed) = (args.n_words, args.n_topics, args.seed);
    if args.zipf {
        SingleTopicSource::like_text(n, k, seed)
    } else {
        SingleTopicSource::uniform(n, k, seed)
    }
}

fn lda_source(args: &Generate, alpha0: f64) -> LdaSource {
    let (n, k, seed) = (args.n_words, args.n_topics, args.seed);
    if args.zipf {
        LdaSource::like_text(n, k, alpha0, seed)
    } else {
        LdaSource::uniform(n, k, alpha0, seed)
    }
}

/// The files of one corpus, all of which may be written.
struct Files {
    folder: PathBuf,
    name: String,
    force: bool,
}

impl Files {
    fn new(args: &Generate) -> Outcome<Self> {
        let name = args.output.file_name().and_then(|name| name.to_str());
        let Some(name) = name else {
            let path = args.output.display();
            return Err(Failure::Request(format!("{path}: expected a name for the corpus")));
        };
        let folder = args.output.parent().unwrap_or(Path::new("")).to_owned();
        let files = Self { folder, name: name.to_owned(), force: args.force };
        for path in files.all(args.model) {
            output::check(&path, files.force, &[])?;
        }
        Ok(files)
    }

    fn all(&self, model: Kind) -> Vec<PathBuf> {
        let truth: [&str; 3] = match model {
            Kind::SingleTopic => ["topic-word.npy", "topic-weights.csv", "topics.csv"],
            Kind::Lda => ["topic-word.npy", "alpha.csv", "mixtures.npy"],
        };
        let mut paths = vec![self.docword(), self.vocabulary()];
        paths.extend(truth.iter().map(|what| self.truth(what)));
        paths
    }

    fn docword(&self) -> PathBuf {
        self.folder.join(format!("docword.{}.txt", self.name))
    }

    fn vocabulary(&self) -> PathBuf {
        self.folder.join(format!("vocab.{}.txt", self.name))
    }

    fn truth(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}.{what}", self.name))
    }

    fn write_corpus(&self, out: &mut Together, corpus: &Corpus, word_topic: &Matrix) -> Outcome {
        out.write(&self.docword(), self.force, |out| corpus.write_docword(out))?;
        out.write(&self.vocabulary(), self.force, |out| {
            (1..=corpus.n_words()).try_for_each(|word| writeln!(out, "word{word}"))
        })?;
        self.write_rows(out, "topic-word", &word_topic.transpose())
    }

    fn write_rows(&self, out: &mut Together, what: &str, matrix: &Matrix) -> Outcome {
        let target = Target::new(&self.truth(&format!("{what}.npy")), None, self.force, &[])?;
        let column = |j: usize| Column::real(j.to_string(), move |i| matrix[(i, j)]);
        let columns = (0..matrix.n_columns()).map(column).collect();
        target.write_with(out, &Table { n_rows: matrix.n_rows(), columns, is_list: false })
    }

    fn write_vector(
        &self,
        out: &mut Together,
        what: &str,
        header: &str,
        values: &[f64],
    ) -> Outcome {
        let target = Target::new(&self.truth(&format!("{what}.csv")), None, self.force, &[])?;
        let columns = vec![Column::real(header, |i| values[i])];
        target.write_with(out, &Table { n_rows: values.len(), columns, is_list: true })
    }
}
