//! `svtd export`: files for other programs.

use serde_json::Value;

use crate::workspace::{N_WORDS, Workspace, read_csv, read_npy};

fn fitted() -> Workspace {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.must("fit docword.lda.txt -k 4 --model single-topic -o one.svtd");
    w
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn the_long_table_and_the_wide_one_hold_the_same_shares() {
    let w = fitted();
    let wide = read_csv(&w.must("infer m.svtd docword.lda.txt").stdout, 1);
    let long = w.must("infer m.svtd docword.lda.txt --layout long").stdout;
    assert!(long.starts_with("document,topic,share\n1,"), "{long:.60}");
    let rows = read_csv(&long, 1);
    assert_eq!(rows.len(), 1600);
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(wide[at / 4][row[0] as usize - 1], row[1]);
        assert!(at % 4 == 0 || rows[at - 1][1] >= row[1], "the largest comes first");
    }
    let top = read_csv(&w.must("infer m.svtd docword.lda.txt --top 2").stdout, 1);
    let expected: Vec<_> = rows.chunks(4).flat_map(|document| document[..2].to_vec()).collect();
    assert_eq!(top, expected);
    let objects = w.must("infer m.svtd docword.lda.txt --to jsonl").stdout;
    let last = json(objects.lines().last().unwrap());
    assert_eq!(last["document"], "400");
    assert_eq!(last["topic3"].as_f64(), Some(wide[399][2]));
    let nested = json(&w.must("infer m.svtd docword.lda.txt --top 1 --json").stdout);
    assert_eq!(nested["documents"][0]["topics"][0]["share"].as_f64(), Some(rows[0][1]));
}

#[test]
fn a_table_in_a_file_is_told_in_json_too() {
    let w = fitted();
    let report = json(&w.must("infer m.svtd docword.lda.txt --json -o t.jsonl").stdout);
    assert_eq!(report["written"][0], "t.jsonl");
    assert_eq!(report["n_documents"], 400);
    assert_eq!(w.text("t.jsonl").lines().count(), 400);
    for (line, part) in [
        ("infer m.svtd docword.lda.txt --to npy", "add -o FILE"),
        ("infer m.svtd docword.lda.txt --top 2 -o t.npy", "wide table"),
        ("infer m.svtd docword.lda.txt -o t.xlsx", ".csv, .jsonl"),
    ] {
        let refused = w.svtd(line);
        assert_eq!(refused.code, Some(2), "{line}");
        assert!(refused.stderr.contains(part), "{line}: {}", refused.stderr);
    }
}

#[test]
fn pyldavis_is_given_exactly_the_arguments_of_prepare() {
    let w = fitted();
    let given = json(&w.must("export m.svtd docword.lda.txt --to pyldavis").stdout);
    let mut keys: Vec<&String> = given.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["doc_lengths", "doc_topic_dists", "term_frequency", "topic_term_dists", "vocab"]
    );
    let n = given["vocab"].as_array().unwrap().len();
    assert_eq!(given["term_frequency"].as_array().unwrap().len(), n);
    assert!(given["term_frequency"].as_array().unwrap().iter().all(|f| f.as_u64() > Some(0)));
    assert_eq!(given["doc_topic_dists"].as_array().unwrap().len(), 400);
    let lengths: u64 =
        given["doc_lengths"].as_array().unwrap().iter().flat_map(Value::as_u64).sum();
    let frequencies: u64 =
        given["term_frequency"].as_array().unwrap().iter().flat_map(Value::as_u64).sum();
    assert_eq!(lengths, frequencies);
    for (name, width) in [("topic_term_dists", n), ("doc_topic_dists", 4)] {
        for row in given[name].as_array().unwrap() {
            let row = numbers(row);
            assert_eq!(row.len(), width);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}");
        }
    }
    let refused = w.svtd("export m.svtd --to pyldavis");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("name them after the model"));
}

#[test]
fn octis_is_given_its_dictionary() {
    let w = fitted();
    w.must("export m.svtd docword.lda.txt --to octis --top 7 -o o.json");
    let given = json(&w.text("o.json"));
    assert_eq!(given["topics"].as_array().unwrap().len(), 4);
    assert!(given["topics"].as_array().unwrap().iter().all(|t| t.as_array().unwrap().len() == 7));
    assert_eq!(numbers(&given["topic-word-matrix"][3]).len(), N_WORDS);
    let wide = read_csv(&w.must("infer m.svtd docword.lda.txt").stdout, 1);
    let by_topic = numbers(&given["topic-document-matrix"][1]);
    assert_eq!(by_topic, wide.iter().map(|row| row[1]).collect::<Vec<_>>());
    let alone = json(&w.must("export one.svtd --to octis").stdout);
    assert!(alone.get("topic-document-matrix").is_none());
}

