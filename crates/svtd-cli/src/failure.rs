//! Failures: one line on stderr and an exit code.
//!
//! The library's sentences are kept. What it cannot know is added here: the file a sentence about
//! the data is about, and how the command line spells a permission.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind as ArgumentErrorKind;
use svtd::{Error, ErrorKind};

/// The exit code after Ctrl-C: 128 and the number of the signal, as shells have it.
pub const INTERRUPTED: i32 = 130;

const DATA: u8 = 1;
const REQUEST: u8 = 2;

/// What a command ends with.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a command could not be carried out.
#[derive(Debug)]
pub enum Failure {
    /// The library refused, in a sentence of its own.
    Library(Error),
    /// The same, about a file that the sentence may not name.
    About(PathBuf, Error),
    /// The data in this file will not do, for the reason given.
    Refused(PathBuf, String),
    /// The request is wrong in a way only the command line can see.
    Request(String),
    /// Standard output did not take what was written.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

/// In this program plain input and output errors come from standard output alone: files are
/// written by the library.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl Failure {
    /// Says that an error of the library is about this file.
    pub fn about(path: &Path) -> impl Fn(Error) -> Failure + use<> {
        let path = match path.as_os_str() == "-" {
            true => PathBuf::from("standard input"),
            false => path.to_owned(),
        };
        move |error| Failure::About(path.clone(), error)
    }

    /// Tells the user, and gives the exit code.
    pub fn report(&self) -> ExitCode {
        if let Failure::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            // Whoever read our output has seen enough.
            return ExitCode::SUCCESS;
        }
        say(&self.sentence());
        ExitCode::from(self.exit_code())
    }

    fn sentence(&self) -> String {
        match self {
            Failure::Library(error) => spelled(error),
            Failure::About(path, error) => {
                let (sentence, path) = (spelled(error), path.display().to_string());
                let named = error.kind() != ErrorKind::Data || sentence.contains(&path);
                if named { sentence } else { format!("{path}: {sentence}") }
            }
            Failure::Refused(path, reason) => format!("{}: {reason}", path.display()),
            Failure::Request(sentence) => sentence.clone(),
            Failure::Output(error) => format!("standard output: {error}"),
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Failure::Library(error) | Failure::About(_, error) => exit_code(error),
            Failure::Request(_) => REQUEST,
            Failure::Refused(..) | Failure::Output(_) => DATA,
        }
    }
}

/// Reports what the argument parser says: help and versions as they are, mistakes in one line.
pub fn of_arguments(answer: &clap::Error) -> ExitCode {
    match answer.kind() {
        ArgumentErrorKind::DisplayHelp | ArgumentErrorKind::DisplayVersion => {
            // Nobody to tell if it cannot be printed.
            let _ = answer.print();
            ExitCode::SUCCESS
        }
        ArgumentErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = answer.print();
            ExitCode::from(REQUEST)
        }
        _ => {
            say(&in_one_line(&answer.render().to_string()));
            ExitCode::from(REQUEST)
        }
    }
}

/// The message of the argument parser without its usage, its lines joined.
fn in_one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let sentences: Vec<String> = text
        .split("\n\n")
        .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    format!("{}; --help shows the options", sentences.join("; "))
}

fn say(sentence: &str) {
    // If stderr is gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "svtd: {}", printable(sentence));
}

/// A name or word as it may go to a terminal: on one line, without control characters.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn spelled(error: &Error) -> String {
    let sentence = error.to_string();
    match error {
        Error::Exists { .. } => {
            sentence.replace("allow overwriting", "allow overwriting (--force)")
        }
        Error::FewerTopicsVisible { visible, .. } if *visible > 0 => {
            format!("{sentence} (-k {visible}), or accept them (--allow-fewer)")
        }
        _ => sentence,
    }
}

/// A file that is not there, or not a file, is a wrong request; what is wrong inside it is not.
fn exit_code(error: &Error) -> u8 {
    use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied};
    match (error, error.kind()) {
        (_, ErrorKind::Request) => REQUEST,
        (Error::Io { source, .. }, _) => match source.kind() {
            NotFound | IsADirectory | NotADirectory | PermissionDenied | InvalidInput => REQUEST,
            _ => DATA,
        },
        _ => DATA,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_the_argument_parser_becomes_one_line() {
        let text = "error: invalid value 'x' for '--model <MODEL>'\n  [possible values: lda, \
                    single-topic]\n\n  tip: lda\n\nUsage: svtd fit\n\nFor more information, try '--help'.\n";
        assert_eq!(
            in_one_line(text),
            "invalid value 'x' for '--model <MODEL>' [possible values: lda, single-topic]; \
             tip: lda; --help shows the options"
        );
    }

    #[test]
    fn a_sentence_about_the_data_names_the_file_once() {
        let path = Path::new("a.txt");
        let about = Failure::about(path);
        assert!(about(Error::NoTriples).sentence().starts_with("a.txt: no "));
        let line = Error::Line { path: "a.txt".to_owned(), line: 3, reason: "odd".to_owned() };
        assert_eq!(about(line).sentence(), "a.txt, line 3: odd");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(printable("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
    }
}
