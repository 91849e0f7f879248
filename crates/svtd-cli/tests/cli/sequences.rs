//! Hidden Markov models and Gaussian mixtures on the command line.

use serde_json::Value;

use crate::workspace::Workspace;

/// A number between 0 and 1 that follows from its place.
fn wave(i: usize) -> f64 {
    let x = (i as f64 * 12.9898).sin() * 43758.5453;
    x - x.floor()
}

/// Visits of thirty patients, well or ill in turns, some not written down.
fn visits() -> String {
    let mut text = "patient,visit,status\n".to_owned();
    for p in 0..30 {
        for t in 0..12 {
            let ill = ((t + p) / 5) % 2 == 1;
            let status = match (ill, wave(p * 40 + t)) {
                (_, x) if x < 0.05 => "",
                (true, x) if x > 0.2 => "ill",
                (false, x) if x > 0.2 => "well",
                _ => "tired",
            };
            text += &format!("p{p},{t},{status}\n");
        }
    }
    text
}

/// Points around three centres, with an empty cell.
fn points() -> String {
    let mut text = "height,width,count\n".to_owned();
    for i in 0..180 {
        let centre = [(0.0, 0.0), (6.0, 1.0), (-5.0, 7.0)][i % 3];
        let noise = |j: usize| wave(7 * i + j) + wave(7 * i + j + 3) - 1.0;
        let width = if i == 10 { String::new() } else { format!("{}", centre.1 + noise(1)) };
        text += &format!("{},{width},{}\n", centre.0 + noise(0), 1 + i % 2);
    }
    text
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_hidden_markov_model_is_fitted_asked_swept_and_drawn_from() {
    let w = Workspace::new();
    w.write("visits.csv", visits().as_bytes());
    let columns = "--sequence-column patient --order-column visit --value-column status";
    let ran = w.must(&format!("fit visits.csv --model hmm -k 2 {columns} -o m.svtd --json"));
    let fit = json(&ran.stdout);
    assert_eq!(fit["n_states"], 2);
    assert!(fit["log_likelihood"].as_f64().unwrap() < 0.0);
    assert_eq!(fit["states"].as_array().unwrap().len(), 2);
    assert_eq!(fit["emission_law"], "categorical");
    assert_eq!(fit["emissions"][0]["variable"], "status");
    let ahead = w.must("infer m.svtd visits.csv --forecast 2").stdout;
    let head = "sequence,ahead,state1,state2,status ill,status tired,status well\np0,1,";
    assert!(ahead.starts_with(head), "{ahead:.90}");
    assert_eq!(ahead.lines().count(), 61);
    for line in ahead.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').skip(2).map(|x| x.parse().unwrap()).collect();
        assert!((numbers[..2].iter().sum::<f64>() - 1.0).abs() < 1e-9, "{line}");
        assert!((numbers[2..].iter().sum::<f64>() - 1.0).abs() < 1e-9, "{line}");
    }
    let answers = w.must("infer m.svtd visits.csv").stdout;
    assert!(answers.starts_with("record,state,state1,state2\n1,"), "{answers:.80}");
    assert_eq!(answers.lines().count(), 361);
    let drawn = w.must("draw m.svtd -n 50 --seed 3").stdout;
    assert!(drawn.starts_with("patient,visit,status\n"), "{drawn:.60}");
    let swept = w.must(&format!("sweep visits.csv --model hmm -k 1..3 {columns}")).stdout;
    assert!(swept.contains("AIC3 asks for ") && swept.contains("BIC for 2"), "{swept}");
    let again = w.must(&format!("fit visits.csv --model hmm -k 2 {columns} --threads 1 -o n.svtd"));
    assert_eq!(again.code, Some(0));
    assert_eq!(w.read("m.svtd"), w.read("n.svtd"));
}

