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
