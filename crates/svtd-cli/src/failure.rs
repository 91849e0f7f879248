//! Failures: one line on stderr and an exit code.
//!
//! The library's messages are kept. What it cannot know is added here: the file to which a message about the data
//! belongs, and the flag that gives a permission.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind as ArgumentErrorKind;
use svtd::Error;
use svtd::error::ErrorKind;

use crate::json;
pub use crate::printable::printable;

const DATA: u8 = 1;
const REQUEST: u8 = 2;

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Library(Error),
    /// An error of the library about a file that its message may not name.
    About(PathBuf, Error),
    /// The data in this file cannot be used, for this reason.
    Refused(PathBuf, String),
    /// The request is wrong in a way that only the command line can see.
    Request(String),
    /// Writing to standard output failed.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

/// In this program plain I/O errors come only from standard output: files are written by the library.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl Failure {
    /// Attaches a file to an error of the library.
    pub fn about(path: &Path) -> impl Fn(Error) -> Failure + use<> {
        let path = match path.as_os_str() == "-" {
            true => PathBuf::from("standard input"),
            false => path.to_owned(),
        };
        move |error| Failure::About(path.clone(), error)
    }

    /// Prints the message and returns the exit code.
    pub fn report(&self) -> ExitCode {
        if let Failure::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            // The reader of our output has closed it: not an error.
            return ExitCode::SUCCESS;
        }
        say(&self.sentence(), self.kind());
        ExitCode::from(self.exit_code())
    }

    /// The message.
    pub fn sentence(&self) -> String {
        match self {
            Failure::Library(error) => spelled(error),
            Failure::About(path, error) => {
                let (sentence, path) = (spelled(error), path.display().to_string());
                // A short name such as `one` may occur in the message by chance.
                let is_telling = path.contains(['.', '/']);
                let has_name =
                    sentence.starts_with(&path) || is_telling && sentence.contains(&path);
                let named = error.kind() != ErrorKind::Data || has_name;
                if named { sentence } else { format!("{path}: {sentence}") }
            }
            Failure::Refused(path, reason) => format!("{}: {reason}", path.display()),
            Failure::Request(sentence) => sentence.clone(),
            Failure::Output(error) => format!("standard output: {error}"),
        }
    }

    /// The kind of the failure, for programs: `request`, `data` or `io`.
    fn kind(&self) -> &'static str {
        match self {
            Failure::Output(_) => "io",
            Failure::Library(Error::Io { .. }) | Failure::About(_, Error::Io { .. }) => "io",
            _ if self.exit_code() == REQUEST => "request",
            _ => "data",
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

/// Reports the result of the argument parser: help and version as they are, errors in one line.
pub fn of_arguments(answer: &clap::Error) -> ExitCode {
    match answer.kind() {
        ArgumentErrorKind::DisplayHelp | ArgumentErrorKind::DisplayVersion => {
            match answer.print().and_then(|()| io::stdout().flush()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => Failure::Output(error).report(),
            }
        }
        ArgumentErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = answer.print();
            ExitCode::from(REQUEST)
        }
        _ => {
            say(&in_one_line(&answer.render().to_string()), "request");
            ExitCode::from(REQUEST)
        }
    }
}

/// The message of the argument parser without its usage, in one line. After an unknown flag its advice is the nearest
/// flag, if there is one; that a flag may be passed as a value is no help here.
fn in_one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let is_help = |line: &&str| !line.trim_start().starts_with("tip: to pass '");
    let text = text.lines().filter(is_help).collect::<Vec<_>>().join("\n");
    let sentences: Vec<String> = text
        .split("\n\n")
        .map(str::trim_start)
        .filter(|part| !part.is_empty())
        .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    format!("{}; --help shows the options", sentences.join("; "))
}

