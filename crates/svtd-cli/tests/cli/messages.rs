//! What the program says: to people, to terminals, to programs.

use crate::workspace::{Workspace, docword, mixtures};
use serde_json::Value;

fn refused(w: &Workspace, line: &str) -> String {
    let ran = w.svtd(line);
    assert!(matches!(ran.code, Some(1 | 2)), "{line}: {:?} {}", ran.code, ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran.stderr
}

#[test]
fn what_a_file_is_is_said_and_not_guessed() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 2 --polish none --no-trust -q -o m.svtd");
    w.write("array.json", b"[{\"text\": \"a\"}, {\"text\": \"b\"}]");
    w.write("empty.txt", b"");
    w.write("blank.txt", b" \n\n");
    w.write("chinese.txt", "我们在天上的父\n愿人都尊你的名为圣\n".as_bytes());
    for (file, needle) in [
        ("m.svtd", "m.svtd: this is a model saved by svtd; documents are needed"),
        ("array.json", "array.json: this is a JSON array; an object a line is needed"),
        ("empty.txt", "empty.txt: the file is empty; text or a table of counts is needed"),
        ("blank.txt", "blank.txt: the file holds nothing but blanks"),
        ("chinese.txt", "puts no blanks between its words"),
    ] {
        let said = refused(&w, &format!("fit {file} -k 2"));
        assert!(said.contains(needle), "{said}");
    }
}

