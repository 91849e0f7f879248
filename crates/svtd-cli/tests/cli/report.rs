//! The page: one file, the same bytes each time, made again by the lines it holds.

use std::fs;

use serde_json::Value;

use crate::workspace::Workspace;

/// A table of texts about ships, farms and banks, with a year and an author each.
fn letters(w: &Workspace, name: &str) {
    let themes = [
        ["ship", "harbour", "sailor", "captain", "anchor", "storm"],
        ["farm", "wheat", "cattle", "barn", "harvest", "plough"],
        ["bank", "money", "loan", "credit", "gold", "interest"],
    ];
    let mut rows = "id,text,year,author\n".to_owned();
    for i in 0..150_usize {
        let theme = themes[i % 3];
        let words: Vec<&str> = (0..14).map(|w| theme[(i * 5 + w * w + w) % 6]).collect();
        let (year, author) = (1850 + i % 40, ["Ada", "Ben"][i % 2]);
        let text = format!("The {}. Secret{i} was told.", words.join(" "));
        rows += &format!("letter {i},\"{text}\",{year},{author}\n");
    }
    w.write(name, rows.as_bytes());
}

/// What stands between two marks.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split_once(from).unwrap().1.split_once(to).unwrap().0
}

fn data(page: &str) -> Value {
    let json = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_page_is_one_file_of_the_same_bytes_on_any_number_of_threads() {
    let w = Workspace::new();
    letters(&w, "letters.csv");
    w.must("fit letters.csv -k 3 -o letters.svtd");
    let line = "report letters.svtd letters.csv --time year --label-column author";
    let ran = w.must(&format!("{line} -o page.html --threads 1"));
    assert!(ran.stderr.contains("saved page.html ("), "{}", ran.stderr);
    let first = w.text("page.html");
    assert_eq!(w.svtd(&format!("{line} -o page.html")).code, Some(2), "it is not overwritten");
    w.must(&format!("{line} -o page.html --threads 2 --force"));
    let second = w.text("page.html");
    let command = |page: &str| between(page, "<dt>Command</dt><dd><bdi>", "</bdi>").to_owned();
    assert_eq!(first.replace(&command(&first), ""), second.replace(&command(&second), ""));
    assert!(first.starts_with("<!DOCTYPE html>") && first.contains("Content-Security-Policy"));
    for part in ["Over time", "By label", "How it was made", "those the model was fitted on"] {
        assert!(first.contains(part), "{part}");
    }
    let shown = data(&first);
    assert_eq!(shown["docs"].as_array().unwrap().len(), 150);
    assert_eq!(shown["docs"][7]["l"], "Ben");
    assert!(shown["topics"][0]["ex"][0]["p"]["t"].as_str().unwrap().contains("The "));
}

#[test]
fn a_page_draws_the_shares_and_bands_that_trends_tells() {
    let w = Workspace::new();
    letters(&w, "letters.csv");
    w.must("fit letters.csv -k 3 -o letters.svtd");
    w.must("report letters.svtd letters.csv --time year -o page.html");
    let page = w.text("page.html");
    let trends = w.must("trends letters.svtd letters.csv --time year --json").stdout;
    let trends: Value = serde_json::from_str(&trends).unwrap();
    let section = between(&page, "<section id=\"time\"", "</section>");
    let topics = trends["topics"].as_array().unwrap().iter();
    let rows: Vec<&Value> = topics.flat_map(|topic| topic["shares"].as_array().unwrap()).collect();
    assert!(rows.len() >= 6, "{trends}");
    for row in rows {
        let percent = |name: &str| 100.0 * row[name].as_f64().unwrap();
        let cell =
            format!("{:.1} ({:.1}–{:.1})", percent("share"), percent("low"), percent("high"));
        assert!(section.contains(&cell), "{cell} of {row}");
    }
    assert_eq!(section.matches("<polygon").count(), 3, "a band for each topic");
}

#[test]
fn the_lines_of_a_page_make_model_and_page_again() {
    for flags in [
        "",
        "--model single-topic --polish none --no-trust",
        "--stem english --ngrams 1..2 --min-df 3",
    ] {
        let w = Workspace::new();
        letters(&w, "my letters.csv");
        fs::rename(w.path("my letters.csv"), w.path("letters.csv")).unwrap();
        w.must(&format!("fit letters.csv -k 3 -o letters.svtd --text-column text {flags}"));
        w.must("report letters.svtd letters.csv --text-column text -o page.html --title x");
        let page = w.text("page.html");
        let model = w.read("letters.svtd");
        let lines = between(&page, "<pre tabindex=\"0\">", "</pre>").replace("&#39;", "'");
        assert_eq!(lines.lines().count(), 2, "{lines}");
        fs::remove_file(w.path("letters.svtd")).unwrap();
        fs::remove_file(w.path("page.html")).unwrap();
        for line in lines.lines() {
            w.must(line.strip_prefix("svtd ").unwrap());
        }
        assert!(w.read("letters.svtd") == model, "{lines}");
        assert!(w.text("page.html") == page, "{lines}");
    }
}

#[test]
fn fit_and_demo_write_pages_too() {
    let w = Workspace::new();
    letters(&w, "letters.csv");
    let ran = w.must("fit letters.csv -k 3 --report page.html --time year");
    assert!(ran.stderr.contains("saved page.html"), "{}", ran.stderr);
    assert!(w.text("page.html").contains("Over time"));
    let demo = w.must("demo --report");
    assert!(demo.stderr.contains("saved svtd-demo.html"), "{}", demo.stderr);
    let page = w.text("svtd-demo.html");
    assert!(page.contains("1790 to 2021") && page.contains("Abraham Lincoln"));
    let time = between(&page, "<section id=\"time\"", "</section>");
    assert_eq!(time.matches("<polygon").count(), 8, "a band of 232 years for each topic");
    assert_eq!(w.svtd("demo --report").code, Some(2), "it is not overwritten");
    let refused = w.svtd("fit letters.csv -k 3 --no-text");
    assert!(refused.stderr.contains("--no-text is about the page; add --report FILE"));
}

#[test]
fn a_page_without_text_holds_nothing_of_a_single_document() {
    let w = Workspace::new();
    letters(&w, "letters.csv");
    w.must("fit letters.csv -k 3 --min-df 1 -o letters.svtd");
    w.must("report letters.svtd letters.csv -o all.html");
    assert!(w.text("all.html").contains("Secret17"));
    w.must("report letters.svtd letters.csv --no-text --min-documents 5 -o none.html");
    let page = w.text("none.html");
    assert!(!page.to_lowercase().contains("secret"), "words of one document are hidden");
    assert!(
        data(&page)["docs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d["x"].is_null() && d["b"].is_null())
    );
    w.must("report letters.svtd letters.csv --min-documents 5 -o some.html");
    let page = w.text("some.html");
    assert!(
        !page.to_lowercase().contains("secret") && page.contains("[…]"),
        "nor are they in the text"
    );
}

#[test]
fn many_documents_are_shown_by_a_sample_and_the_page_says_so() {
    let w = Workspace::with_many_documents_and_words();
    w.must("fit docword.wide.txt -k 3 --polish none --no-trust -o wide.svtd");
    w.must("report wide.svtd docword.wide.txt --documents 60 -o wide.html");
    let page = w.text("wide.html");
    assert!(page.contains("60 of 9000 documents are shown"));
    assert_eq!(data(&page)["docs"].as_array().unwrap().len(), 60);
    assert!(page.contains("is not known"), "no error bars were asked for");
}

#[test]
fn names_are_kept_in_the_model_and_shown_everywhere() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --no-trust -o m.svtd");
    w.write("names.json", br#"{"names": ["Sea & sky", null, " ", "last"]}"#);
    let ran = w.must("names m.svtd names.json");
    assert!(ran.stdout.contains("Sea & sky") && ran.stderr.contains("saved m.svtd"));
    assert!(w.must("topics m.svtd").stdout.contains("Sea & sky: "));
    let listing: Value = serde_json::from_str(&w.must("topics m.svtd --json").stdout).unwrap();
    assert_eq!(
        (listing["topics"][3]["name"].as_str(), listing["topics"][1]["name"].as_str()),
        (Some("last"), None)
    );
    let mixtures = w.must("infer m.svtd docword.lda.txt").stdout;
    assert!(
        mixtures.starts_with("document,topic1 Sea & sky,topic2,topic3,topic4 last\n"),
        "{mixtures:.80}"
    );
    let long = w.must("infer m.svtd docword.lda.txt --top 1").stdout;
    assert!(long.starts_with("document,topic,name,share\n"), "{long:.80}");
    let exported = w.must("export m.svtd --to json").stdout;
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["topics"][0]["name"], "Sea & sky");
    w.must("export m.svtd --to csv -o m");
    let tables = w.names().into_iter().filter(|name| name.ends_with("topics.csv"));
    assert!(tables.map(|name| w.text(&name)).any(|table| table.contains("Sea & sky")));
    w.must("report m.svtd -o m.html");
    assert!(w.text("m.html").contains("Sea &amp; sky"));
    let shown: Value = serde_json::from_str(&w.must("names m.svtd --json").stdout).unwrap();
    assert_eq!(shown["names"][0], "Sea & sky");
    w.write("none.json", b"[null, null, null, null]");
    w.must("names m.svtd none.json");
    assert!(!w.must("topics m.svtd").stdout.contains("Sea"));
}

#[test]
fn requests_that_cannot_be_met_are_one_sentence() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 --no-trust -o m.svtd");
    w.write("two.json", b"[\"a\", \"b\"]");
    w.write("odd.json", b"{\"names\": [1, 2, 3, 4]}");
    w.write("lone.json", br#"["\ud800", null, null, null]"#);
    w.write("no.json", b"hello");
    for (line, code, part) in [
        ("names m.svtd two.json", 1, "2 names for a model of 4 topics"),
        ("names m.svtd odd.json", 1, "expected a name or null for topic 1"),
        ("names m.svtd lone.json", 1, "hex escape"),
        ("names m.svtd no.json", 1, "expected JSON"),
        ("names m.svtd none.json", 2, "no such file"),
        ("report m.svtd -o p.html --time year", 2, "--time names a column of the documents"),
        ("report m.svtd docword.lda.txt -o p.html --time year", 2, "which has no columns"),
        ("report m.svtd -o p.html --min-documents 3", 2, "min-documents"),
        ("report m.svtd -o p.html --sweep no.json", 1, "svtd sweep --json"),
        ("report m.svtd -o m.svtd --force", 2, "cannot be its output"),
        ("report none.svtd -o p.html", 2, "no such file"),
    ] {
        let ran = w.svtd(line);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(part), "{line}: {}", ran.stderr);
        assert!(!w.names().contains(&"p.html".to_owned()), "{line}");
    }
}

