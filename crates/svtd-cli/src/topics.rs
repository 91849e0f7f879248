//! `svtd topics`: a saved model, shown.

use std::io::{self, Write};

use serde_json::json;

use crate::args::{Common, Topics};
use crate::failure::Outcome;
use crate::{input, listing};

/// Runs the command.
pub fn run(args: &Topics, common: &Common) -> Outcome {
    let saved = input::model(&args.model)?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing::to_json(&saved.model, args.top);
        object.insert("corpus".to_owned(), json!({ "sha256": saved.corpus_digest }));
        object.insert("library".to_owned(), json!(saved.library));
        writeln!(out, "{:#}", json!(object))?;
    } else {
        listing::write_table(&mut out, &saved.model, args.top)?;
    }
    Ok(out.flush()?)
}
