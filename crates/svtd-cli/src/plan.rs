//! `svtd plan`: how many documents an accuracy needs.

use std::io::{self, Write};

use serde_json::json;
use svtd::choosing::{DELTA, Plan, PlanSource};

use crate::args::{Common, Plan as Arguments, alpha0};
use crate::failure::{Failure, Outcome};
use crate::{input, json, threads};

/// Runs the command.
pub fn run(args: &Arguments, common: &Common) -> Outcome {
    alpha0(args.kind, args.alpha0, "--kind ").map_err(Failure::Request)?;
    threads::pool(common.threads)?.install(|| plan(args, common))
}

fn plan(args: &Arguments, common: &Common) -> Outcome {
    let (source, fitted) = source(args)?;
    let plan = source.plan(args.accuracy)?;
    let now = fitted.map(|n| source.expected_error(n)).transpose()?;
    let mut out = io::stdout().lock();
    if common.json {
        let mut value = json!(plan);
        value["fitted_documents"] = json!(fitted);
        value["fitted_accuracy"] = json!(now);
        writeln!(out, "{}", json::document("plan", value))?;
    } else {
        write(&mut out, &plan, fitted.zip(now))?;
    }
    Ok(out.flush()?)
}

/// The source of the estimate, and the number of documents of the model if there is one.
fn source(args: &Arguments) -> Outcome<(PlanSource, Option<f64>)> {
    match (&args.from, args.n_words, args.n_topics, args.length) {
        (Some(path), ..) => {
            let saved = input::model(path)?;
            let length = args.length.map(length_of).transpose()?;
            let source = PlanSource::of_model(&saved.model, length)?;
            Ok((source, Some(saved.model.diagnostics().n_documents as f64)))
        }
        (None, Some(words), Some(topics), Some(length)) => {
            let length = length_of(length)?;
            let source = PlanSource::zipf([words, topics], length, args.kind, args.alpha0)?;
            Ok((source, None))
        }
        _ => {
            let sentence = "give --model, or all of --words, --topics and --length";
            Err(Failure::Request(sentence.to_owned()))
        }
    }
}

fn length_of(length: usize) -> Outcome<u32> {
    u32::try_from(length).map_err(|_| {
        Failure::Request(format!("--length must be at most {}, got {length}", u32::MAX))
    })
}

fn write(out: &mut dyn Write, plan: &Plan, fitted: Option<(f64, f64)>) -> io::Result<()> {
    let Plan { n_words, n_topics, length, accuracy, .. } = plan;
    writeln!(
        out,
        "{:<20} {n_topics} topics over {n_words} words, documents of {length} words",
        "planned for"
    )?;
    if let Some((documents, error)) = fitted {
        writeln!(out, "{:<20} {documents} documents, expected error {error:.2}", "fitted")?;
    }
    let documents = |n: Option<f64>| n.map_or("more than 1e12".to_owned(), count);
    writeln!(
        out,
        "{:<20} {} for a mean L1 error of {accuracy} (0 equal, 2 disjoint), {} for every topic",
        "documents",
        documents(plan.n_documents),
        documents(plan.n_documents_every_topic)
    )?;
    let curve: Vec<String> =
        plan.curve.iter().map(|(n, error)| format!("{}: {error:.2}", count(*n))).collect();
    writeln!(out, "{:<20} {}", "expected error", curve.join("  "))?;
    if let (Some(noise), Some(bound)) = (plan.pair_noise, plan.pair_bound) {
        let times = match bound / noise {
            times if times.is_finite() => format!(", {times:.0} times as much"),
            // If all documents are equal, the moments have no sampling error.
            _ => String::new(),
        };
        writeln!(
            out,
            "{:<20} {noise:.2e} expected in the pair moment; Theorem 2.2 (corrected) guarantees \
             {bound:.2e} with probability {}{times}",
            "noise of pairs",
            1.0 - DELTA,
        )?;
    }
    if let Some(n) = plan.n_documents_guaranteed {
        writeln!(
            out,
            "{:<20} {} documents until Theorem 2.2 guarantees what is expected: a bound for the \
             worst case, no plan",
            "guaranteed",
            count(n)
        )?;
    }
    if let Some(reach) = plan.theorem_5_1 {
        writeln!(
            out,
            "{:<20} {} documents until Theorem 5.1 (corrected) says anything of the topics: it \
             needs moments known to {:.0e}",
            "",
            count(reach.n_documents),
            reach.gamma
        )?;
    }
    Ok(())
}

/// A whole number with two significant digits when it is large.
fn count(n: f64) -> String {
    if n < 1000.0 {
        return format!("{n:.0}");
    }
    let step = 10_f64.powf(n.log10().floor() - 1.0);
    let rounded = (n / step).round() * step;
    if rounded < 1e7 { format!("{rounded:.0}") } else { format!("{rounded:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn counts_are_not_more_exact_than_they_can_be() {
        assert_eq!(count(123.4), "123");
        assert_eq!(count(12345.0), "12000");
        assert_eq!(count(1e6), "1000000");
        assert_eq!(count(3.14e9), "3.1e9");
    }
}