#[test]
fn a_sweep_shows_how_many_topics_and_which_split_into_which() {
    let w = Workspace::with_single_topics();
    let swept = w.must("sweep docword.one.txt --model single-topic -k 1..6 --json").stdout;
    w.write("sweep.json", swept.as_bytes());
    w.must("fit docword.one.txt --model single-topic -k 4 -o m.svtd");
    w.must("report m.svtd docword.one.txt --sweep sweep.json -o m.html");
    let page = w.text("m.html");
    for part in ["Worth a look:", "Which topic split into which", "Eigenvalues of the pair moment"]
    {
        assert!(page.contains(part), "{part}");
    }
}

/// Other documents than those of the fit may lack words of the topics; the page shows them all the same.
#[test]
fn the_words_of_topics_are_the_models_whichever_documents_are_shown() {
    let w = Workspace::new();
    letters(&w, "letters.csv");
    w.must("fit letters.csv -k 3 -o letters.svtd");
    w.write("new.csv", b"id,text\n1,the ship and the storm\n2,a loan of gold and gold\n");
    w.must("report letters.svtd letters.csv -o own.html -q");
    w.must("report letters.svtd new.csv -o new.html -q");
    let words = |page: &str| data(&w.text(page))["words"].clone();
    let (own, new) = (words("own.html"), words("new.html"));
    for word in ["captain", "plough", "credit"] {
        assert!(own.to_string().contains(word) && new.to_string().contains(word), "{word}: {new}");
    }
}
