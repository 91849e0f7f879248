//! Documents that stay where they are: `svtd answer`, `--sites` and `--checkpoint` of `svtd fit` and `svtd sweep`,
//! `--sites` of `svtd check`.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::workspace::Workspace;

/// Three hospitals with a third of the documents each, and all of them together.
fn hospitals() -> Workspace {
    let w = Workspace::with_mixtures();
    let table = w.text("docword.lda.txt");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.by_ref().take(3).collect();
    let rows: Vec<(usize, &str)> = lines
        .map(|row| row.split_once(' ').unwrap())
        .map(|(d, rest)| (d.parse::<usize>().unwrap() - 1, rest))
        .collect();
    let n_documents: usize = head[0].parse().unwrap();
    for (site, name) in ["north", "south", "west"].into_iter().enumerate() {
        let own: Vec<&(usize, &str)> = rows.iter().filter(|(d, _)| d % 3 == site).collect();
        let n = (n_documents - site).div_ceil(3);
        let mut text = format!("{n}\n{}\n{}\n", head[1], own.len());
        own.iter().for_each(|(d, rest)| text.push_str(&format!("{} {rest}\n", d / 3 + 1)));
        w.write(&format!("docword.{name}.txt"), text.as_bytes());
        w.write(&format!("vocab.{name}.txt"), &w.read("vocab.lda.txt"));
        std::fs::create_dir_all(w.path(&format!("sites/{name}"))).unwrap();
    }
    w
}

/// A process, such as a site that answers until the fit is over, which does not outlive the test.
struct Answering(Child);

impl Answering {
    fn at(w: &Workspace, name: &str) -> Self {
        Self::for_at_least(w, name, 5)
    }

    /// A site that answers for so many documents or more.
    fn for_at_least(w: &Workspace, name: &str, least: usize) -> Self {
        let line = format!("answer sites/{name} docword.{name}.txt --follow -q");
        let line = format!("{line} --min-documents {least}");
        Self(w.command(&line).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn three_sites_learn_what_one_would_learn_from_all_documents() {
    let w = hospitals();
    w.must("fit docword.lda.txt -k 3 --no-trust -q -o pooled.svtd");
    let mut sites: Vec<Answering> =
        ["north", "south", "west"].iter().map(|name| Answering::at(&w, name)).collect();
    let fit =
        w.command("fit --sites sites -k 3 --no-trust -o apart.svtd").stdout(Stdio::null()).spawn();
    let mut fit = Answering(fit.unwrap());
    // A site that broke would be waited for in vain.
    let running = |process: &mut Answering| match process.0.try_wait().unwrap() {
        Some(status) => {
            assert!(status.success());
            false
        }
        None => true,
    };
    while running(&mut fit) {
        for site in &mut sites {
            running(site);
        }
        sleep(Duration::from_millis(50));
    }
    for site in &mut sites {
        assert!(site.0.wait().unwrap().success(), "a site ends when the fit is over");
    }
    let json = |model: &str| -> serde_json::Value {
        serde_json::from_str(&w.must(&format!("topics {model} --top 30 --json")).stdout).unwrap()
    };
    let (pooled, apart) = (json("pooled.svtd"), json("apart.svtd"));
    let words = |model: &serde_json::Value| -> Vec<(String, f64)> {
        let topics = model["topics"].as_array().unwrap();
        let words = topics.iter().flat_map(|topic| topic["words"].as_array().unwrap());
        words
            .map(|w| (w["word"].as_str().unwrap().to_owned(), w["probability"].as_f64().unwrap()))
            .collect()
    };
    for (a, b) in words(&pooled).iter().zip(words(&apart)) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-10, "{a:?} {b:?}");
    }
    // The answers are all there, so the fit can be made again without anybody.
    w.must("fit --sites sites -k 3 --no-trust --no-wait -q -o again.svtd");
    assert_eq!(w.read("again.svtd"), w.read("apart.svtd"));
}

#[test]
fn a_sweep_of_three_sites_is_that_of_all_documents() {
    let w = hospitals();
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let pooled = read(&w.must("sweep docword.lda.txt -k 2..4 --json -q").stdout);
    let kept = read(&w.must("sweep docword.lda.txt -k 2..4 --json -q --checkpoint kept").stdout);
    assert_eq!(kept, pooled);
    // With a larger minimum more documents would be held out, so that every site can answer for its own.
    let sites: Vec<Answering> = ["north", "south", "west"]
        .iter()
        .map(|name| Answering::for_at_least(&w, name, 1))
        .collect();
    let apart = read(&w.must("sweep --sites sites -k 2..4 --json -q").stdout);
    for mut site in sites {
        assert!(site.0.wait().unwrap().success(), "a site ends when the sweep is over");
    }
    for what in ["/recommendation/low", "/recommendation/high", "/n_held_out", "/fits/1/npmi"] {
        assert!(pooled.pointer(what).is_some_and(|value| !value.is_null()), "{what}: {pooled}");
        assert_eq!(pooled.pointer(what), apart.pointer(what), "{what}");
    }
    for k in 0..3 {
        let likelihood =
            |sweep: &serde_json::Value| sweep["fits"][k]["log_likelihood"].as_f64().unwrap();
        assert!((likelihood(&pooled) - likelihood(&apart)).abs() < 1e-8);
    }
}

#[test]
fn a_check_of_three_sites_tells_what_sums_tell() {
    let w = hospitals();
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let pooled = read(&w.must("check docword.lda.txt --json -q").stdout);
    let names = ["north", "south", "west"];
    let sites: Vec<Answering> =
        names.iter().map(|name| Answering::for_at_least(&w, name, 1)).collect();
    let apart = read(&w.must("check --sites sites --json -q").stdout);
    for mut site in sites {
        assert!(site.0.wait().unwrap().success(), "a site ends when the check is over");
    }
    for what in [
        "/n_documents",
        "/n_words_once",
        "/n_tokens",
        "/n_short_documents",
        "/frequent_words",
        "/counts",
        "/visible/n_topics",
    ] {
        assert!(pooled.pointer(what).is_some(), "{what}: {pooled}");
        assert_eq!(pooled.pointer(what), apart.pointer(what), "{what}");
    }
    assert_eq!((&apart["elsewhere"], &apart["longest"]), (&true.into(), &serde_json::json!([])));
    // The answers are there: in words it needs nobody, and says once what it leaves out.
    let told = w.must("check --sites sites --no-wait").stdout;
    let left_out: Vec<&str> = told.lines().filter(|line| line.starts_with("left out")).collect();
    assert!(left_out.len() == 1 && left_out[0].contains("run svtd check there"), "{told}");
    assert!(!told.contains("longest documents  ") && !told.contains("weights  "), "{told}");
}

#[test]
fn a_fit_that_does_not_wait_says_which_question_is_open_and_goes_on() {
    let w = hospitals();
    let mut rounds = 0;
    loop {
        let ran = w.svtd(
            "fit --sites sites -k 3 --model single-topic --no-trust --no-wait -q -o apart.svtd",
        );
        if ran.code == Some(0) {
            break;
        }
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains("3 questions are not answered yet"), "{}", ran.stderr);
        for name in ["north", "south", "west"] {
            w.must(&format!("answer sites/{name} docword.{name}.txt -q"));
        }
        rounds += 1;
        assert!(rounds < 200);
    }
    assert!(rounds > 5);
    assert!(w.path("sites/north/finished").exists());
}

