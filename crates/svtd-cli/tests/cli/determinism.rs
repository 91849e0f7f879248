//! The same bits, whatever the number of threads and the run.

use crate::workspace::Workspace;

fn all_model_files_are_equal(w: &Workspace, fit: &str) {
    w.must(&format!("{fit} --threads 1 -o first.svtd"));
    let first = w.read("first.svtd");
    for threads in ["1", "2", "3", "8", "0"] {
        w.must(&format!("{fit} --threads {threads} -o again.svtd --force"));
        assert!(w.read("again.svtd") == first, "{fit} --threads {threads}");
    }
}

#[test]
fn an_lda_model_file_does_not_depend_on_threads() {
    let w = Workspace::with_mixtures();
    all_model_files_are_equal(&w, "fit docword.lda.txt -k 4");
    // Whatever `auto` chose, passes of collapsed variational Bayes are compared too.
    let w = Workspace::with_mixtures();
    all_model_files_are_equal(&w, "fit docword.lda.txt -k 4 --polish 5");
}

#[test]
fn a_single_topic_model_file_does_not_depend_on_threads() {
    let w = Workspace::with_single_topics();
    all_model_files_are_equal(&w, "fit docword.one.txt -k 4 --model single-topic");
}

#[test]
fn the_papers_model_file_does_not_depend_on_threads() {
    let w = Workspace::with_mixtures();
    all_model_files_are_equal(&w, "fit docword.lda.txt -k 4 --paper");
    let w = Workspace::with_single_topics();
    all_model_files_are_equal(&w, "fit docword.one.txt -k 4 --paper --model single-topic");
}

#[test]
fn work_that_threads_really_share_gives_the_same_bits() {
    let w = Workspace::with_many_documents_and_words();
    for model in ["--polish 3", "--model single-topic --polish 3", "--paper"] {
        let fit = |t| w.must(&format!("fit docword.wide.txt -k 3 {model} --threads {t} -o {t}"));
        for threads in [1, 2, 3, 8] {
            fit(threads);
            assert!(w.read(&threads.to_string()) == w.read("1"), "{model} {threads}");
        }
        for threads in [1, 2, 3, 8] {
            std::fs::remove_file(w.path(&threads.to_string())).unwrap();
        }
    }
}

#[test]
fn drawn_words_follow_the_seed_and_nothing_else() {
    let w = Workspace::with_mixtures();
    let fit = "fit docword.lda.txt -k 2 --weights three-words --seed 5";
    all_model_files_are_equal(&w, fit);
    w.must("fit docword.lda.txt -k 2 --weights three-words --seed 6 -o other.svtd");
    assert!(w.read("other.svtd") != w.read("first.svtd"));
}

#[test]
fn inference_does_not_depend_on_threads() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 4 -o m.svtd");
    for dice in ["", "--gibbs --seed 3"] {
        let infer = |t| w.must(&format!("infer m.svtd docword.lda.txt --threads {t} {dice}"));
        let first = infer(1).stdout;
        for threads in [2, 3, 8] {
            assert!(infer(threads).stdout == first, "{threads} {dice}");
        }
    }
}
