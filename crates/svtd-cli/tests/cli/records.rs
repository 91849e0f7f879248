//! Models of records on the command line: classes and raters, from a table to answers.

use std::fmt::Write;

use crate::workspace::Workspace;

/// A survey of two kinds of people with some missing answers; a fixed sequence of small numbers.
fn survey(n: usize) -> String {
    let mut text = "id,q1,q2,q3,q4,q5,w\n".to_owned();
    let mut state = 7_u64;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    for record in 0..n {
        let yes = if uniform() < 0.4 { 0.85 } else { 0.15 };
        write!(text, "{record}").unwrap();
        for _ in 0..5 {
            let answer = if uniform() < yes { "yes" } else { "no" };
            let cell = if uniform() < 0.1 { "NA" } else { answer };
            write!(text, ",{cell}").unwrap();
        }
        text.push_str(",1\n");
    }
    text
}

const ITEMS: &str = "--items q1,q2,q3,q4,q5";

fn with_survey() -> Workspace {
    let w = Workspace::new();
    w.write("survey.csv", survey(400).as_bytes());
    w
}

#[test]
fn classes_are_learned_saved_shown_and_asked() {
    let w = with_survey();
    let fit = w.must(&format!("fit survey.csv --model classes -k 2 {ITEMS} -o survey.svtd"));
    assert!(fit.stdout.starts_with("classes: the share of every class"), "{}", fit.stdout);
    assert!(fit.stderr.contains("starts               3 of 3 reached"), "{}", fit.stderr);
    let shown = w.must("classes survey.svtd");
    assert!(shown.stdout.contains("q1") && shown.stdout.contains("log-likelihood"));
    let inferred = w.must("infer survey.svtd survey.csv --quiet").stdout;
    assert!(inferred.starts_with("record,class,class1,class2\n1,"), "{inferred}");
    assert_eq!(inferred.lines().count(), 401);
    let judged = w.must("evaluate survey.svtd survey.csv --json").stdout;
    assert!(judged.contains("log_likelihood_per_record"));
    let why = w.must("show survey.svtd survey.csv -d 3").stdout;
    assert!(why.contains("pulls") && why.contains("q5"), "{why}");
    let same = w.must("diff survey.svtd survey.svtd --json").stdout;
    assert!(same.contains("\"distance\": 0.0"), "{same}");
}

#[test]
fn a_fit_as_json_has_the_log_likelihood_and_is_the_same_on_any_number_of_threads() {
    let w = with_survey();
    let fit = format!("fit survey.csv --model classes -k 2 {ITEMS} --prior 0 --json --quiet");
    let one = w.must(&format!("{fit} --threads 1")).stdout;
    assert_eq!(one, w.must(&format!("{fit} --threads 3")).stdout);
    let value: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert!(value["log_likelihood"].as_f64().unwrap() < -500.0);
    assert_eq!(value["n_classes"], 2);
    assert_eq!(value["options"]["prior"], 0.0);
}

#[test]
fn a_model_file_is_the_same_bytes_for_records_in_any_order() {
    let w = with_survey();
    let text = survey(400);
    let (head, rows) = text.split_once('\n').unwrap();
    let turned: Vec<&str> = rows.lines().rev().collect();
    w.write("turned.csv", format!("{head}\n{}\n", turned.join("\n")).as_bytes());
    let fit = |name: &str| {
        w.must(&format!("fit {name} --model classes -k 2 {ITEMS} -o {name}.svtd -q"));
        w.read(&format!("{name}.svtd"))
    };
    assert!(fit("survey.csv") == fit("turned.csv"));
}

#[test]
fn json_lines_are_read_and_columns_that_name_records_left_out() {
    let w = with_survey();
    let text = survey(400);
    let mut lines = String::new();
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let answers = (1..=5).filter(|&q| cells[q] != "NA");
        let pairs: Vec<String> = answers.map(|q| format!("\"q{q}\": \"{}\"", cells[q])).collect();
        writeln!(lines, "{{\"id\": {}, \"empty\": null, {}}}", cells[0], pairs.join(", ")).unwrap();
    }
    w.write("survey.jsonl", lines.as_bytes());
    let fit = |call: &str| {
        let ran = w.must(&format!("fit {call} --model classes -k 2 --json"));
        let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        (value["log_likelihood"].clone(), ran.stderr)
    };
    let (objects, said) = fit("survey.jsonl");
    assert!(said.contains("\"id\" has a different value in every record"), "{said}");
    assert_eq!(objects, fit(&format!("survey.csv {ITEMS}")).0);
    let (_, said) = fit("survey.csv --items id,q1,q2,q3");
    assert!(!said.contains("names them"), "{said}");
}

