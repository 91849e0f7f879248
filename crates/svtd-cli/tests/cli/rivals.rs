//! The methods the paper compares with, from the command line.

use crate::workspace::Workspace;

const RIVALS: [&str; 4] = ["tensor-power", "eigenvectors", "singular-vectors", "als"];

#[test]
fn every_rival_fits_both_models_and_its_model_loads_again() {
    let w = Workspace::with_mixtures();
    for method in RIVALS {
        for model in ["lda", "single-topic"] {
            let line = format!("fit docword.lda.txt -k 3 --model {model} --method {method}");
            let fitted = w.must(&format!("{line} --seed 5 -o m.svtd --force"));
            let shown = w.must("topics m.svtd");
            assert_eq!(fitted.stdout, shown.stdout, "{method}, {model}");
        }
    }
}

#[test]
fn the_seed_of_a_rival_decides_every_byte() {
    let w = Workspace::with_mixtures();
    for method in RIVALS {
        let fit = |seed: u32, threads: u32| {
            w.must(&format!(
                "fit docword.lda.txt -k 4 --method {method} --polish none --seed {seed} --threads \
                 {threads} -o m.svtd --force"
            ));
            w.read("m.svtd")
        };
        assert!(fit(1, 1) == fit(1, 2), "{method}");
        assert!(fit(1, 1) != fit(2, 1), "{method}: the seed is in the model file");
    }
}

#[test]
fn the_classical_rivals_fit_their_own_model_and_are_stored_with_it() {
    let w = Workspace::with_mixtures();
    for (model, method, flags) in [
        ("single-topic", "em", "--restarts 3 --start kmeans++"),
        ("lda", "gibbs", "--burn-in 20 --samples 3 --eta 0.1 --alpha0 0.5"),
    ] {
        let fit = |seed: u32, threads: u32| {
            let ran = w.must(&format!(
                "fit docword.lda.txt -k 3 --model {model} --method {method} {flags} --seed {seed} \
                 --threads {threads} -o m.svtd --force"
            ));
            assert!(ran.stderr.contains("search  "), "{}", ran.stderr);
            assert!(!ran.stderr.contains("spectral gap"), "{}", ran.stderr);
            assert_eq!(ran.stdout, w.must("topics m.svtd").stdout, "{method}");
            w.read("m.svtd")
        };
        let first = fit(1, 1);
        assert!(first == fit(1, 2), "{method}: the number of threads decides nothing");
        assert!(first != fit(2, 1), "{method}: the seed is in the model file");
        let shown: serde_json::Value =
            serde_json::from_str(&w.must("topics m.svtd --json").stdout).unwrap();
        assert!(shown["options"]["learner"][method].is_object(), "{shown}");
        assert_eq!(shown["diagnostics"]["eigenvalues"], serde_json::json!([]));
        assert!(shown["diagnostics"]["off_diagonal"].is_null());
        assert!(shown["diagnostics"]["rival"][method].is_object());
        assert_eq!(w.svtd("infer m.svtd docword.lda.txt").code, Some(0));
    }
}

#[test]
fn flags_that_a_method_does_not_have_are_refused_in_one_sentence() {
    let w = Workspace::with_mixtures();
    for (flags, sentence) in [
        ("--method em", "--method em is for --model single-topic"),
        ("--method gibbs --model single-topic", "--method gibbs is for --model lda"),
        ("--restarts 3", "--restarts is for --method em"),
        ("--method gibbs --start random", "--start is for --method em"),
        ("--eta 0.1", "--eta is for --method gibbs"),
        ("--method gibbs --polish none", "--polish is about the moments"),
        ("--method em --model single-topic --paper", "--paper is about the moments"),
    ] {
        let ran = w.svtd(&format!("fit docword.lda.txt -k 3 {flags} -o no.svtd"));
        assert_eq!(ran.code, Some(2), "{flags}");
        assert!(ran.stderr.contains(sentence), "{flags}: {}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{flags}: {}", ran.stderr);
        assert!(!w.path("no.svtd").exists());
    }
    let ran = w.svtd("fit docword.lda.txt -k 900 --model single-topic --method em");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
}
