//! A folder, a corpus in it, and the program run there.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use svtd::Corpus;
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};

/// A fresh folder in which the program runs, so that file names are short.
pub struct Workspace {
    folder: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A program for which no signal is ignored from the start.
#[cfg(unix)]
pub fn with_usual_signals(program: &str) -> Command {
    // Where `env` has no such option, tests in the background must do without.
    if !cfg!(target_os = "linux") {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,HUP,TERM", program]);
    command
}

impl Workspace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With `docword.lda.txt` (mixtures) and its vocabulary.
    pub fn with_mixtures() -> Self {
        let workspace = Self::new();
        workspace.write("docword.lda.txt", docword(&mixtures()).as_bytes());
        workspace.write("vocab.lda.txt", vocabulary(N_WORDS).as_bytes());
        workspace
    }

    /// With `docword.one.txt` (a topic each) and its vocabulary.
    pub fn with_single_topics() -> Self {
        let workspace = Self::new();
        let source = SingleTopicSource::zipf(N_WORDS, 4, 2.0, 10.0, 20.0, 11);
        let (corpus, _) = source.draw(400, &Lengths::Uniform(10..=40), 12);
        workspace.write("docword.one.txt", docword(&corpus).as_bytes());
        workspace.write("vocab.one.txt", vocabulary(N_WORDS).as_bytes());
        workspace
    }

    /// With `docword.wide.txt`: more documents and words than one thread is given at a time, so
    /// that several threads really share the work.
    pub fn with_many_documents_and_words() -> Self {
        let workspace = Self::new();
        let source = LdaSource::zipf(5000, 3, 2.0, 100.0, 1.0, 21);
        let (corpus, _) = source.draw(9000, &Lengths::Uniform(5..=25), 22);
        workspace.write("docword.wide.txt", docword(&corpus).as_bytes());
        workspace
    }

    /// With `docword.slow.txt`: large enough that each stage of a fit can be caught in the act.
    pub fn with_slow_stages() -> Self {
        let workspace = Self::new();
        let source = LdaSource::zipf(4000, 10, 2.0, 100.0, 1.0, 31);
        let (corpus, _) = source.draw(20_000, &Lengths::Uniform(30..=90), 32);
        workspace.write("docword.slow.txt", docword(&corpus).as_bytes());
        workspace
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, ready to run in this folder.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svtd"));
        command.current_dir(self.folder.path());
        command.args(line.split_whitespace());
        command
    }

    /// The same, with signals as a terminal has them: tests that are started in the background inherit
    /// that some are ignored, and the program honours that.
    #[cfg(unix)]
    pub fn interruptible(&self, line: &str) -> Command {
        let mut command = with_usual_signals(env!("CARGO_BIN_EXE_svtd"));
        command.current_dir(self.folder.path());
        command.args(line.split_whitespace());
        command
    }

    /// Runs the program with these arguments.
    pub fn svtd(&self, line: &str) -> Ran {
        self.command(line).output().unwrap().into()
    }

    /// Runs the program and expects it to succeed.
    pub fn must(&self, line: &str) -> Ran {
        let ran = self.svtd(line);
        assert_eq!(ran.code, Some(0), "svtd {line}\n{}", ran.stderr);
        ran
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Words of the generated corpora.
pub const N_WORDS: usize = 80;

/// A corpus of mixtures.
pub fn mixtures() -> Corpus {
    let source = LdaSource::zipf(N_WORDS, 4, 2.0, 10.0, 1.0, 3);
    source.draw(400, &Lengths::Uniform(20..=60), 4).0
}

/// A corpus as a docword file.
pub fn docword(corpus: &Corpus) -> String {
    let header = [corpus.n_documents(), corpus.n_words(), corpus.n_nonzeros()];
    let mut text: String = header.iter().map(|size| format!("{size}\n")).collect();
    for d in 0..corpus.n_documents() {
        let mut words: Vec<_> = corpus.document(d).words().collect();
        words.sort_unstable();
        let lines = words.iter().map(|(word, count)| format!("{} {} {count}\n", d + 1, word + 1));
        text.extend(lines);
    }
    text
}

/// As many words, one a line; one of them needs quotes in a CSV.
pub fn vocabulary(n_words: usize) -> String {
    let word = |i| match i {
        0 => "one,two\n".to_owned(),
        i => format!("word{i}\n"),
    };
    (0..n_words).map(word).collect()
}

/// The numbers of a `.npy` file of `f64`, and its shape as written.
pub fn read_npy(bytes: &[u8]) -> (String, Vec<f64>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    assert!(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': ("));
    let shape = header.split(['(', ')']).nth(1).unwrap().to_owned();
    let numbers = bytes[10 + length..].chunks_exact(8);
    let numbers = numbers.map(|b| f64::from_le_bytes(b.try_into().unwrap()));
    (shape, numbers.collect())
}

/// The numbers of a CSV below its head, without the first `skipped` columns.
pub fn read_csv(text: &str, skipped: usize) -> Vec<Vec<f64>> {
    let row = |line: &str| {
        let cells = line.split(',').skip(skipped);
        cells.map(|cell| cell.parse().unwrap()).collect()
    };
    text.lines().skip(1).map(row).collect()
}
