//! A corpus that changes: `svtd info`, `add`, `remove` and `merge`.

use serde_json::Value;

use crate::workspace::Workspace;

const POSTS: &str = "id,date,author,text\n\
    p1,2024-01-05,ann,the sea and the ship and the wind\n\
    p2,2024-02-05,bob,ship wind sea sail harbour\n\
    p3,2024-03-09,ann,bread oven flour bread salt\n\
    p4,2025-01-05,bob,oven salt flour bread\n";
const MORE: &str = "id,date,author,text\n\
    p5,2025-02-05,ann,sail harbour wind rocket\n\
    p6,2025-03-05,cid,rocket launch\n";

fn posts() -> Workspace {
    let w = Workspace::new();
    w.write("posts.csv", POSTS.as_bytes());
    w.write("more.csv", MORE.as_bytes());
    w.must("count posts.csv --keep date --keep author --language english -o c.svtdc -q");
    w
}

fn json(w: &Workspace, line: &str) -> Value {
    serde_json::from_str(&w.must(&format!("{line} --json")).stdout).unwrap()
}

#[test]
fn added_and_removed_again_leaves_the_same_bytes() {
    let w = posts();
    let before = w.read("c.svtdc");
    let ran = w.must("add c.svtdc more.csv");
    assert!(ran.stdout.starts_with("           2  documents added\n           6  documents\n"));
    assert!(ran.stderr.contains("1 words are new and left out, such as rocket"), "{}", ran.stderr);
    let after = w.read("c.svtdc");
    assert_ne!(before, after);
    // Once more: all of it is there.
    let again = json(&w, "add c.svtdc more.csv");
    assert_eq!((&again["added"], again["same"].as_array().unwrap().len()), (&0.into(), 2));
    assert_eq!(w.read("c.svtdc"), after);
    w.write("gone.txt", b"p5\r\np6\n");
    let report = json(&w, "remove c.svtdc --documents gone.txt");
    assert_eq!(report["removed"], serde_json::json!(["p5", "p6"]));
    assert_eq!(w.read("c.svtdc"), before);
}

#[test]
fn models_of_one_set_of_documents_have_the_same_bytes_however_it_came_about() {
    let w = Workspace::with_mixtures();
    let table = w.text("docword.lda.txt");
    let rows: Vec<&str> = table.lines().skip(3).collect();
    let half = |name: &str, wanted: std::ops::Range<usize>| {
        let kept: Vec<String> = rows
            .iter()
            .filter_map(|row| {
                let (d, rest) = row.split_once(' ')?;
                let d: usize = d.parse().ok()?;
                wanted.contains(&d).then(|| format!("{} {rest}", d - wanted.start + 1))
            })
            .collect();
        let head = format!("{}\n80\n{}\n", wanted.len(), kept.len());
        w.write(&format!("docword.{name}.txt"), (head + &kept.join("\n") + "\n").as_bytes());
        w.write(&format!("vocab.{name}.txt"), &w.read("vocab.lda.txt"));
    };
    half("a", 1..251);
    half("b", 251..401);
    w.must("count docword.a.txt -o a.svtdc -q");
    w.must("count docword.b.txt -o b.svtdc -q");
    w.must("merge b.svtdc a.svtdc -o merged.svtdc -q");
    w.must("add a.svtdc docword.b.txt docword.b.txt -q");
    let numbers: String = (401..=550).map(|d| format!("{d}\n")).collect();
    w.write("again.txt", numbers.as_bytes());
    w.must("remove a.svtdc --documents again.txt -q");
    let hashes: Vec<Value> = ["docword.lda.txt", "merged.svtdc", "a.svtdc"]
        .iter()
        .map(|corpus| {
            w.must(&format!("fit {corpus} -k 4 -q --no-trust -o {corpus}.svtd"));
            json(&w, &format!("info {corpus}"))["hash"].clone()
        })
        .collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    let model = w.read("docword.lda.txt.svtd");
    assert_eq!(w.read("merged.svtdc.svtd"), model);
    assert_eq!(w.read("a.svtdc.svtd"), model);
}

#[test]
fn documents_are_removed_by_the_columns_that_were_kept() {
    let w = posts();
    let report = json(&w, "remove c.svtdc --where author=ann --where date=2024-03-09");
    assert_eq!(report["removed"], serde_json::json!(["p3"]));
    assert_eq!(json(&w, "info c.svtdc")["documents"], 3);
    for (line, sentence) in [
        ("remove c.svtdc --where author=eve", "c.svtdc: no document has author=eve; svtd info"),
        ("remove c.svtdc --where mood=sad", "no column \"mood\"; it keeps author, date"),
        ("remove c.svtdc --where author", "expected COLUMN=VALUE"),
        ("remove c.svtdc", "nothing says which documents to remove"),
        ("remove posts.csv --where author=ann", "posts.csv: expected a corpus file"),
        ("add c.svtdc c.svtdc", "cannot be added to itself"),
        ("add c.svtdc posts.csv --min-df 1", "--min-df cannot be changed for a corpus"),
        ("merge c.svtdc posts.csv -o m.svtdc", "posts.csv: this is text; count it first"),
    ] {
        let refused = w.svtd(line);
        assert!(refused.code == Some(1) || refused.code == Some(2), "{line}");
        assert!(refused.stderr.contains(sentence), "{line}: {}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{line}: {}", refused.stderr);
    }
    w.write("names.txt", b"p1\nnobody\n");
    let before = w.read("c.svtdc");
    let refused = w.svtd("remove c.svtdc --documents names.txt");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused
            .stderr
            .contains("1 of the documents named are not in the corpus, such as \"nobody\"")
    );
    assert_eq!(w.read("c.svtdc"), before);
    w.must("remove c.svtdc --documents names.txt --ignore-missing");
    assert_eq!(json(&w, "info c.svtdc")["documents"], 2);
}

