//! `svtd update`: a model that follows its corpus.

use serde_json::Value;

use crate::workspace::Workspace;

/// A corpus of two subjects that grows by a third one, whose words are known from the start.
fn growing() -> Workspace {
    let w = Workspace::new();
    let texts = [
        "ship sail sea wind harbour captain deck",
        "bread oven flour salt yeast baker dough",
        "rocket moon orbit launch star comet planet",
    ];
    let row = |i: usize, subject: usize| {
        let words: Vec<&str> = texts[subject].split(' ').collect();
        let chosen: Vec<&str> = (0..12).map(|n| words[(i * 5 + n * n + i * n) % 7]).collect();
        format!("d{i},{}\n", chosen.join(" "))
    };
    let table = |rows: &[String]| format!("id,text\n{}", rows.concat());
    let first: Vec<String> =
        (0..120).map(|i| row(i, if i == 7 || i == 9 { 2 } else { i % 2 })).collect();
    let second: Vec<String> = (120..160).map(|i| row(i, i % 2)).collect();
    w.write("first.csv", table(&first).as_bytes());
    w.write("second.csv", table(&second).as_bytes());
    w.must("count first.csv --language english -o c.svtdc -q");
    w
}

#[test]
fn numbers_and_names_survive_an_update_warm_or_cold() {
    let w = growing();
    w.must("fit c.svtdc -k 2 --model single-topic -q -o m.svtd");
    w.write("names.json", b"[\"first\", \"second\"]");
    w.must("names m.svtd names.json -q");
    w.must("add c.svtdc second.csv -q");
    for cold in ["", " --cold"] {
        let report =
            w.must(&format!("update m.svtd c.svtdc -o n.svtd --force --json{cold}")).stdout;
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["old_documents"], &report["documents"]), (&120.into(), &160.into()));
        assert_eq!(report["cold"], !cold.is_empty());
        for (j, name) in ["first", "second"].iter().enumerate() {
            assert_eq!(report["topics"][j]["name"], *name, "{report}");
            assert_eq!(report["topics"][j]["old"], j + 1);
            // So few different documents have no error bars.
            assert_eq!(report["topics"][j]["state"], "matched", "{report}");
        }
    }
    let ran = w.must("update m.svtd c.svtdc -o n.svtd --force");
    assert!(ran.stdout.starts_with("120 documents before, 160 now; topics: 2 stayed"), "{ran:?}");
    // What was updated is a model like any other.
    for line in [
        "topics n.svtd",
        "infer n.svtd c.svtdc",
        "diff m.svtd n.svtd",
        "words n.svtd",
        "evaluate n.svtd c.svtdc",
        "report n.svtd c.svtdc -o p.html",
        "update n.svtd c.svtdc -o o.svtd",
    ] {
        w.must(line);
    }
    assert_eq!(w.must("names o.svtd --json").stdout, w.must("names n.svtd --json").stdout);
}

#[test]
fn an_update_is_a_function_of_the_set_of_documents() {
    let w = growing();
    w.must("fit c.svtdc -k 2 -q -o m.svtd");
    w.must("count second.csv --language english --min-df 1 -o d.svtdc -q");
    w.must("merge d.svtdc c.svtdc -o e.svtdc -q");
    w.must("add c.svtdc second.csv -q");
    w.must("merge c.svtdc d.svtdc -o f.svtdc -q");
    w.must("update m.svtd e.svtdc -o e.svtd -q --threads 1");
    w.must("update m.svtd f.svtdc -o f.svtd -q --threads 2");
    let [e, f] = ["e.svtd", "f.svtd"].map(|model| w.must(&format!("topics {model} --json")).stdout);
    assert_eq!(e, f);
}

#[test]
fn what_cannot_be_updated_is_refused_in_one_sentence() {
    let w = growing();
    w.must("fit c.svtdc -k 2 --polish none --no-trust -q -o m.svtd");
    w.write("other.csv", b"id,text\na,zzz yyy zzz\nb,yyy zzz yyy\nc,zzz yyy\n");
    for (line, sentence) in [
        ("update m.svtd other.csv -o n.svtd", ""),
        ("update m.svtd c.svtdc -o m.svtd --force", "cannot be its output"),
        ("update m.svtd first.csv --min-df 3 -o n.svtd", "--min-df cannot be changed for a model"),
        ("update c.svtdc first.csv -o n.svtd", "c.svtdc"),
        ("update m.svtd nowhere.csv -o n.svtd", "there is no such file"),
    ] {
        let refused = w.svtd(line);
        assert!(matches!(refused.code, Some(1 | 2)), "{line}: {refused:?}");
        assert!(refused.stderr.contains(sentence), "{line}: {}", refused.stderr);
        let failures = refused.stderr.lines().filter(|line| line.starts_with("svtd: "));
        assert_eq!(failures.count(), 1, "{line}: {}", refused.stderr);
    }
    let ran = w.must("update m.svtd c.svtdc -o n.svtd");
    assert!(ran.stderr.contains("note: fitted from nothing"), "{}", ran.stderr);
}
