//! `svtd export`: a model's numbers for other programs.

use std::path::Path;

use svtd::Model;

use crate::args::{Common, Export};
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::output::{self, Table, Target};

/// Runs the command: all targets are checked before any is written.
pub fn run(args: &Export, _common: &Common) -> Outcome {
    let named = [&args.topic_word, &args.topic_weights, &args.alpha];
    let paths: Vec<&Path> = named.into_iter().flatten().map(|p| p.as_path()).collect();
    output::check_distinct(&paths)?;
    let [topic_word, topic_weights, alpha] = named.map(|path| {
        let check = |path| Target::new(path, args.force, &[args.model.as_path()]);
        path.as_deref().map(check).transpose()
    });
    let (topic_word, topic_weights, alpha) = (topic_word?, topic_weights?, alpha?);
    let model = input::model(&args.model)?.model;
    let alpha = match alpha {
        Some(target) => Some((target, alpha_of(args, &model)?)),
        None => None,
    };

    if let Some(target) = topic_word {
        write_topic_word(&target, &model)?;
    }
    if let Some(target) = topic_weights {
        write_vector(&target, "weight", model.topics().weights())?;
    }
    if let Some((target, alpha)) = alpha {
        write_vector(&target, "alpha", alpha)?;
    }
    Ok(())
}

fn alpha_of<'m>(args: &Export, model: &'m Model) -> Outcome<&'m [f64]> {
    match model {
        Model::Lda(model) => Ok(model.alpha()),
        Model::SingleTopic(_) => Err(Failure::Request(format!(
            "--alpha is for LDA; {} holds a single-topic model",
            args.model.display()
        ))),
    }
}

fn write_topic_word(target: &Target, model: &Model) -> Outcome {
    let topics = model.topics();
    target.write(&Table {
        header: topics.vocabulary().iter().map(|w| w.into_owned()).collect(),
        names: None,
        shape: (topics.len(), Some(topics.vocabulary().len())),
        value: &|topic, word| topics.word_topic()[(word, topic)],
    })
}

fn write_vector(target: &Target, name: &str, values: &[f64]) -> Outcome {
    target.write(&Table {
        header: vec![name.to_owned()],
        names: None,
        shape: (values.len(), None),
        value: &|i, _| values[i],
    })
}
