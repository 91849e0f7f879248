//! Several inputs: every command that reads a corpus takes them, and they are the same as one input with all of it.

use serde_json::Value;

use crate::workspace::Workspace;

/// Where the documents of the table are.
const COLUMNS: &str = "--text-column text --id-column id --label-column label";

/// Documents on three subjects in three files, a year each, and all of them in one.
fn years() -> Workspace {
    let w = Workspace::new();
    let (mut all, mut state) = (String::new(), 1_u64);
    for (year, name) in ["a.jsonl", "b.jsonl", "c.jsonl"].into_iter().enumerate() {
        let mut own = String::new();
        for d in 0..80 {
            let words: Vec<String> = (0..30)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let (other, word) = (state >> 60 == 0, (state >> 33) % 12);
                    let subject = if other { (d + 1) % 3 } else { d % 3 };
                    format!(
                        "{}{}",
                        ["sole", "luna", "mare"][subject],
                        char::from(b'a' + word as u8)
                    )
                })
                .collect();
            own.push_str(&format!(
                "{{\"id\":\"{year}-{d}\",\"text\":\"{}\",\"year\":\"{}\",\"label\":\"{}\"}}\n",
                words.join(" "),
                2001 + year,
                d % 3
            ));
        }
        w.write(name, own.as_bytes());
        all.push_str(&own);
    }
    w.write("all.jsonl", all.as_bytes());
    for name in ["a", "b", "c", "all"] {
        // The words are invented, so a language would be guessed for each file by chance.
        let line = format!("count {name}.jsonl {COLUMNS} --language italian --keep year -q");
        w.must(&format!("{line} -o {name}.svtdc"));
    }
    w
}

/// What a check says, without the seconds it expects, which depend on the machine.
fn checked(w: &Workspace, inputs: &str) -> Value {
    let mut report: Value =
        serde_json::from_str(&w.must(&format!("check {inputs} --json -q")).stdout).unwrap();
    let fields = report.as_object_mut().unwrap();
    fields.retain(|name, _| !name.starts_with("seconds"));
    assert!(fields.len() > 10);
    report
}

/// Every command with several inputs and with one.
fn compared(w: &Workspace, several: &str, one: &str) {
    assert_eq!(checked(w, several), checked(w, one), "{several}");
    let same = |command: &str| {
        let [ours, theirs] = [several, one].map(|inputs| {
            let line = command.replace("INPUT", inputs);
            w.must(&line).stdout
        });
        assert!(!ours.is_empty() && ours == theirs, "{command}: {several}");
    };
    let same_file = |command: &str, file: &str| {
        let [ours, theirs] = [several, one].map(|inputs| {
            w.must(&command.replace("INPUT", inputs));
            w.read(file)
        });
        assert!(!ours.is_empty() && ours == theirs, "{command}: {several}");
    };
    same_file("fit INPUT -k 3 -q --force -o m.svtd", "m.svtd");
    same("sweep INPUT -k 2..4 --json -q");
    same("infer m.svtd INPUT -q");
    same("evaluate m.svtd INPUT --json -q");
    same("trends m.svtd INPUT --time year --json -q");
    same_file("update m.svtd INPUT -q --force -o u.svtd", "u.svtd");
    same_file("export m.svtd INPUT --to csv -q --force -o x", "x.documents.csv");
}

#[test]
fn several_files_of_text_are_one_text() {
    let w = years();
    let [several, one] =
        ["a.jsonl b.jsonl c.jsonl", "all.jsonl"].map(|inputs| format!("{inputs} {COLUMNS}"));
    compared(&w, &several, &one);
}

#[test]
fn several_corpora_are_one_corpus() {
    compared(&years(), "a.svtdc b.svtdc c.svtdc", "all.svtdc");
}

#[test]
fn text_beside_corpora_is_text_that_was_added_to_them() {
    let w = years();
    w.must("merge a.svtdc b.svtdc -q -o one.svtdc");
    w.must(&format!("add one.svtdc c.jsonl {COLUMNS} -q"));
    compared(&w, &format!("a.svtdc b.svtdc c.jsonl {COLUMNS}"), "one.svtdc");
}
