//! Flags about files of text and about words, for all commands that read a corpus.

use clap::Args;
use svtd::reading::Encoding;
use svtd::text::{Apostrophes, Frequency, Language, Ngrams, Numbers};

use super::numbers::at_least_one;

/// How documents are stored in files of text.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Text")]
pub struct Layout {
    /// JSON Lines, CSV, TSV, .xlsx and Parquet: the column with the text; may be repeated to join several [default:
    /// text, or another usual name]
    #[arg(long, value_name = "COLUMN")]
    pub text_column: Vec<String>,

    /// The encoding of text: utf-8, latin-1 or windows-1252 [default: utf-8]
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<Encoding>,

    /// Which files of a folder are read, such as '*.txt' [default: all but hidden ones]
    #[arg(long, value_name = "PATTERN")]
    pub files: Option<String>,

    /// Skip files of a folder that cannot be read, and list them
    #[arg(long)]
    pub skip_bad: bool,
}

impl Layout {
    /// The flag that only text has a use for, if it is given.
    pub fn of_text(&self) -> Option<&'static str> {
        (!self.text_column.is_empty()).then_some("--text-column")
    }
}

/// How text is split into words.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Words")]
pub struct WordFlags {
    /// The language of the text [default: guessed and reported]
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// Words to leave out: auto (those of the language), none, a language, or a file with one word per line
    /// [default: auto]
    #[arg(long, value_name = "LANGUAGE|FILE")]
    pub stop_words: Option<String>,

    /// Count stems instead of words, with the Snowball stemmer of this language
    #[arg(long, value_name = "LANGUAGE")]
    pub stem: Option<Language>,

    /// A regular expression for words, instead of Unicode's word boundaries; with a group, the group is the word
    #[arg(long, value_name = "REGEX")]
    pub token_regex: Option<String>,

    /// Do not put words in lower case
    #[arg(long)]
    pub keep_case: bool,

    /// An apostrophe in a word: keep it, split there (l'amore), or drop an English 's (possessive)
    /// [default: by the language]
    #[arg(long, value_name = "keep|split|possessive", value_parser = apostrophes)]
    pub apostrophes: Option<Apostrophes>,

    /// The smallest number of characters of a word [default: 2]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub min_length: Option<usize>,

    /// Whether numbers are words: keep or drop [default: drop]
    #[arg(long, value_name = "keep|drop", value_parser = numbers)]
    pub numbers: Option<Numbers>,

    /// The number of adjacent words to count as one, such as 1..2 for words and pairs; a dropped word separates its
    /// neighbours [default: 1]
    #[arg(long, value_name = "FROM..TO")]
    pub ngrams: Option<Ngrams>,

    /// Drop words in fewer documents: a number, or a share such as 1% [default: 2]
    #[arg(long, value_name = "N|SHARE")]
    pub min_df: Option<Frequency>,

    /// Drop words in more documents: a number, or a share such as 0.5 [default: 100%]
    #[arg(long, value_name = "N|SHARE")]
    pub max_df: Option<Frequency>,

    /// Keep the most frequent words, at most this many [default: 100000]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_words: Option<usize>,
}

impl WordFlags {
    /// The first given flag, if any.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.language.is_some(), "--language"),
            (self.stop_words.is_some(), "--stop-words"),
            (self.stem.is_some(), "--stem"),
            (self.token_regex.is_some(), "--token-regex"),
            (self.keep_case, "--keep-case"),
            (self.apostrophes.is_some(), "--apostrophes"),
            (self.min_length.is_some(), "--min-length"),
            (self.numbers.is_some(), "--numbers"),
            (self.ngrams.is_some(), "--ngrams"),
            (self.min_df.is_some(), "--min-df"),
            (self.max_df.is_some(), "--max-df"),
            (self.max_words.is_some(), "--max-words"),
        ];
        flags.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

fn apostrophes(text: &str) -> Result<Apostrophes, String> {
    match text {
        "keep" => Ok(Apostrophes::Keep),
        "split" => Ok(Apostrophes::Split),
        "possessive" => Ok(Apostrophes::Possessive),
        _ => Err("expected keep, split or possessive".to_owned()),
    }
}

fn numbers(text: &str) -> Result<Numbers, String> {
    match text {
        "keep" => Ok(Numbers::Keep),
        "drop" => Ok(Numbers::Drop),
        _ => Err("expected keep or drop".to_owned()),
    }
}