#[test]
fn what_cannot_be_answered_is_one_sentence() {
    let w = hospitals();
    let refused = |line: &str, code: i32, sentence: &str| {
        let ran = w.svtd(&format!("{line} -q"));
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(sentence), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
    };
    refused("fit --sites sites docword.lda.txt -k 3", 2, "leave INPUT out");
    refused("fit --sites nowhere -k 3", 2, "nowhere");
    refused("sweep --sites sites docword.lda.txt", 2, "leave INPUT out");
    refused("sweep --sites sites --model classes", 2, "are for topics");
    refused("check --sites sites docword.lda.txt", 2, "leave INPUT out");
    refused("check --sites sites --model classes", 2, "--sites is for topics");
    std::fs::create_dir(w.path("empty")).unwrap();
    refused("fit --sites empty -k 3", 1, "no site has a folder here");
    refused(
        "fit docword.lda.txt -k 3 --checkpoint vocab.lda.txt",
        1,
        "a checkpoint is kept in a folder",
    );
    refused("answer sites/north docword.north.txt -o x", 2, "-o is for a single question");
    // The first question is there now; a site of few documents does not answer it.
    w.svtd("fit --sites sites -k 3 --no-wait -q");
    refused(
        "answer sites/north docword.north.txt --min-documents 100000",
        1,
        "sums over fewer than 100000 are not given away",
    );
    refused(
        "fit --sites sites -k 3",
        1,
        "0001-survey.refused: the site refused: the question is about",
    );
    refused("answer docword.north.txt docword.north.txt -o x", 1, "this is no question");
    w.must("answer sites/north docword.north.txt -q");
    refused("answer sites/north/0001-survey.question docword.north.txt", 2, "exists");
    // A truncated answer, and one to an older question.
    let answer = w.read("sites/north/0001-survey.answer");
    w.write("sites/north/0001-survey.answer", &answer[..answer.len() / 2]);
    for name in ["south", "west"] {
        w.must(&format!("answer sites/{name} docword.{name}.txt -q"));
    }
    refused("fit --sites sites -k 3 --no-wait", 1, "damaged");
    w.write("sites/north/0001-survey.answer", &answer);
    // Documents of another corpus.
    w.svtd("fit --sites sites -k 3 --no-wait -q");
    w.write("docword.other.txt", &w.read("docword.south.txt"));
    w.write("vocab.other.txt", w.text("vocab.lda.txt").replace("word", "mot").as_bytes());
    refused("answer sites/north docword.other.txt", 1, "asked of other documents");
}

