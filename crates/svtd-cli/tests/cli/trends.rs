//! `svtd trends`: topics over time.

use serde_json::Value;

use crate::workspace::Workspace;

/// Posts of ten years: the sea goes, bread comes, and from 2005 on ships have engines instead of sails.
fn posts() -> Workspace {
    let w = Workspace::new();
    let mut table = "id,year,author,text\n".to_owned();
    for i in 0..200 {
        let year = 2000 + i % 10;
        let sea = (i * 7 + i / 10) % 10 >= i % 10;
        let ship = if year < 2005 { "sail" } else { "engine" };
        let text = match sea {
            true => format!("ship {ship} {ship} sea wind harbour {ship} ship captain sea"),
            false => "bread oven flour salt bread oven baker flour yeast".to_owned(),
        };
        let author = ["ann", "bob"][(i / 10) % 2];
        table += &format!("p{i},{year},{author},{text}\n");
    }
    table += "p200,,ann,ship sea wind\np201,soon,ann,ship sea wind\n";
    w.write("posts.csv", table.as_bytes());
    w.must("fit posts.csv -k 2 --model single-topic --language english --no-trust -q -o m.svtd");
    w
}

#[test]
fn shares_fall_and_rise_with_the_years_and_words_move() {
    let w = posts();
    let trends = w.must("trends m.svtd posts.csv --time year --every 1y --by author --json").stdout;
    let trends: Value = serde_json::from_str(&trends).unwrap();
    assert_eq!(trends["periods"].as_array().unwrap().len(), 10);
    assert_eq!(trends["groups"], serde_json::json!(["ann", "bob"]));
    assert_eq!(trends["left_out"], 2);
    let topics = trends["topics"].as_array().unwrap();
    let sea = topics.iter().find(|t| t["words"].to_string().contains("ship")).unwrap();
    let shares = sea["shares"].as_array().unwrap();
    let of = |period: &str, group: Value| {
        let found = shares.iter().find(|s| s["period"] == period && s["group"] == group).unwrap();
        assert!(found["low"].as_f64() <= found["share"].as_f64());
        assert!(found["share"].as_f64() <= found["high"].as_f64());
        found["share"].as_f64().unwrap()
    };
    assert!(of("2000", Value::Null) > 0.9 && of("2009", Value::Null) < 0.3);
    assert!(of("2000", "ann".into()) > 0.9);
    let moved = sea["moved"].as_array().unwrap();
    let in_2001 = moved.iter().find(|m| m["period"] == "2001").unwrap();
    assert_eq!(in_2001["gained"][0]["word"], "sail", "{in_2001}");
    assert_eq!(in_2001["lost"][0]["word"], "engine", "{in_2001}");
}

#[test]
fn the_screen_the_tables_and_one_topic() {
    let w = posts();
    let line = "trends m.svtd posts.csv --time year --every 2y -o s.csv --words w.csv";
    let ran = w.must(line);
    assert!(ran.stdout.starts_with("5 periods of 2 years, 2000\u{2013}2001 to"), "{}", ran.stdout);
    assert!(ran.stderr.contains("documents left out, whose year is no time: 1 (soon)"));
    let shares = w.text("s.csv");
    assert!(shares.starts_with("period,group,topic,documents,share,low,high\n"), "{shares}");
    assert_eq!(shares.lines().count(), 11);
    assert!(w.text("w.csv").contains(",sail,"));
    let one = w.must("trends m.svtd posts.csv --time year --every 5y --topic 1").stdout;
    assert!(one.contains("topic 1: ") && one.contains(" documents"), "{one}");
    // The same from a corpus file that has kept the columns.
    w.must("count posts.csv --keep year --keep author --language english -o c.svtdc -q");
    let kept = w.must("trends m.svtd c.svtdc --time year --every 2y --json").stdout;
    let table = w.must("trends m.svtd posts.csv --time year --every 2y --json").stdout;
    assert_eq!(kept, table);
}

#[test]
fn what_cannot_be_told_is_refused_in_one_sentence() {
    let w = posts();
    w.write("plain.txt", b"ship sea\n");
    for (line, sentence) in [
        (
            "posts.csv --time author",
            "the column \"author\" holds no times, such as \"ann\"; expected",
        ),
        ("posts.csv --time mood", "mood"),
        ("posts.csv --time year --by text --topic 3", "--topic 3: the model has 2 topics"),
        ("posts.csv --time year --by id", "has 202 values, and at most 50 groups"),
        ("posts.csv --time year --every 3w", "such as 7d, 3m or 10y"),
        ("plain.txt --time year", "which has no columns"),
    ] {
        let refused = w.svtd(&format!("trends m.svtd {line}"));
        assert!(matches!(refused.code, Some(1 | 2)), "{line}");
        let failures = refused.stderr.lines().filter(|line| !line.starts_with("note: "));
        assert_eq!(failures.count(), 1, "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(sentence), "{line}: {}", refused.stderr);
    }
}
