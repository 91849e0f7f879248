//! The reference for the jackknife: twenty real fits; tests only.

use super::groups::{GROUPS, Groups};
use super::settled::Settled;
use super::spread::Spread;
use super::sweeps;
use crate::corpus::Corpus;
use crate::evaluation::match_topics;
use crate::fit::collapsed_vb::{self, Prior};
use crate::linalg::Matrix;
use crate::model::Polish;
use crate::model::features::to_vocabulary;
use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
use crate::{Lda, SingleTopic};

/// Standard errors by fitting without each group in turn; topics matched to those of all.
fn refitted(corpus: &Corpus, whole: &Matrix, fit: impl Fn(&Corpus) -> Matrix) -> Matrix {
    let groups = Groups::deal(corpus).unwrap();
    let mut spread = Spread::about(whole);
    for g in 0..GROUPS {
        let own = groups.part(g).documents(corpus);
        let left: Vec<usize> = (0..corpus.n_documents()).filter(|d| !own.contains(d)).collect();
        let topics = fit(&corpus.subset(&left));
        let order: Vec<usize> =
            match_topics(whole, &topics).into_iter().map(Option::unwrap).collect();
        spread.add(g, topics.select_columns(&order));
    }
    spread.finish().0
}

/// The mean error, ours over that of the refits, and the correlation of the two over all entries.
fn compare(ours: &Matrix, refitted: &Matrix) -> (f64, f64) {
    let pairs = || ours.values().iter().zip(refitted.values());
    let n = ours.values().len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let (a, b) = (mean(ours.values()), mean(refitted.values()));
    let product: f64 = pairs().map(|(x, y)| (x - a) * (y - b)).sum();
    let square = |values: &[f64], m: f64| values.iter().map(|x| (x - m).powi(2)).sum::<f64>();
    (a / b, product / (square(ours.values(), a) * square(refitted.values(), b)).sqrt())
}

#[test]
fn subtracted_moments_give_the_errors_of_refits() {
    let source = LdaSource::zipf(80, 4, 5.0, 200.0, 1.0, 3);
    let corpus = source.draw(1500, &Lengths::Uniform(20..=60), 4).0;
    let fit = |corpus: &Corpus, trust: bool| {
        Lda::params(4).polish(Polish::None).trust(trust).fit(corpus).unwrap()
    };
    let model = fit(&corpus, true);
    let whole = model.topics().word_topic();
    let twin = refitted(&corpus, whole, |left| fit(left, false).topics().word_topic().clone());
    let (ratio, correlation) = compare(model.topics().errors().unwrap(), &twin);
    assert!((0.9..1.1).contains(&ratio) && correlation > 0.95, "{ratio} {correlation}");
}

#[test]
fn rows_of_subtracted_moments_give_the_errors_of_refits() {
    let source = SingleTopicSource::zipf(80, 4, 5.0, 200.0, 10.0, 3);
    let corpus = source.draw(1000, &Lengths::Uniform(10..=40), 4).0;
    let fit = |corpus: &Corpus, trust: bool| {
        SingleTopic::params(4).polish(Polish::None).trust(trust).fit(corpus).unwrap()
    };
    let model = fit(&corpus, true);
    let whole = model.topics().word_topic();
    let twin = refitted(&corpus, whole, |left| fit(left, false).topics().word_topic().clone());
    let (ratio, correlation) = compare(model.topics().errors().unwrap(), &twin);
    assert!((0.85..1.15).contains(&ratio) && correlation > 0.9, "{ratio} {correlation}");
}

#[test]
fn em_followed_by_linear_algebra_gives_the_errors_of_refits() {
    // Short documents: many are in doubt, so the first step alone would fall far short.
    let source = SingleTopicSource::zipf(80, 4, 5.0, 200.0, 10.0, 3);
    let corpus = source.draw(1500, &Lengths::Fixed(8), 4).0;
    let fit =
        |corpus: &Corpus, trust: bool| SingleTopic::params(4).trust(trust).fit(corpus).unwrap();
    let model = fit(&corpus, true);
    let whole = model.topics().word_topic();
    let twin = refitted(&corpus, whole, |left| fit(left, false).topics().word_topic().clone());
    let (ratio, correlation) = compare(model.topics().errors().unwrap(), &twin);
    assert!((0.8..1.25).contains(&ratio) && correlation > 0.85, "{ratio} {correlation}");
}

#[test]
fn sweeps_with_moved_weights_give_the_errors_of_refits() {
    let source = LdaSource::zipf(80, 4, 5.0, 200.0, 1.0, 3);
    let corpora =
        [4, 5, 6, 7, 8, 9].map(|seed| source.draw(1500, &Lengths::Uniform(20..=60), seed).0);
    let as_text = |corpus: &Corpus| Prior::of_text(corpus.n_present());
    let as_model = |corpus: &Corpus| Prior::of_model(corpus, 1.0, 4);
    let kinds: [&dyn Fn(&Corpus) -> Prior; 2] = [&as_text, &as_model];
    for prior in kinds {
        let sweep = |corpus: &Corpus| {
            let start = Lda::params(4).polish(Polish::None).trust(false).fit(corpus).unwrap();
            let words = &corpus.word_of_feature()[..corpus.n_present()];
            let start = Matrix::from_fn(words.len(), 4, |i, j| {
                start.topics().word_topic()[(words[i] as usize, j)]
            });
            collapsed_vb::polish(corpus, &start, &prior(corpus), 12, &|_| {})
        };
        let errors = |corpus: &Corpus| {
            let swept = sweep(corpus);
            let groups = Groups::deal(corpus).unwrap();
            let end = super::end::End {
                word_topic: &swept.word_topic,
                topic_weights: &swept.topic_weights,
                prior: &prior(corpus),
            };
            let settled = Settled::new(corpus, end.settling());
            to_vocabulary(corpus, &sweeps::by_chance(&groups, &end, &settled).errors)
        };
        // The errors without the bias, which is the same in all refits. The response is followed
        // for a few sweeps only, so these errors are smaller than those of the refits. `drift`
        // makes up for it: the documents it draws contain all of the random error, and only the
        // part explained here is subtracted.
        let fit = |corpus: &Corpus| to_vocabulary(corpus, &sweep(corpus).word_topic);
        let compared = corpora
            .iter()
            .map(|corpus| compare(&errors(corpus), &refitted(corpus, &fit(corpus), fit)));
        // One deal into twenty groups scatters by a tenth; the mean of six corpora is steadier.
        let (ratio, correlation) =
            compared.fold((0.0, 0.0), |(a, b), (c, d)| (a + c / 6.0, b + d / 6.0));
        assert!((0.5..1.1).contains(&ratio) && correlation > 0.7, "{ratio} {correlation}");
    }
}