#[test]
fn the_column_that_was_taken_is_said() {
    let w = Workspace::new();
    let rows: String = (0..60).map(|i| format!("{i},sea ships harbour{},x\n", i % 9)).collect();
    w.write("posts.csv", format!("id,body,kind\n{rows}").as_bytes());
    let ran = w.must("check posts.csv");
    assert!(
        ran.stderr.contains(
            "the text was taken from column \"body\", the names from \"id\"; not read: \"kind\" \
             (--text-column names another)"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn more_topics_than_documents_are_refused_at_once() {
    let w = Workspace::with_mixtures();
    let text: String =
        (0..30).map(|d| format!("3 {}:2 {}:1 {}:1\n", 3 * d, 3 * d + 1, 3 * d + 2)).collect();
    w.write("few.ldac", text.as_bytes());
    let said = refused(&w, "fit few.ldac -k 50 -q");
    assert!(
        said.contains("50 topics asked, but only 30 documents have two words or more"),
        "{said}"
    );
    assert!(said.contains("(-k 30), or accept them (--allow-fewer)"), "{said}");
    // Also for more topics than there are words: the lower bound is reported.
    let said = refused(&w, "fit few.ldac -k 5000 -q");
    assert!(said.contains("only 30 documents"), "{said}");
}

#[test]
fn errors_are_json_where_results_are() {
    let w = Workspace::with_mixtures();
    for (line, kind) in [
        ("fit docword.lda.txt -k 900 --json", "data"),
        ("fit docword.lda.txt --json -k none", "request"),
        ("topics none.svtd --json", "io"),
    ] {
        let ran = w.svtd(line);
        let error: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["kind"], kind, "{line}: {error}");
        assert_eq!(error["schema"], "svtd/error/1");
        assert!(error["error"].as_str().unwrap().len() > 10);
        assert!(error["try"].is_string() || error["try"].is_null());
    }
    let error: Value =
        serde_json::from_str(&w.svtd("fit docword.lda.txt -k 900 --json").stderr).unwrap();
    assert_eq!(error["try"], "ask for 64 or fewer");
}

#[test]
fn after_an_unknown_flag_the_nearest_one_is_named_or_none() {
    let w = Workspace::new();
    for (line, said) in [
        ("fit a.txt --bogus", "unexpected argument '--bogus' found; --help shows the options"),
        ("fit a.txt -y", "unexpected argument '-y' found; --help shows the options"),
        (
            "fit a.txt --max-word 9",
            "unexpected argument '--max-word' found; tip: a similar argument exists: '--max-words'; \
             --help shows the options",
        ),
    ] {
        let ran = w.svtd(line);
        assert_eq!((ran.code, ran.stderr.trim_end()), (Some(2), &*format!("svtd: {said}")));
    }
}

#[test]
fn a_model_does_not_go_to_a_file_called_minus() {
    let w = Workspace::with_mixtures();
    let said = refused(&w, "fit docword.lda.txt -k 2 -o -");
    assert!(said.contains("- is not the name of a file"), "{said}");
    assert!(!w.path("-").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    let w = Workspace::new();
    for line in ["--help", "fit --help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = w.command(line).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{line}");
    }
}

#[test]
fn numbers_of_topics_may_be_listed() {
    let w = Workspace::with_mixtures();
    let ran = w.must("sweep docword.lda.txt -k 2,4,6 --json -q");
    let sweep: Value = serde_json::from_str(&ran.stdout).unwrap();
    let numbers: Vec<u64> =
        sweep["fits"].as_array().unwrap().iter().map(|f| f["n_topics"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 4, 6]);
    assert!(refused(&w, "sweep docword.lda.txt -k 2,x").contains("5,10,15"));
}

#[test]
fn a_column_that_is_read_must_be_the_only_one_of_its_name() {
    let w = Workspace::new();
    let rows: String = (0..60).map(|i| format!("sea ships,{i},a harbour{}\n", i % 9)).collect();
    w.write("posts.csv", format!("text,id,text\n{rows}").as_bytes());
    let said = refused(&w, "fit posts.csv -k 2");
    assert!(said.contains("posts.csv, line 1: columns 1 and 3 are both named \"text\""), "{said}");
    let object = "{\"text\": \"sea ships\", \"id\": 1, \"text\": \"a harbour\"}\n";
    w.write("posts.jsonl", object.repeat(30).as_bytes());
    let said = refused(&w, "fit posts.jsonl -k 2");
    assert!(
        said.contains("posts.jsonl, line 1: members 1 and 3 are both named \"text\""),
        "{said}"
    );
}

#[test]
fn a_document_that_outweighs_all_others_is_named_with_what_to_do() {
    let w = Workspace::new();
    let words = ["sea", "ships", "harbour", "bread", "wheat", "mill", "flour", "sails"];
    let short = |i: usize| format!("{} {} {}\n", words[i % 8], words[(i / 2) % 8], words[i % 3]);
    let posts: String = (0..60).map(short).collect();
    w.write("even.txt", posts.as_bytes());
    let book: String = (0..400).map(|i| short(i).replace('\n', " ")).collect();
    w.write("uneven.txt", format!("{posts}{book}\n").as_bytes());
    let said = "note: document 61 holds 87 % of all words, so topics are about its parts; cut it";
    for command in ["check", "fit -k 2 --polish none"] {
        let ran = w.must(&format!("{command} uneven.txt --stop-words none"));
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        let ran = w.must(&format!("{command} even.txt --stop-words none"));
        assert!(!ran.stderr.contains("of all words, so"), "{}", ran.stderr);
    }
    let ran = w.must("check uneven.txt --stop-words none --json");
    assert!(ran.stdout.contains("document 61 holds 87 %"), "{}", ran.stdout);
}

/// Words and names with line breaks, blanks, formulas and signs that turn the direction of writing.
fn hostile() -> String {
    let words = ["sea", "new\\nline", "=cmd()", "tab\\tbed", "\\u202eevil", "wheat"];
    (0..60)
        .map(|d| {
            let tokens: Vec<String> =
                (0..6).map(|i| format!("\"{}\"", words[(d * i + d % 5) % 6])).collect();
            format!("{{\"id\": \"=doc\\n{d}\\u001b[2J\", \"tokens\": [{}]}}\n", tokens.join(","))
        })
        .collect()
}

#[test]
fn a_line_break_in_a_word_or_name_moves_no_line() {
    let w = Workspace::new();
    w.write("odd.jsonl", hostile().as_bytes());
    w.must("fit odd.jsonl -k 2 --min-df 1 --polish none --no-trust -q -o m.svtd");
    w.must("export m.svtd odd.jsonl --to npy -q -o all");
    w.must("export m.svtd odd.jsonl --to mallet -q -o all");
    let n_words = w.text("all.vocab.txt").lines().count();
    assert_eq!(n_words, 6, "{}", w.text("all.vocab.txt"));
    assert!(w.text("all.vocab.txt").contains("new\\nline"));
    assert_eq!(w.text("all.documents.txt").lines().count(), 60);
    let keys = w.text("all.keys.txt");
    assert_eq!(keys.lines().count(), 2, "{keys}");
    assert!(keys.lines().all(|line| line.split('\t').count() == 3), "{keys}");
    assert_eq!(w.text("all.doc-topics.txt").lines().count(), 60);
}

#[test]
fn nothing_that_upsets_a_terminal_is_printed() {
    let w = Workspace::new();
    w.write("odd.jsonl", hostile().as_bytes());
    w.must("fit odd.jsonl -k 2 --min-df 1 --polish none --no-trust -q -o m.svtd");
    for line in
        ["topics m.svtd", "topics m.svtd --json", "show m.svtd odd.jsonl --document 1 --json"]
    {
        let ran = w.svtd(line);
        let bad = |c: char| c == '\u{1b}' || c == '\u{202e}' || c == '\u{7f}';
        assert!(!ran.stdout.contains(bad), "{line}: {:?}", ran.stdout);
        assert!(!ran.stderr.contains(bad), "{line}: {:?}", ran.stderr);
    }
}

#[test]
fn cells_of_a_csv_can_be_kept_from_being_formulas() {
    let w = Workspace::new();
    w.write("odd.jsonl", hostile().as_bytes());
    w.must("fit odd.jsonl -k 2 --min-df 1 --polish none --no-trust -q -o m.svtd");
    w.must("infer m.svtd odd.jsonl -q -o plain.csv");
    w.must("infer m.svtd odd.jsonl -q --safe-csv -o safe.csv");
    assert!(w.text("plain.csv").contains("\"=doc"), "exact unless asked");
    let safe = w.text("safe.csv");
    assert!(safe.contains("\"'=doc") && !safe.contains("\"=doc"), "{safe}");
    w.must("export m.svtd --to csv -q --safe-csv -o all");
    let words = w.text("all.topic-words.csv");
    assert!(words.contains("'=cmd()") && !words.contains("\n=cmd()"), "{words}");
}

#[test]
fn documents_for_pyldavis_are_as_long_as_the_model_knows() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 2 --polish none --no-trust -q -o m.svtd");
    let mut words: Vec<String> =
        std::str::from_utf8(&w.read("vocab.lda.txt")).unwrap().lines().map(str::to_owned).collect();
    // Two words that the model does not know.
    words[5] = "unheard".to_owned();
    words[9] = "unseen".to_owned();
    w.write("docword.new.txt", docword(&mixtures()).as_bytes());
    w.write("vocab.new.txt", (words.join("\n") + "\n").as_bytes());
    let ran = w.must("export m.svtd docword.new.txt --to pyldavis -q");
    let prepared: Value = serde_json::from_str(&ran.stdout).unwrap();
    let sum = |name: &str| -> u64 {
        prepared[name].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum()
    };
    assert_eq!(sum("doc_lengths"), sum("term_frequency"));
    assert!(prepared["schema"].is_null(), "the keys are those of pyLDAvis.prepare");
}

#[test]
fn a_plan_for_long_documents_and_for_one_word_is_told_at_once() {
    let w = Workspace::new();
    let began = std::time::Instant::now();
    w.must("plan --words 300 --topics 5 --length 1000000 --json");
    assert!(began.elapsed().as_secs() < 20);
    w.write("one.ldac", "1 0:5\n".repeat(50).as_bytes());
    w.must("fit one.ldac -k 1 --model single-topic --polish none --no-trust -q -o one.svtd");
    let ran = w.must("plan --model one.svtd");
    assert!(!ran.stdout.contains("inf"), "{}", ran.stdout);
    let said = refused(&w, "plan --words 300 --topics 5 --length 99999999999");
    assert!(said.contains("--length must be at most 4294967295"), "{said}");
}

#[test]
fn emoji_and_links_that_were_passed_over_are_counted() {
    let w = Workspace::new();
    std::fs::create_dir(w.path("letters")).unwrap();
    for i in 0..45 {
        let text = format!("sea ships harbour{} \u{1f600}\u{1f680}", i % 9);
        w.write(&format!("letters/{i}.txt"), text.as_bytes());
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(w.path("."), w.path("letters/up")).unwrap();
    let ran = w.must("fit letters -k 1 --min-df 1 --polish none --no-trust -o m.svtd");
    let ran = format!("{}{}", ran.stderr, w.must("words m.svtd").stdout);
    assert!(ran.contains("emoji passed over, which are no words: 90"), "{ran}");
    #[cfg(unix)]
    assert!(ran.contains("links to folders, or to nothing, passed over: 1"), "{ran}");
}