#[test]
fn an_answer_that_hardly_anybody_gave_has_no_error() {
    let w = Workspace::new();
    let mut text = "a,b,c\n".to_owned();
    for i in 0..120 {
        let kind = i % 2 == 0;
        let slip = |every: usize| if (i % every == 0) == kind { "yes" } else { "no" };
        // Of the first kind everybody says yes to a.
        let a = if kind { "yes" } else { slip(7) };
        writeln!(text, "{a},{},{}", slip(9), slip(11)).unwrap();
    }
    w.write("sure.csv", text.as_bytes());
    let json = w.must("fit sure.csv --model classes -k 2 --json -q").stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let answers = value["answers"].as_array().unwrap();
    for row in answers {
        for j in 1..=2 {
            let p = row[format!("class{j}")].as_f64().unwrap();
            let error = &row[format!("error{j}")];
            // Sixty records of a class and one of the prior.
            let seen = 61.0 * p.min(1.0 - p);
            assert!(seen > 1.2 || error.as_f64().is_none(), "{row}");
            assert!(seen < 0.8 || error.as_f64().is_some(), "{row}");
        }
    }
}

#[test]
fn the_data_choose_sweep_compares_and_check_warns() {
    let w = with_survey();
    let chosen =
        w.must(&format!("fit survey.csv --model classes -k auto {ITEMS} --json -q")).stdout;
    let value: serde_json::Value = serde_json::from_str(&chosen).unwrap();
    assert_eq!(value["n_classes"], 2);
    // The items, and how much information each has about the class.
    assert_eq!(value["items"][0]["name"], "q1");
    assert_eq!(value["items"][0]["type"], "categorical");
    assert_eq!(value["information"].as_array().unwrap().len(), 5);
    // Both classes come back in halves of the records.
    assert_eq!(value["classes"][0]["standing"], "reproduces", "{}", value["classes"]);
    assert_eq!(value["classes"][1]["standing"], "reproduces");
    let swept = w.must(&format!("sweep survey.csv --model classes -k 1..3 {ITEMS}")).stdout;
    assert!(swept.contains("AIC3 asks for 2 classes"), "{swept}");
    let check = w.must(&format!("check survey.csv --model classes -k 9 {ITEMS}")).stdout;
    assert!(check.contains("up to 4 classes for sure"), "{check}");
    assert!(check.contains("9 classes are more than these items identify"), "{check}");
}

#[test]
fn tables_of_patterns_weigh_as_much_as_the_records_they_count() {
    let w = Workspace::new();
    let patterns = [("yes,yes,yes", 30), ("yes,yes,no", 6), ("no,no,no", 40), ("no,yes,no", 5)];
    let mut long = "a,b,c\n".to_owned();
    let mut short = "a,b,c,n\n".to_owned();
    for (answers, n) in patterns {
        long.push_str(&format!("{answers}\n").repeat(n));
        writeln!(short, "{answers},{n}").unwrap();
    }
    w.write("long.csv", long.as_bytes());
    w.write("short.csv", short.as_bytes());
    let fit = |call: &str| {
        let json = w.must(&format!("fit {call} --model classes -k 2 --json -q")).stdout;
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        (value["log_likelihood"].clone(), value["answers"].clone())
    };
    assert_eq!(fit("long.csv"), fit("short.csv --weight-column n"));
}

