//! Reconstructs the command that made a model, from what the model stores.

use serde_json::Value;
use svtd::model::Kind;
use svtd::persist::Saved;
use svtd::text::{Frequency, Preprocessing, StopWords};

use crate::args::{Source, WordFlags};

/// The current command line.
pub fn this_command() -> String {
    let mut words = vec!["svtd".to_owned()];
    words.extend(std::env::args().skip(1).map(|word| quoted(&word)));
    words.join(" ")
}

/// `svtd fit` with the options of a model, for documents from this source, saved as `model`.
pub fn fit(saved: &Saved, source: &Source, model: &str) -> String {
    let mut line = vec!["svtd fit".to_owned()];
    line.extend(source.input.iter().map(|input| quoted(&input.display().to_string())));
    let options = serde_json::to_value(saved.model.options()).unwrap_or_default();
    line.extend(source_flags(source));
    let k = match options.get("chosen") {
        Some(Value::Object(_)) => "auto".to_owned(),
        _ => options["n_topics"].to_string(),
    };
    line.push(format!("-k {k}"));
    if saved.model.kind() == Kind::SingleTopic {
        line.push("--model single-topic".to_owned());
    }
    line.extend(fit_flags(&options));
    // Words of a counted corpus need no flags: the file contains them.
    let given = &source.words;
    if let Some(choice) = &saved.word_choice {
        line.extend(word_flags(&choice.preprocessing, given));
    }
    line.push(format!("-o {}", quoted(model)));
    line.join(" ")
}

/// The flags that differ from the defaults of `svtd fit`.
fn fit_flags(options: &Value) -> Vec<String> {
    let mut flags = Vec::new();
    let mut seed = None;
    // `"name"`, or `{"name": {"seed": 0}}` for methods with random numbers.
    let mut named = |value: &Value| -> Option<String> {
        if let Value::String(name) = value {
            return Some(name.clone());
        }
        let (name, inside) = value.as_object()?.iter().next()?;
        seed = seed.take().or_else(|| inside.get("seed").and_then(Value::as_u64));
        Some(name.clone())
    };
    for (key, default) in
        [("weights", "optimal"), ("whitening", "scaled"), ("method", "joint"), ("rows", "kept")]
    {
        if let Some(name) = named(&options[key]).filter(|name| name != default) {
            flags.push(format!("--{key} {name}"));
        }
    }
    match &options["polish"] {
        Value::String(polish) if polish == "auto" => {}
        Value::String(polish) => flags.push(format!("--polish {polish}")),
        other => flags.extend(other.get("steps").map(|steps| format!("--polish {steps}"))),
    }
    if let Some(alpha0) = options.get("alpha0").and_then(Value::as_f64).filter(|a| *a != 1.0) {
        flags.push(format!("--alpha0 {alpha0}"));
    }
    if let Some(learner) = options.get("learner").and_then(Value::as_object) {
        for (name, inside) in learner {
            flags.push(format!("--method {name}"));
            for (key, flag) in [
                ("restarts", "restarts"),
                ("burn_in", "burn-in"),
                ("samples", "samples"),
                ("eta", "eta"),
            ] {
                flags.extend(inside.get(key).map(|value| format!("--{flag} {value}")));
            }
            if inside.get("start").and_then(Value::as_str).is_some_and(|s| s != "random") {
                flags.push("--start kmeans++".to_owned());
            }
            seed = inside.get("seed").and_then(Value::as_u64);
        }
    }
    flags.extend(seed.filter(|seed| *seed != 0).map(|seed| format!("--seed {seed}")));
    if options["trust"] == Value::Bool(false) {
        flags.push("--no-trust".to_owned());
    }
    if options["allow_fewer"] == Value::Bool(true) {
        flags.push("--allow-fewer".to_owned());
    }
    flags
}