#[test]
fn mallet_files_have_tabs_and_count_from_zero() {
    let w = fitted();
    let report = json(&w.must("export m.svtd docword.lda.txt --to mallet -o x --json").stdout);
    assert_eq!(report["written"][1], "x.doc-topics.txt");
    let keys = w.text("x.keys.txt");
    assert_eq!(keys.lines().count(), 4);
    let fields: Vec<&str> = keys.lines().next().unwrap().split('\t').collect();
    assert_eq!((fields.len(), fields[0]), (3, "0"));
    assert!(fields[1].parse::<f64>().unwrap() > 0.0);
    assert_eq!(fields[2].split_whitespace().count(), 20);
    let documents = w.text("x.doc-topics.txt");
    let fields: Vec<&str> = documents.lines().nth(2).unwrap().split('\t').collect();
    assert_eq!((fields.len(), fields[0], fields[1]), (6, "2", "3"));
    let total: f64 = fields[2..].iter().map(|s| s.parse::<f64>().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9);
}

#[test]
fn tables_matrices_and_json_hold_topics_and_documents() {
    let w = fitted();
    w.must("export m.svtd docword.lda.txt --to csv -o c");
    w.must("export m.svtd docword.lda.txt --to npy -o n");
    let whole = json(&w.must("export m.svtd docword.lda.txt --to json").stdout);
    assert!(w.text("c.topics.csv").starts_with("topic,share,alpha,words\n1,0."));
    let by_word = read_csv(&w.text("c.topic-words.csv").replace("\"one,two\"", "w"), 1);
    assert_eq!(by_word.len(), N_WORDS);
    let (shape, by_topic) = read_npy(&w.read("n.topic-word.npy"));
    assert_eq!(shape, format!("4, {N_WORDS}"));
    assert_eq!(by_word[5][2], by_topic[2 * N_WORDS + 5]);
    assert_eq!(numbers(&whole["topic_word"][2])[5], by_topic[2 * N_WORDS + 5]);
    let (shape, mixtures) = read_npy(&w.read("n.document-topic.npy"));
    assert_eq!(shape, "400, 4");
    assert_eq!(read_csv(&w.text("c.documents.csv"), 1).concat(), mixtures);
    assert_eq!(numbers(&whole["documents"][9]["mixture"]), mixtures[36..40]);
    assert_eq!(w.text("n.vocab.txt").lines().count(), N_WORDS);
    assert_eq!(w.text("n.documents.txt").lines().last(), Some("400"));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables_appear_whole() {
    let w = fitted();
    w.must("infer m.svtd docword.lda.txt -o t.parquet");
    w.must("export m.svtd docword.lda.txt --to parquet -o p");
    for name in ["t.parquet", "p.topics.parquet", "p.topic-words.parquet", "p.documents.parquet"] {
        let bytes = w.read(name);
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    assert_eq!(w.read("t.parquet"), w.read("p.documents.parquet"));
}

#[test]
fn an_export_in_the_way_of_a_file_writes_nothing() {
    let w = fitted();
    w.write("c.topic-words.csv", b"mine");
    let before = w.names();
    let refused = w.svtd("export m.svtd docword.lda.txt --to csv -o c");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(w.names(), before);
    for line in [
        "export m.svtd",
        "export m.svtd --to csv",
        "export m.svtd -o x",
        "export m.svtd docword.lda.txt --topic-word t.npy",
    ] {
        assert_eq!(w.svtd(line).code, Some(2), "{line}");
    }
}

#[test]
fn what_is_known_of_each_topic_has_its_standing_and_what_it_is_made_of() {
    let w = Workspace::with_single_topics();
    w.must("fit docword.one.txt -k 4 --model single-topic --splits 3 -o one.svtd");
    w.must("export one.svtd --trust trust.csv");
    let table = w.text("trust.csv");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let listed = json(&w.must("topics one.svtd --json").stdout);
    for (j, row) in lines.enumerate() {
        let topic = &listed["topics"][j];
        assert_eq!(row[place("topic")], (j + 1).to_string());
        assert_eq!(row[place("n_splits")], "3.0");
        assert_eq!(row[place("standing")], topic["standing"].as_str().unwrap());
        assert_eq!(
            row[place("found_again")],
            format!("{:?}", topic["found_again"].as_f64().unwrap())
        );
        assert!(row[place("by_chance")].parse::<f64>().unwrap() < 5.0, "{row:?}");
    }
}