#[test]
fn tables_are_exported_and_records_drawn() {
    let w = with_survey();
    w.must(&format!("fit survey.csv --model classes -k 2 {ITEMS} -o m.svtd -q"));
    w.must("export m.svtd survey.csv --to csv -o out");
    assert!(w.text("out.answers.csv").starts_with("item,answer,class1,error1,class2,error2\n"));
    assert!(w.text("out.records.csv").starts_with("record,class,"));
    let drawn = w.must("draw m.svtd -n 50 --seed 3").stdout;
    assert_eq!(drawn, w.must("draw m.svtd -n 50 --seed 3").stdout);
    assert_eq!(drawn.lines().count(), 51);
    assert!(drawn.starts_with("q1,q2,q3,q4,q5\n"));
}

#[test]
fn raters_are_learned_from_a_long_table() {
    let w = Workspace::new();
    let mut text = "item,rater,label\n".to_owned();
    for item in 0..60 {
        let truth = ["cat", "dog"][item % 2];
        for (at, rater) in ["ann", "bob", "cleo"].into_iter().enumerate() {
            let slip = (item * 7 + at * 3) % [31, 11, 3][at] == 0;
            let other = ["dog", "cat"][item % 2];
            writeln!(text, "{item},{rater},{}", if slip { other } else { truth }).unwrap();
        }
    }
    w.write("ratings.csv", text.as_bytes());
    let fit = w.must("fit ratings.csv --model raters -o raters.svtd --json -q").stdout;
    let value: serde_json::Value = serde_json::from_str(&fit).unwrap();
    let accuracy = |r: usize| value["raters"][r]["accuracy"].as_f64().unwrap();
    assert!(accuracy(0) > accuracy(1) && accuracy(1) > accuracy(2), "{value}");
    for k in ["3", "auto"] {
        let asked = w.svtd(&format!("fit ratings.csv --model raters -k {k} -q"));
        assert_eq!(asked.code, Some(2), "{asked:?}");
        assert!(asked.stderr.contains("or 2, the number of different labels"), "{asked:?}");
    }
    w.must("fit ratings.csv --model raters -k 2 -q");
    let same = w.must("diff raters.svtd raters.svtd --json").stdout;
    assert!(same.contains("\"distance\": 0.0") && same.contains("cleo"), "{same}");
    let beyond = w.svtd("show raters.svtd ratings.csv -d 61 -q");
    assert!(beyond.code == Some(1) && beyond.stderr.contains("60 items are rated"), "{beyond:?}");
    let truth = w.must("infer raters.svtd ratings.csv -q").stdout;
    assert!(truth.starts_with("item,label,cat,dog\n0,"), "{truth}");
    // Two of three slip on the first item; on the next two nobody does.
    assert!(truth.contains("\n1,dog,") && truth.contains("\n2,cat,"), "{truth}");
}

