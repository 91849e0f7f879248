//! Pages of odd but valid models and documents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "whatever panics fails the test")]

use svtd::model::Em;
use svtd::persist::Saved;
use svtd::synthetic::{LdaSource, Lengths, SingleTopicSource};
use svtd::text::{Preprocessing, count_texts};
use svtd::{Corpus, Lda, Model, SingleTopic, Vocabulary};
use svtd_report::Report;

/// No element that is opened stays open, but for those that HTML never closes.
fn assert_well_formed(page: &str) {
    let body = page.split_once("<body>").unwrap().1;
    let body = body.split_once("<script type=\"application/json\" id=\"state\">").unwrap().0;
    let mut open: Vec<&str> = Vec::new();
    let mut rest = body;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "near {}", &rest[..end.min(200)]);
        } else if !tag.ends_with('/') && !["input", "br", "meta"].contains(&name) {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} stay open");
    for odd in ["NaN", "inf ", "-0.0 %"] {
        assert!(!body.contains(odd), "{odd}");
    }
}

fn mixed(n: usize, k: usize, n_words: usize) -> (Corpus, Saved) {
    let source = LdaSource::zipf(n_words, k, 5.0, 200.0, 0.5, 1);
    let corpus = source.draw(n, &Lengths::Fixed(50), 2).0;
    let model = Lda::params(k).polish(svtd::model::Polish::None).trust(false).fit(&corpus).unwrap();
    let saved = Saved::new(Model::Lda(model), &corpus);
    (corpus, saved)
}

#[test]
fn one_topic_and_two_hundred_make_a_page() {
    let (corpus, saved) = mixed(60, 1, 30);
    let page = Report::new(&saved).documents(&corpus).to_html().unwrap();
    assert_well_formed(&page);
    assert!(page.contains("There is one topic, so there is no distance to show."));

    let mut builder = Corpus::builder(800);
    for d in 0..1200_u32 {
        let topic = d % 200;
        builder.push_document((0..4).map(|w| (4 * topic + w, 2 + (d + w) % 3))).unwrap();
    }
    let corpus = builder.build().unwrap();
    // A rival, which is as quick for many topics as for few.
    let fitted = SingleTopic::params(200).by_em(Em::default().restarts(1)).fit(&corpus);
    let saved = Saved::new(Model::SingleTopic(fitted.unwrap()), &corpus);
    let page = Report::new(&saved).documents(&corpus).to_html().unwrap();
    assert_well_formed(&page);
    // EM from a random start makes some topics identical, which are merged.
    let n_topics = saved.model.topics().len();
    assert!(n_topics > 100, "{n_topics}");
    assert_eq!(page.matches("class=\"node\"").count(), n_topics);
    assert!(page.len() < 1_000_000, "{}", page.len());
}

#[test]
fn documents_without_words_and_without_times_are_told() {
    let mut builder = Corpus::builder(6);
    for d in 0..60_u32 {
        let from = 3 * (d % 2);
        let words =
            if d % 10 == 9 { vec![] } else { vec![(from, 2), (from + 1, 1), (from + 2, 1)] };
        builder.push_document(words).unwrap();
    }
    let corpus = builder.build().unwrap();
    let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
    let saved = Saved::new(model, &corpus);
    let time =
        |d: usize| if d.is_multiple_of(3) { "?".to_owned() } else { format!("{}", 1900 + d) };
    let page = Report::new(&saved)
        .documents(&corpus)
        .times((0..60).map(time).collect())
        .to_html()
        .unwrap();
    assert_well_formed(&page);
    assert!(page.contains("6 without a word that the model knows"));
    assert!(page.contains("20 documents without a time that can be read are left out"));
    assert!(page.contains("Documents without a word that the model knows have no share: 4."));
    assert!(page.contains("no words"));
}