/// Whether errors are printed as JSON: `--json` was given. Read from the arguments themselves, because these may be
/// what is wrong.
fn in_json() -> bool {
    std::env::args_os().skip(1).take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// Prints an error on stderr: a sentence, or with `--json` one object.
pub fn say(sentence: &str, kind: &str) {
    let line = match in_json() {
        true => json::line("error", as_json(sentence, kind)),
        false => format!("svtd: {}", printable(sentence)),
    };
    // If stderr is closed, nothing can be printed.
    let _ = writeln!(io::stderr(), "{line}");
}

/// The error, its kind, and what to try: the last part of the message, if it is advice.
fn as_json(sentence: &str, kind: &str) -> serde_json::Value {
    const OUTCOMES: [&str; 2] =
        ["nothing was written", "please report it with the command that was run"];
    let parts: Vec<&str> = sentence.split("; ").filter(|part| !OUTCOMES.contains(part)).collect();
    let advice = match parts[..] {
        [_, .., last] => Some(last),
        _ => None,
    };
    serde_json::json!({ "error": sentence, "kind": kind, "try": advice })
}

fn spelled(error: &Error) -> String {
    let sentence = with_flags(&error.to_string());
    match error {
        Error::Option { name, .. } if is_flag(name) => {
            sentence.replacen(name, &format!("--{name}"), 1)
        }
        Error::NoWordsLeft { relax, .. } if is_flag(relax) => {
            sentence.replace(&format!("relax {relax} first"), &format!("relax --{relax} first"))
        }
        Error::MoreTopicsThanDocuments { documents, .. } => {
            format!("{sentence} (-k {documents}), or accept them (--allow-fewer)")
        }
        Error::Exists { .. } => {
            sentence.replace("allow overwriting", "allow overwriting (--force)")
        }
        Error::NameTaken { .. } => {
            sentence.replace("allow replacing", "allow replacing (--replace)")
        }
        Error::FewerTopicsVisible { visible, .. } if *visible > 0 => {
            format!("{sentence} (-k {visible}), or accept them (--allow-fewer)")
        }
        _ => sentence,
    }
}

/// Names of library options that are flags on the command line.
const FLAGS: [&str; 18] = [
    "alpha0",
    "encoding",
    "format",
    "indices-column",
    "counts-column",
    "max-df",
    "max-words",
    "min-df",
    "min-length",
    "ngrams",
    "numbers",
    "seed",
    "stop-words",
    "text-column",
    "token-regex",
    "tokens-column",
    "transpose",
    "vocab",
];

fn is_flag(name: &str) -> bool {
    FLAGS.contains(&name)
}

/// The message with flags in place of library options.
pub fn with_flags(sentence: &str) -> String {
    const PHRASES: [(&str, &str); 19] = [
        ("(text-column)", "(--text-column)"),
        ("(text-column names another)", "(--text-column names another)"),
        ("(tokens-column)", "(--tokens-column)"),
        ("(indices-column, counts-column)", "(--indices-column, --counts-column)"),
        ("try encoding ", "try --encoding "),
        (": format lda-c", ": --format lda-c"),
        (", format svmlight", ", --format svmlight"),
        ("list them in stop-words", "list them in --stop-words FILE"),
        ("; stop-words english", "; --stop-words english"),
        ("; stop-words none", "; --stop-words none"),
        ("give your own as stop-words", "give your own as --stop-words FILE"),
        ("with token-regex ", "with --token-regex "),
        ("; skip-bad ", "; --skip-bad "),
        ("; max-df ", "; --max-df "),
        (" by min-length", " by --min-length"),
        (" by stop-words", " by --stop-words"),
        (" by min-df", " by --min-df"),
        (" by max-df", " by --max-df"),
        (" by max-words", " by --max-words"),
    ];
    PHRASES.iter().fold(sentence.to_owned(), |said, (from, to)| said.replace(from, to))
}

/// A file that does not exist, or is not a file, is a wrong request; an error inside it is an error of the data.
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
        let text = "error: unexpected argument '--bogus' found\n\n  tip: to pass '--bogus' as a value, \
                    use '-- --bogus'\n\nUsage: svtd fit\n\nFor more information, try '--help'.\n";
        assert_eq!(
            in_one_line(text),
            "unexpected argument '--bogus' found; --help shows the options"
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
    fn an_error_for_programs_has_its_kind_and_what_to_try() {
        let sentence = Failure::Library(Error::TooManyTopics { asked: 12, words: 9 }).sentence();
        let value = as_json(&sentence, "data");
        assert_eq!(value["error"], sentence);
        assert_eq!((&value["kind"], &value["try"]), (&"data".into(), &"ask for 9 or fewer".into()));
        assert!(as_json("a.svtd: no space; nothing was written", "io")["try"].is_null());
    }

    #[test]
    fn options_are_named_as_flags() {
        let option = Error::Option {
            name: "alpha0",
            needed: "a positive number".to_owned(),
            found: "-1".to_owned(),
        };
        assert_eq!(spelled(&option), "--alpha0 must be a positive number, got -1");
        let dropped = Error::NoWordsLeft {
            documents: 2,
            dropped: "3 by min-length".to_owned(),
            relax: "min-length".to_owned(),
            unspaced: false,
        };
        assert_eq!(
            spelled(&dropped),
            "every word was dropped (3 by --min-length; documents: 2); relax --min-length first"
        );
    }
}