#[test]
fn bad_records_are_refused_in_one_sentence() {
    let w = with_survey();
    w.write("constant.csv", b"a,b\n1,x\n1,x\n");
    w.write("infinite.csv", b"a,b\n1.5,x\ninf,y\n2.5,x\n");
    w.write("missing.csv", b"a,b\nNA,\n,NA\n");
    w.write("weights.csv", b"a,b,w\n1,x,1\n2,y,-1\n");
    w.write("zero.csv", b"a,b,w\n1,x,0\n2,y,0\n");
    w.write("short.csv", b"a,b\n1,x\n2\n");
    w.write("huge.csv", b"a,b,w\n1,x,1e300\n2,y,1\n");
    w.write("far.csv", b"a,b\n1,2\n1e200,3\n4,5\n");
    w.write("tiny.csv", b"a,b\n1e-300,2\n2e-300,3\n3e-300,5\n");
    w.write("offset.csv", b"a,b\n1000000000000001,2\n1000000000000002,3\n1000000000000003,5\n");
    w.write("negative.csv", b"v\n4\n-3\n5\n");
    w.write("order.csv", b"t,v\n1,a\nx,b\n3,a\n");
    w.write("dates.csv", b"t,v\n1/10/2026,a\n2/10/2026,b\n");
    w.write("zeros.csv", b"a,b\n0,0\n0,0\n0,0\n");
    w.write("twins.csv", b"q1,q2,q1\n1,2,3\n4,5,7\n6,1,2\n");
    w.write("twins.jsonl", b"{\"q1\": 1}\n{\"q1\": 1, \"q2\": 2, \"q1\": 3}\n");
    w.write("table.xlsx", b"PK\x03\x04 and so on");
    w.write("strange.csv", b"q1,q2,q3,q4,q5\nperhaps,no,no,no,no\n");
    w.must(&format!("fit survey.csv --model classes -k 2 {ITEMS} -o m.svtd -q"));
    let cases = [
        ("fit constant.csv --model classes -k 2", 1, "no item has two different answers"),
        ("fit infinite.csv --model classes -k 2", 1, "expected a finite number, found \"inf\""),
        ("fit missing.csv --model classes -k 2", 1, "every answer of every record is missing"),
        ("fit weights.csv --model classes -k 2 --weight-column w", 1, "a weight of at least 0"),
        ("fit zero.csv --model classes -k 2 --weight-column w", 1, "every weight"),
        ("fit short.csv --model classes -k 2", 1, "line 3: expected 2 cells"),
        ("fit survey.csv --model classes -k 2 --items q1,q9", 1, "there is no column \"q9\""),
        ("fit survey.csv --model classes -k 999 --items q1,q2,q3", 1, "999 classes asked of"),
        ("fit survey.csv --model classes -k 2 --alpha0 1", 2, "--alpha0 is for models of topics"),
        (
            "fit survey.csv --model classes -k 2 --report page.html",
            2,
            "--report is for models of topics",
        ),
        (
            "fit survey.csv --model classes -k 2 --checkpoint c",
            2,
            "--checkpoint is for models of topics",
        ),
        ("fit survey.csv --model classes -k 2 --covariance full", 2, "another model of records"),
        (
            "fit survey.csv --model classes -k 2 --encoding latin-1",
            2,
            "--encoding is for models of topics",
        ),
        ("fit huge.csv --model classes -k 2 --weight-column w", 1, "a weight of at most 1e15"),
        ("fit far.csv --model gaussian -k 2", 1, "the value 1.00e200 for variable a, too large"),
        ("fit tiny.csv --model gaussian -k 2", 1, "variable a, from 1.00e-300 to 3.00e-300, are"),
        ("fit offset.csv --model gaussian -k 2", 1, "rounding errors beside their mean of 1.00e15"),
        ("fit zeros.csv --model gaussian -k 2", 1, "variable a is 0 in every record"),
        (
            "fit negative.csv --model hmm -k 2 --emissions poisson",
            1,
            "step 2 has -3 for variable v",
        ),
        ("fit order.csv --model hmm -k 2 --order-column t", 1, "row 2: expected a number"),
        ("fit dates.csv --model hmm -k 2 --order-column t", 1, "write dates year first"),
        ("fit zeros.csv --model hmm -k 2 --emissions multinomial", 1, "every count is 0"),
        ("fit zeros.csv --model hmm -k 2 --value-column a,a", 1, "named twice"),
        ("fit zeros.csv --model gaussian -k 2 --items a,a", 1, "named twice"),
        ("fit survey.csv --model classes -k 2 --items q1,q1", 1, "named twice"),
        ("fit twins.csv --model classes -k 2", 1, "columns 1 and 3 are both named \"q1\"; rename"),
        ("check twins.csv --model gaussian", 1, "columns 1 and 3 are both named \"q1\"; rename"),
        (
            "fit twins.jsonl --model classes -k 2",
            1,
            "object 2: members 1 and 3 are both named \"q1\"; rename one",
        ),
        ("fit table.xlsx --model classes -k 2", 1, "save the table as CSV"),
        ("fit survey.csv --model classes -k 2 --prior -1", 2, "a number of at least 0"),
        ("fit survey.csv -k 2 --items q1", 2, "--items is for --model classes"),
        ("fit survey.csv --model raters", 1, "there is no column \"item\""),
        ("infer m.svtd strange.csv", 1, "expected an answer seen in the fit (no, yes)"),
        ("infer m.svtd constant.csv", 1, "there is no column \"q1\""),
    ];
    for (call, code, said) in cases {
        let ran = w.svtd(&format!("{call} --quiet"));
        assert_eq!(ran.code, Some(code), "{call}: {ran:?}");
        assert!(ran.stderr.contains(said), "{call}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{call}: {}", ran.stderr);
    }
}