#[test]
fn odd_additions_are_told_and_change_nothing_by_halves() {
    let w = posts();
    let before = w.read("c.svtdc");
    w.write("empty.csv", b"");
    w.write("plain.txt", b"ship wind\n");
    w.write("other.csv", b"id,date,author,text\np1,2024-01-05,ann,bread\np1,2024-01-05,ann,salt\n");
    w.write("bare.csv", b"id,text\np9,ship wind\n");
    for (input, sentence) in [
        ("empty.csv", "the file is empty"),
        ("plain.txt", "which has no columns"),
        ("other.csv", "the name \"p1\" (and 1 more) is taken by a document with other words"),
        ("bare.csv", "there is no column \"author\""),
        ("nowhere.csv", "there is no such file"),
    ] {
        let refused = w.svtd(&format!("add c.svtdc {input}"));
        assert_ne!(refused.code, Some(0), "{input}");
        assert!(refused.stderr.contains(sentence), "{input}: {}", refused.stderr);
        let failures = refused.stderr.lines().filter(|line| line.starts_with("svtd: "));
        assert_eq!(failures.count(), 1, "{input}: {}", refused.stderr);
        assert_eq!(w.read("c.svtdc"), before);
    }
    w.must("add c.svtdc other.csv --replace -q");
    let report = json(&w, "info c.svtdc");
    assert_eq!((&report["documents"], &report["words_in_use"]), (&4.into(), &report["words"]));
    w.write("unknown.csv", b"id,date,author,text\nq,2024,eve,zzz yyy\n");
    let report = json(&w, "add c.svtdc unknown.csv");
    assert_eq!((&report["added"], &report["without_words"]), (&1.into(), &1.into()));
    assert_eq!(json(&w, "info c.svtdc")["empty_documents"], 1);
}

#[test]
fn info_tells_sizes_columns_and_periods() {
    let w = posts();
    let info = w.must("info c.svtdc").stdout;
    assert!(info.contains("           4  documents\n"), "{info}");
    assert!(info.contains("column author: 2 values, most often ann (2)\n"), "{info}");
    assert!(info.contains("column date: 4 values, 20"), "{info}");
    assert!(info.contains("counted from text: words by Unicode boundaries"), "{info}");
    let same = json(&w, "info posts.csv --language english");
    assert_eq!(same["hash"], json(&w, "info c.svtdc")["hash"]);
}

#[test]
fn corpora_split_in_different_ways_are_not_merged() {
    let w = posts();
    w.must("count posts.csv --keep-case --language english -o d.svtdc -q");
    let refused = w.svtd("merge c.svtdc d.svtdc -o m.svtdc");
    assert_eq!((refused.code, refused.stderr.lines().count()), (Some(1), 1));
    assert!(refused.stderr.contains("d.svtdc: its text was split into words in another way"));
    w.must("count more.csv --keep date --keep author --language english --min-df 1 -o e.svtdc -q");
    let ran = w.must("merge c.svtdc e.svtdc c.svtdc -o m.svtdc");
    assert!(
        ran.stderr.contains("in several corpora, kept once: 4 (p1 p2 p3 p4)"),
        "{}",
        ran.stderr
    );
    assert_eq!(json(&w, "info m.svtdc")["columns"][1]["column"], "date");
    assert!(
        json(&w, "info m.svtdc")["words"].as_u64() > json(&w, "info c.svtdc")["words"].as_u64()
    );
}

/// Words are chosen from the text of each corpus; what one dropped is missing in the whole, and that is told.
#[test]
fn a_merge_tells_which_words_only_some_corpora_kept() {
    let w = posts();
    w.must("count more.csv --keep date --keep author --language english -o d.svtdc -q");
    let ran = w.must("merge c.svtdc d.svtdc -o all.svtdc");
    assert!(ran.stderr.contains("words were kept in some of the inputs only"), "{}", ran.stderr);
    let ran = w.must("merge c.svtdc c.svtdc -o same.svtdc");
    assert!(!ran.stderr.contains("some of the inputs"), "{}", ran.stderr);
}

/// The counts are larger than what is kept in memory whatever the limit (a 64th of it).
#[test]
fn a_limit_on_memory_changes_no_byte_of_a_corpus_file() {
    let w = Workspace::new();
    for seed in [1, 2] {
        let sizes = "--docs 3000 --words 400 -k 4 --lengths fixed:60";
        w.must(&format!("generate lda {sizes} --seed {seed} -o {seed} -q"));
    }
    w.write("gone.txt", (1..=2000).map(|d| format!("{d}\n")).collect::<String>().as_bytes());
    let mut files = Vec::new();
    for room in ["", "--memory 17MB", "--memory 17MB --temp-dir ."] {
        w.must(&format!("count docword.1.txt {room} --force -o c.svtdc -q"));
        w.must(&format!("add c.svtdc docword.2.txt docword.2.txt {room} -q"));
        w.must(&format!("merge c.svtdc docword.1.txt {room} --force -o m.svtdc -q"));
        w.must(&format!("remove c.svtdc --documents gone.txt {room} -q"));
        files.push((w.read("c.svtdc"), w.read("m.svtdc")));
    }
    assert!(files.iter().all(|one| *one == files[0]));
    assert!(w.names().iter().all(|name| !name.contains("tmp")), "{:?}", w.names());
    let refused = w.svtd("merge c.svtdc m.svtdc --memory 1MB -o n.svtdc");
    assert_eq!((refused.code, refused.stderr.lines().count()), (Some(2), 1), "{}", refused.stderr);
}
