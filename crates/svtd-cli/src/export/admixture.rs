//! The files of ADMIXTURE: ancestries (`.Q`) and allele frequencies (`.P`).
//!
//! Numbers of six digits separated by blanks, no header, no names: individuals in the order of the `.fam` file,
//! variants in that of the `.bim` file. Populations are topics, so `Q` is their mixture. A topic is a distribution
//! over all alleles of all variants; its frequency of allele 2 at one variant is the probability of that word
//! relative to both words of the variant. As in ADMIXTURE, numbers are kept at least a hundred-thousandth away from
//! 0 and 1, because programs that read them take logarithms.
//!
//! # Which allele
//! ADMIXTURE's manual does not say whose frequency `.P` holds. Its output on its own example does: in
//! `hapmap3` variants whose allele 1 is `0` in the `.bim` file (nobody has it) are given .99999 in
//! every population (version 1.3.0; both printed by the tutorial of Hua-Zhou/SGSC2017Colorado,
//! whose text says allele 1). So it is allele 2, the last column of the `.bim` file.

use std::path::PathBuf;

use svtd::Model;
use svtd::corpus::Vocabulary;
use svtd::internals::atomic::Together;

use super::{Exported, beside, finished, inputs, write_lines};
use crate::args::{Common, Export};
use crate::failure::{Failure, Outcome};
use crate::output::{self, Format};

/// The smallest distance of numbers from 0 and 1.
const LEAST: f64 = 1e-5;

/// Writes both files.
pub fn export(args: &Export, common: &Common) -> Outcome<Vec<PathBuf>> {
    if args.source.0.is_none() {
        return Err(Failure::Request(
            "ancestries are those of individuals; name the genotypes (.bed) after the model"
                .to_owned(),
        ));
    }
    let k = crate::input::model(&args.model)?.model.topics().len();
    let paths = [beside(args, &format!("{k}.Q"))?, beside(args, &format!("{k}.P"))?];
    for path in &paths {
        output::check(path, args.force, &inputs(args))?;
    }
    let exported = Exported::read(args, common)?;
    check_alleles(exported.model.topics().vocabulary())?;
    let mut files = Together::default();
    if let Some((corpus, mixtures)) = &exported.documents(Format::Csv)? {
        let line = |d: usize| {
            let shares: Vec<f64> = mixtures.row(d).iter().map(|share| share.max(LEAST)).collect();
            let total: f64 = shares.iter().sum();
            numbers(shares.iter().map(|share| share / total))
        };
        write_lines(&mut files, &paths[0], args.force, (0..corpus.n_documents()).map(line))?;
    }
    let n_variants = exported.model.topics().vocabulary().len() / 2;
    let line = |variant| numbers((0..k).map(|j| frequency(&exported.model, variant, j)));
    write_lines(&mut files, &paths[1], args.force, (0..n_variants).map(line))?;
    finished(files)
}

/// Returns an error for words that are not pairs of alleles.
fn check_alleles(words: &Vocabulary) -> Outcome {
    let variant = |word: usize| words.word(word).rsplit_once('_').map(|(name, _)| name.to_owned());
    let paired = |i: usize| variant(2 * i).is_some_and(|name| Some(name) == variant(2 * i + 1));
    if words.len().is_multiple_of(2) && !words.is_numbered() && (0..words.len() / 2).all(paired) {
        return Ok(());
    }
    Err(Failure::Request(
        "the words of this model are no alleles; fit it on PLINK genotypes (.bed)".to_owned(),
    ))
}

/// The frequency of allele 2 of a variant in a population.
fn frequency(model: &Model, variant: usize, j: usize) -> f64 {
    let topics = model.topics();
    let of = |j: usize| {
        let [first, second] = [0, 1].map(|allele| topics.word_topic()[(2 * variant + allele, j)]);
        (first + second > 0.0).then(|| second / (first + second))
    };
    // A population without the variant gets the frequency of all others.
    let overall = || {
        let known = (0..topics.len()).filter_map(|l| Some((topics.weights()[l], of(l)?)));
        let (weight, sum) = known.fold((0.0, 0.0), |(w, s), (x, p)| (w + x, s + x * p));
        if weight > 0.0 { sum / weight } else { 0.5 }
    };
    of(j).unwrap_or_else(overall).clamp(LEAST, 1.0 - LEAST)
}

fn numbers(values: impl Iterator<Item = f64>) -> String {
    values.map(|value| format!("{value:.6}")).collect::<Vec<_>>().join(" ")
}