#[test]
fn right_to_left_and_chinese_words_are_marked_where_they_stand() {
    let texts: Vec<String> = (0..60)
        .map(|i| match i % 2 {
            0 => "אניה בנמל, ים ומלח; אניה ים נמל בנמל".to_owned(),
            _ => "农 麦 牛 收成。农 牛 麦，麦".to_owned(),
        })
        .collect();
    let corpus = count_texts(&texts, &Preprocessing::new().min_length(1)).unwrap();
    let model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
    let saved = Saved::new(model, &corpus);
    let visit = |visit: &mut dyn FnMut(usize, &str)| {
        texts.iter().enumerate().for_each(|(d, text)| visit(d, text));
        Ok(())
    };
    let page = Report::new(&saved).documents(&corpus).texts(&visit).to_html().unwrap();
    assert_well_formed(&page);
    assert!(page.contains("אניה") && page.contains("\"t\":\"农 麦 牛 收成。农 牛 麦，麦\""));
    let marks =
        page.split_once("\"t\":\"农 麦 牛 收成").unwrap().0.rsplit_once("\"k\":[").unwrap().1;
    assert!(marks.starts_with("0,1,"), "{marks:.60}");
}

#[test]
fn a_hundred_thousand_documents_are_told_by_a_sample() {
    let source = SingleTopicSource::zipf(30, 2, 2.0, 10.0, 5.0, 1);
    let corpus = source.draw(100_000, &Lengths::Fixed(6), 2).0;
    let fitted = SingleTopic::params(2).polish(svtd::model::Polish::None).trust(false).fit(&corpus);
    let saved = Saved::new(Model::SingleTopic(fitted.unwrap()), &corpus);
    let page = Report::new(&saved).documents(&corpus).to_html().unwrap();
    assert_well_formed(&page);
    assert!(page.contains("500 of 100000 documents are shown"));
    assert!(page.len() < 600_000, "{}", page.len());
    assert_eq!(page, Report::new(&saved).documents(&corpus).to_html().unwrap());
}

#[test]
fn what_others_wrote_cannot_leave_its_place() {
    let hostile = [
        "</script><img src=x onerror=alert(1)>",
        "\"><script>alert(1)</script>",
        "{{script}}{{body}}",
        "a\u{0}b\u{7}c",
        "\u{202e}\u{2066}turned",
        "line\u{2028}end",
    ];
    let long = "x".repeat(100_000);
    let words: Vec<String> =
        hostile.iter().map(|w| (*w).to_owned()).chain([long, "plain".to_owned()]).collect();
    let vocabulary = Vocabulary::from_words(words).unwrap();
    let names: Vec<String> = (0..40).map(|d| format!("{}{d}", hostile[d % 6])).collect();
    let mut builder = Corpus::builder(8).vocabulary(vocabulary).names(names);
    for d in 0..40_u32 {
        let from = 4 * (d % 2);
        builder.push_document((from..from + 4).map(|w| (w, 1 + (d + w) % 3))).unwrap();
    }
    let corpus = builder.build().unwrap();
    let mut model = Model::SingleTopic(SingleTopic::params(2).fit(&corpus).unwrap());
    model.set_names(vec![Some(hostile[0].to_owned()), Some(hostile[4].to_owned())]).unwrap();
    let saved = Saved::new(model, &corpus);
    let labels: Vec<String> = (0..40).map(|d| hostile[d % 5].to_owned()).collect();
    let page =
        Report::new(&saved).documents(&corpus).labels(labels).title(hostile[0]).to_html().unwrap();
    assert_well_formed(&page);
    assert_eq!(page.matches("<script").count(), 3, "state, data and the script");
    assert_eq!(page.matches("</script>").count(), 3);
    for part in ["<img", "\u{202e}", "\u{2066}", "\u{2028}", "\0", "\u{7}"] {
        assert!(!page.contains(part), "{part:?}");
    }
    assert!(page.len() < 150_000, "a monster is cut: {}", page.len());
}

#[test]
fn lists_of_another_length_are_refused() {
    let (corpus, saved) = mixed(60, 2, 30);
    let report = Report::new(&saved).documents(&corpus);
    let refused = |report: Report<'_>| report.to_html().unwrap_err().to_string();
    assert!(refused(report.clone().times(vec!["1900".to_owned()])).contains("60 documents"));
    assert!(refused(report.clone().labels(vec![])).contains("60 documents"));
    let none = |_: &mut dyn FnMut(usize, &str)| Ok(());
    assert!(refused(report.texts(&none)).contains("60 documents"));
    assert!(refused(Report::new(&saved).min_documents(3)).contains("min-documents"));
}