/// The flags about words that give this preprocessing.
fn word_flags(chosen: &Preprocessing, given: &WordFlags) -> Vec<String> {
    let default = Preprocessing::new();
    let mut flags = Vec::new();
    let mut add = |differs: bool, flag: String| {
        if differs {
            flags.push(flag);
        }
    };
    if let Some(language) = chosen.language {
        add(true, format!("--language {}", language.name()));
    }
    match &chosen.stop_words {
        StopWords::Auto => {}
        StopWords::None => add(true, "--stop-words none".to_owned()),
        StopWords::Listed { name, .. } => {
            let name = given.stop_words.as_ref().unwrap_or(name);
            let own = chosen.language.is_some_and(|language| language.name() == name);
            add(!own, format!("--stop-words {}", quoted(name)));
        }
    }
    if let Some(stem) = chosen.stem {
        add(true, format!("--stem {}", stem.name()));
    }
    if let Some(regex) = &chosen.token_regex {
        add(true, format!("--token-regex {}", quoted(regex)));
    }
    add(!chosen.lowercase, "--keep-case".to_owned());
    if let Some(apostrophes) = chosen.apostrophes {
        let name = serde_json::to_value(apostrophes).unwrap_or_default();
        add(true, format!("--apostrophes {}", name.as_str().unwrap_or("keep")));
    }
    add(chosen.min_length != default.min_length, format!("--min-length {}", chosen.min_length));
    add(chosen.numbers != default.numbers, "--numbers keep".to_owned());
    add(chosen.ngrams != default.ngrams, format!("--ngrams {}", chosen.ngrams));
    add(chosen.min_df != default.min_df, format!("--min-df {}", frequency(chosen.min_df)));
    add(chosen.max_df != default.max_df, format!("--max-df {}", frequency(chosen.max_df)));
    if let Some(most) = chosen.max_words.filter(|_| chosen.max_words != default.max_words) {
        add(true, format!("--max-words {most}"));
    }
    flags
}

fn frequency(frequency: Frequency) -> String {
    match frequency {
        Frequency::Documents(n) => n.to_string(),
        Frequency::Share(share) => format!("{}%", 100.0 * share),
    }
}

/// The flags about the input, as they were given.
fn source_flags(source: &Source) -> Vec<String> {
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: Option<String>| {
        flags.extend(value.map(|value| format!("--{flag} {}", quoted(&value))));
    };
    let columns = &source.columns;
    add("vocab", source.vocab.as_ref().map(|path| path.display().to_string()));
    add("format", source.format.map(|format| format.name().to_owned()));
    add("tokens-column", columns.tokens_column.clone());
    add("indices-column", columns.indices_column.clone());
    add("counts-column", columns.counts_column.clone());
    add("index-base", columns.index_base.map(|base| base.to_string()));
    add("id-column", columns.id_column.clone());
    add("label-column", columns.label_column.clone());
    source.layout.text_column.iter().for_each(|column| add("text-column", Some(column.clone())));
    let encoding = source.layout.encoding.map(|encoding| format!("{encoding}"));
    add("encoding", encoding);
    add("files", source.layout.files.clone());
    if source.transpose {
        flags.push("--transpose".to_owned());
    }
    flags
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("a/b-c.txt"), "a/b-c.txt");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn the_defaults_need_no_flags_and_the_rest_its_own() {
        let options = |value: &str| serde_json::from_str::<Value>(value).unwrap();
        let plain = r#"{"weights":"optimal","whitening":"scaled","method":"joint","rows":"kept",
            "polish":"auto","allow_fewer":false,"trust":true,"alpha0":1.0}"#;
        assert!(fit_flags(&options(plain)).is_empty());
        let other = r#"{"weights":"paper","whitening":"plain","method":{"tensor-power":{"seed":7}},
            "rows":"kept","polish":{"steps":3},"allow_fewer":true,"trust":false,"alpha0":0.5}"#;
        let expected = "--weights paper --whitening plain --method tensor-power --polish 3 --alpha0 0.5 \
                        --seed 7 --no-trust --allow-fewer";
        assert_eq!(fit_flags(&options(other)).join(" "), expected);
    }
}
