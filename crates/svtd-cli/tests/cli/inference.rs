//! What a model says about documents, wherever they stand.

use crate::workspace::{N_WORDS, Workspace, docword, mixtures, read_csv, read_npy, vocabulary};

/// The lines of a CSV without the document's name, which depends on the file.
fn answers(csv: &str) -> Vec<String> {
    let after_name = |line: &str| line.split_once(',').unwrap().1.to_owned();
    csv.lines().skip(1).map(after_name).collect()
}

#[test]
fn a_document_gets_the_same_bits_in_any_company() {
    let w = Workspace::with_mixtures();
    w.write("vocab.some.txt", vocabulary(N_WORDS).as_bytes());
    let some: Vec<usize> = (0..400).filter(|d| d % 7 == 3).collect();
    w.write("docword.some.txt", docword(&mixtures().subset(&some)).as_bytes());
    w.must("fit docword.lda.txt -k 4 -o lda.svtd");
    w.must("fit docword.lda.txt -k 4 --model single-topic -o one.svtd");
    for model in ["lda.svtd", "one.svtd", "lda.svtd --gibbs --seed 2"] {
        let infer = |input: &str| {
            let (model, flags) = model.split_once(' ').unwrap_or((model, ""));
            answers(&w.must(&format!("infer {model} {input} {flags}")).stdout)
        };
        let (all, few) = (infer("docword.lda.txt"), infer("docword.some.txt"));
        assert_eq!(all.len(), 400);
        let picked: Vec<String> = some.iter().map(|&d| all[d].clone()).collect();
        assert_eq!(picked, few, "{model}");
    }
}

#[test]
fn csv_npy_json_and_stdout_agree() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let stdout = w.must("infer m.svtd docword.lda.txt").stdout;
    w.must("infer m.svtd docword.lda.txt -o mixtures.csv");
    w.must("infer m.svtd docword.lda.txt -o mixtures.npy");
    let json = w.must("infer m.svtd docword.lda.txt --json").stdout;
    assert!(stdout.starts_with("document,topic1,topic2,topic3,topic4\n1,"), "{stdout:.80}");
    assert_eq!(w.text("mixtures.csv"), stdout);
    let rows = read_csv(&stdout, 1);
    for row in &rows {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(row.iter().all(|share| *share >= 0.0));
    }
    let (shape, numbers) = read_npy(&w.read("mixtures.npy"));
    assert_eq!(shape, "400, 4");
    assert_eq!(rows.concat(), numbers);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let last = &json["documents"][399];
    assert_eq!(last["document"], "400");
    let mixture: Vec<f64> =
        last["mixture"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect();
    assert_eq!(mixture, rows[399]);
}

#[test]
fn unknown_words_are_passed_over_and_counted() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.write("new.txt", b"3\n2\n3\n1 1 5\n2 2 4\n1 2 1\n");
    w.write("words.txt", b"word7\nunheard\n");
    let ran = w.must("infer m.svtd new.txt --vocab words.txt");
    assert_eq!(ran.stdout.lines().count(), 4);
    assert!(ran.stderr.contains("5 of 10 words are unknown"), "{}", ran.stderr);
    assert!(ran.stderr.contains("without a known word"), "{}", ran.stderr);
    assert_eq!(w.must("infer m.svtd new.txt --vocab words.txt -q").stderr, "");
}

#[test]
fn dice_follow_the_seed() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    let infer = |flags| w.must(&format!("infer m.svtd docword.lda.txt {flags}")).stdout;
    assert!(infer("--gibbs --seed 1") == infer("--gibbs --seed 1"));
    assert!(infer("--gibbs --seed 1") != infer("--gibbs --seed 2"));
    assert!(infer("--seed 1") == infer("--seed 2"));
    assert!(infer("--gibbs") == infer("--gibbs --seed 0"));
}

#[test]
fn more_documents_than_are_answered_at_a_time_are_all_there_in_their_order() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    w.write("vocab.many.txt", vocabulary(N_WORDS).as_bytes());
    let again: Vec<usize> = (0..9_000).map(|d| d * 7 % 400).collect();
    w.write("docword.many.txt", docword(&mixtures().subset(&again)).as_bytes());
    let once = answers(&w.must("infer m.svtd docword.lda.txt").stdout);
    let many = answers(&w.must("infer m.svtd docword.many.txt").stdout);
    assert_eq!(many.len(), again.len());
    assert!(many.iter().zip(&again).all(|(answer, &d)| *answer == once[d]));
    let long = |input: &str| answers(&w.must(&format!("infer m.svtd {input} --top 2")).stdout);
    let (once, many) = (long("docword.lda.txt"), long("docword.many.txt"));
    assert!(many.chunks(2).zip(&again).all(|(rows, &d)| rows == &once[2 * d..2 * d + 2]));
    w.must("infer m.svtd docword.many.txt -o many.npy");
    assert_eq!(read_npy(&w.read("many.npy")).0, "9000, 4");
}
