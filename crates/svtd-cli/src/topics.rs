//! `svtd topics`: shows a saved model.

use std::io::{self, Write};

use serde_json::json;
use svtd::model::WordOrder;

use crate::args::{Common, Order, Topics};
use crate::failure::{Failure, Outcome};
use crate::listing::Listing;
use crate::terminal::Screen;
use crate::{input, json, records, trust};

/// Runs the command.
pub fn run(args: &Topics, common: &Common) -> Outcome {
    if let Some(saved) = records::model(&args.model)? {
        return records::tables(&saved, args, common);
    }
    let order = order(args)?;
    let saved = input::model(&args.model)?;
    let listing = Listing::new(&saved.model, order, args.top)?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut object = listing.to_json();
        object.insert("corpus".to_owned(), json!({ "sha256": saved.corpus_digest }));
        object.insert("library".to_owned(), json!(saved.library));
        writeln!(out, "{}", json::document("topics", object.into()))?;
    } else if args.trust {
        trust::write_topics(&mut out, &saved.model, args.top)?;
    } else {
        listing.write_table(&mut out, &Screen::stdout(common))?;
    }
    Ok(out.flush()?)
}

/// The order of the words: a lambda alone means relevance.
fn order(args: &Topics) -> Outcome<WordOrder> {
    let relevance = || WordOrder::Relevance { lambda: args.lambda.unwrap_or(WordOrder::LAMBDA) };
    match (args.order, args.lambda) {
        (None, None) | (Some(Order::Probability), None) => Ok(WordOrder::Probability),
        (Some(Order::Relevance), _) | (None, Some(_)) => Ok(relevance()),
        (Some(Order::Frex), None) => Ok(WordOrder::Frex { frequency: 0.5 }),
        (Some(Order::Lift), None) => Ok(WordOrder::Lift),
        (Some(_), Some(_)) => Err(Failure::Request(
            "--lambda is for --order relevance; the other orders have no such weight".to_owned(),
        )),
    }
}