#[test]
fn before_a_fit_check_tells_of_sequences_and_points() {
    let w = Workspace::new();
    w.write("visits.csv", visits().as_bytes());
    w.write("points.csv", points().as_bytes());
    let columns = "--sequence-column patient --order-column visit --value-column status";
    let check = w.must(&format!("check visits.csv --model hmm {columns}")).stdout;
    assert!(check.contains("30 of 12 to 12 steps, 360 in all"), "{check}");
    assert!(check.contains("2 from one step to the next"), "{check}");
    // Two steps are too few to say anything about the states.
    w.write("short.csv", b"who,when,what\na,1,x\na,2,y\nb,1,x\nb,2,x\n");
    let short = "--sequence-column who --order-column when --value-column what";
    let check = w.must(&format!("check short.csv --model hmm -k 2 {short} --json")).stdout;
    let check = json(&check);
    assert_eq!(check["most_states"], 1);
    assert!(check["objection"].as_str().unwrap().contains("sequences of 2 steps"), "{check}");
    let check = w.must("check points.csv --model gaussian --items height,width -k 40").stdout;
    assert!(check.contains("180 of 2 variables; 1 values missing"), "{check}");
    assert!(check.contains("30 have no more parameters than there are records"), "{check}");
    assert!(check.contains("40 components have more parameters"), "{check}");
    let check =
        json(&w.must("check points.csv --model gaussian --items height,width --json").stdout);
    assert_eq!(check["first_guess"], 3, "{check}");
}

#[test]
fn a_mixture_is_fitted_with_weights_and_holes_and_asked() {
    let w = Workspace::new();
    w.write("points.csv", points().as_bytes());
    for covariance in ["full", "diagonal", "spherical", "tied"] {
        let ran = w.must(&format!(
            "fit points.csv --model gaussian -k 3 --covariance {covariance} --weight-column count \
             -o {covariance}.svtd --json"
        ));
        let fit = json(&ran.stdout);
        assert_eq!(fit["n_components"], 3, "{covariance}");
        assert_eq!(fit["covariance"], covariance);
        let answers = w.must(&format!("infer {covariance}.svtd points.csv")).stdout;
        let groups: Vec<&str> =
            answers.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
        for i in 3..180 {
            assert_eq!(groups[i], groups[i % 3], "{covariance} {i}");
        }
    }
    let compared = w.must("diff full.svtd diagonal.svtd").stdout;
    assert!(compared.contains("distance"), "{compared}");
    let chosen =
        w.must("fit points.csv --model gaussian -k auto --items height,width --json").stdout;
    assert!(json(&chosen)["n_components"].as_u64().unwrap() >= 3);
}

#[test]
fn bad_tables_are_refused_in_one_sentence() {
    let w = Workspace::new();
    w.write("twice.csv", b"who,when,what\na,1,x\na,1,y\nb,1,x\nb,2,y\n");
    w.write("alone.csv", b"who,when,what\na,1,x\nb,1,y\nc,1,x\n");
    w.write("one.csv", b"who,when,what\na,1,x\na,2,x\nb,1,x\nb,2,x\n");
    w.write("constant.csv", b"a,b\n1,2\n3,2\n5,2\n6,2\n");
    w.write("text.csv", b"a,b\n1,2\n3,red\n5,2\n6,2\n");
    let columns = "--sequence-column who --order-column when --value-column what";
    let cases = [
        (
            format!("fit twice.csv --model hmm -k 2 {columns}"),
            "sequence a has two steps with when 1",
        ),
        (format!("fit alone.csv --model hmm -k 2 {columns}"), "every sequence has length 1"),
        (format!("fit one.csv --model hmm -k 2 {columns}"), "has one category only"),
        ("fit constant.csv --model gaussian -k 2".to_owned(), "variable b is 2 in every record"),
        ("fit text.csv --model gaussian -k 2".to_owned(), "red"),
        ("fit one.csv --model hmm -k 2 --value-column missing".to_owned(), "missing"),
    ];
    for (line, sentence) in cases {
        let ran = w.svtd(&line);
        assert_ne!(ran.code, Some(0), "{line}");
        assert!(ran.stderr.contains(sentence), "{line}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    assert_eq!(w.names().iter().filter(|name| name.ends_with(".svtd")).count(), 0);
}
