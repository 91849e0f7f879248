//! Translates the flags about words for the library.

use std::path::Path;

use svtd::text::{Language, Preprocessing, StopWords};

use crate::args::WordFlags;
use crate::failure::{Failure, Outcome};

/// The preprocessing that the flags ask for.
pub fn chosen(flags: &WordFlags) -> Outcome<Preprocessing> {
    let mut chosen = Preprocessing::new()
        .language(flags.language)
        .stem(flags.stem)
        .token_regex(flags.token_regex.clone())
        .lowercase(!flags.keep_case)
        .apostrophes(flags.apostrophes);
    if let Some(name) = &flags.stop_words {
        chosen.stop_words = stop_words(name)?;
    }
    chosen.min_length = flags.min_length.unwrap_or(chosen.min_length);
    chosen.numbers = flags.numbers.unwrap_or(chosen.numbers);
    chosen.ngrams = flags.ngrams.unwrap_or(chosen.ngrams);
    chosen.min_df = flags.min_df.unwrap_or(chosen.min_df);
    chosen.max_df = flags.max_df.unwrap_or(chosen.max_df);
    chosen.max_words = flags.max_words.or(chosen.max_words);
    Ok(chosen)
}

/// `auto`, `none`, a language or a file.
fn stop_words(name: &str) -> Outcome<StopWords> {
    match name {
        "auto" => return Ok(StopWords::Auto),
        "none" => return Ok(StopWords::None),
        _ => {}
    }
    if let Ok(language) = name.parse() {
        return Ok(StopWords::of(language));
    }
    if !Path::new(name).is_file() {
        let languages: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        return Err(Failure::Request(format!(
            "--stop-words {name} is neither a file nor one of auto, none, {}",
            languages.join(", ")
        )));
    }
    StopWords::read(name).map_err(Failure::from)
}