#[test]
fn a_question_for_another_corpus_with_the_same_words_is_refused() {
    let w = hospitals();
    let fit = "fit --sites sites -k 3 --model single-topic --no-wait -q -o m.svtd";
    let names = ["north", "south", "west"];
    let answer = |name: &str| w.svtd(&format!("answer sites/{name} docword.{name}.txt -q"));
    assert_eq!(w.svtd(fit).code, Some(1));
    assert!(names.iter().all(|name| answer(name).code == Some(0)));
    assert_eq!(w.svtd(fit).code, Some(1));
    // The second question, answered with the documents of another site, by folder and by itself.
    let question = std::fs::read_dir(w.path("sites/north"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with("0002") && name.ends_with(".question"))
        .unwrap();
    for line in [
        "answer sites/north docword.south.txt -q".to_owned(),
        format!("answer sites/north/{question} docword.south.txt -o x.answer -q"),
    ] {
        let ran = w.svtd(&line);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains("asked of other documents than these"), "{}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
    }
    assert!(!w.path("x.answer").exists());
    // The fit gets an error, and goes on once the right documents have answered.
    let ran = w.svtd(fit);
    assert!(ran.stderr.contains("the site refused: the question was asked of other"), "{ran:?}");
    assert_eq!(answer("north").code, Some(0));
    // A document that was added since the survey is noticed as well.
    let grown = w.text("docword.west.txt");
    let mut lines: Vec<String> = grown.lines().map(str::to_owned).collect();
    let n: usize = lines[0].parse().unwrap();
    let counts: usize = lines[2].parse().unwrap();
    (lines[0], lines[2]) = ((n + 1).to_string(), (counts + 1).to_string());
    lines.push(format!("{} 1 2", n + 1));
    w.write("docword.grown.txt", (lines.join("\n") + "\n").as_bytes());
    w.write("vocab.grown.txt", &w.read("vocab.lda.txt"));
    let ran = w.svtd("answer sites/west docword.grown.txt -q");
    assert!(ran.stderr.contains("added or removed since the survey"), "{}", ran.stderr);
}

#[test]
fn a_checkpoint_knows_error_bars_too() {
    let w = Workspace::with_mixtures();
    for model in ["lda", "single-topic"] {
        let fit = format!("fit docword.lda.txt -k 3 --model {model} -q");
        w.must(&format!("{fit} -o {model}.svtd"));
        w.must(&format!("{fit} --checkpoint kept-{model} -o {model}-kept.svtd"));
        assert_eq!(w.read(&format!("{model}-kept.svtd")), w.read(&format!("{model}.svtd")));
    }
    // The number of topics, too.
    w.must("fit docword.lda.txt -k auto --no-trust -q -o auto.svtd");
    w.must("fit docword.lda.txt -k auto --no-trust -q --checkpoint chosen -o chosen.svtd");
    assert_eq!(w.read("chosen.svtd"), w.read("auto.svtd"));
}

#[test]
fn a_killed_fit_goes_on_from_its_checkpoint() {
    let w = Workspace::with_mixtures();
    let fit = "fit docword.lda.txt -k 3 --no-trust -q --polish 60";
    w.must(&format!("{fit} -o plain.svtd"));
    let mut kills = 0;
    loop {
        // A fit may be killed when its model is written and nothing is left to do.
        let line = format!("{fit} --checkpoint kept --force -o m.svtd");
        let mut running =
            w.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A little longer every time, so that it ends on any machine.
        sleep(Duration::from_millis(40 + 20 * kills));
        if let Some(status) = running.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        running.kill().unwrap();
        running.wait().unwrap();
        kills += 1;
        assert!(kills < 500);
    }
    assert_eq!(w.read("m.svtd"), w.read("plain.svtd"));
    // Another fit does not use the checkpoint.
    let ran = w.svtd("fit docword.lda.txt -k 4 --no-trust -q --checkpoint kept");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("use an empty folder"), "{}", ran.stderr);
}
