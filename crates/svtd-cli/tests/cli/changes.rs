//! Any sequence of `svtd add`, `remove` and `merge` ends with the corpus and the models of the documents that
//! are left, and a kill in the middle of it loses nothing.

#[cfg(unix)]
use std::process::Stdio;

use crate::workspace::Workspace;

const SUBJECTS: [&str; 3] = [
    "ship sail sea wind harbour captain deck anchor",
    "bread oven flour salt yeast baker dough crust",
    "rocket moon orbit launch star comet planet crater",
];

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn some(&mut self, n: usize) -> Vec<usize> {
        (0..n).map(|_| self.below(N_DOCUMENTS)).collect()
    }
}

const N_DOCUMENTS: usize = 90;

/// A document by its number, and which of its versions it is.
type Kept = (usize, usize);

fn row((document, version): Kept) -> String {
    let words: Vec<&str> = SUBJECTS[document % 3].split(' ').collect();
    let chosen: Vec<&str> =
        (0..14).map(|w| words[(document * 5 + w * w * 3 + w * document + version) % 8]).collect();
    format!("d{document},{}\n", chosen.join(" "))
}

fn table(documents: &[Kept]) -> String {
    documents.iter().fold("id,text\n".to_owned(), |all, &document| all + &row(document))
}

/// A folder in which the words and a model are settled.
fn settled() -> Workspace {
    let w = Workspace::new();
    w.write("words.txt", (SUBJECTS.join(" ").replace(' ', "\n") + "\n").as_bytes());
    let first: Vec<Kept> = (0..45).map(|d| (d, 0)).collect();
    w.write("first.csv", table(&first).as_bytes());
    count(&w, "first");
    w.must("fit first.svtdc -k 3 --model single-topic --no-trust -q -o single.svtd");
    w.must("fit first.svtdc -k 2 --no-trust --polish 4 -q -o lda.svtd");
    w
}

fn count(w: &Workspace, name: &str) {
    let line = format!("count {name}.csv --vocab words.txt --language english -q --force");
    w.must(&format!("{line} -o {name}.svtdc"));
}

#[test]
fn after_any_sequence_of_changes_corpus_and_models_are_those_of_the_final_set() {
    let w = settled();
    let mut numbers = Numbers(7);
    for sequence in 0..8 {
        let mut list: Vec<Kept> = (0..45).map(|d| (d, 0)).collect();
        w.write("living.svtdc", &w.read("first.svtdc"));
        for _ in 0..6 {
            let chosen = numbers.some(12);
            match numbers.below(3) {
                0 => {
                    let mut gone: Vec<Kept> =
                        list.iter().copied().filter(|(d, _)| chosen.contains(d)).collect();
                    gone.truncate(list.len() - 20);
                    if gone.is_empty() {
                        continue;
                    }
                    let names: String = gone.iter().map(|(d, _)| format!("d{d}\n")).collect();
                    w.write("gone.txt", names.as_bytes());
                    w.must("remove living.svtdc --documents gone.txt -q");
                    list.retain(|document| !gone.contains(document));
                }
                how => {
                    let version = numbers.below(2);
                    let new: Vec<Kept> = chosen.iter().map(|&d| (d, version)).collect();
                    w.write("new.csv", table(&new).as_bytes());
                    if how == 1 {
                        w.must("add living.svtdc new.csv --replace -q");
                    } else {
                        count(&w, "new");
                        let line = "merge living.svtdc new.svtdc --replace -q --force";
                        w.must(&format!("{line} -o merged.svtdc"));
                        w.write("living.svtdc", &w.read("merged.svtdc"));
                    }
                    for document in new {
                        if !list.contains(&document) {
                            list.retain(|(d, _)| *d != document.0);
                            list.push(document);
                        }
                    }
                }
            }
        }
        w.write("fresh.csv", table(&list).as_bytes());
        count(&w, "fresh");
        assert!(w.read("living.svtdc") == w.read("fresh.svtdc"), "sequence {sequence}");
        for corpus in ["living", "fresh"] {
            let end = format!("-q --force -o {corpus}");
            w.must(&format!("fit {corpus}.svtdc -k 3 --model single-topic --no-trust {end}.fit"));
            w.must(&format!("update single.svtd {corpus}.svtdc {end}.single"));
            w.must(&format!("update lda.svtd {corpus}.svtdc {end}.lda"));
        }
        for model in ["fit", "single", "lda"] {
            let [living, fresh] =
                ["living", "fresh"].map(|name| w.read(&format!("{name}.{model}")));
            assert!(living == fresh, "sequence {sequence}, {model}");
        }
    }
}

/// Killed at any moment, a file is the old one or the new one. `SVTD_KILLS` is how many kills there are.
#[cfg(unix)]
#[test]
fn a_killed_change_leaves_the_old_file_or_the_new_one() {
    let n_kills: u64 = std::env::var("SVTD_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let w = settled();
    let all: Vec<Kept> = (0..N_DOCUMENTS).map(|d| (d, 0)).collect();
    w.write("all.csv", table(&all).as_bytes());
    count(&w, "all");
    let names: String = (45..N_DOCUMENTS).map(|d| format!("d{d}\n")).collect();
    w.write("later.txt", names.as_bytes());
    w.must("update single.svtd all.svtdc -q -o updated.svtd");
    let changes = [
        ("add c.svtdc all.csv -q", "c.svtdc", "first.svtdc", "all.svtdc"),
        (
            "remove c.svtdc --documents later.txt --ignore-missing -q",
            "c.svtdc",
            "all.svtdc",
            "first.svtdc",
        ),
        (
            "update single.svtd all.svtdc -q --force -o m.svtd",
            "m.svtd",
            "single.svtd",
            "updated.svtd",
        ),
    ];
    // Kills are spread over the time that a change takes here and now.
    let lasting = changes.map(|(line, file, old, _)| {
        w.write(file, &w.read(old));
        let begin = std::time::Instant::now();
        w.must(line);
        begin.elapsed()
    });
    let mut seen = [[0_u32; 2]; 3];
    for round in 0..n_kills {
        let which = (round % 3) as usize;
        let (line, file, old, new) = changes[which];
        let (old, new) = (w.read(old), w.read(new));
        w.write(file, &old);
        let mut child =
            w.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(lasting[which] * (round / 3 % 24) as u32 / 20);
        // A child that has ended already cannot be killed.
        let _ = child.kill();
        child.wait().unwrap();
        let found = w.read(file);
        assert!(found == old || found == new, "round {round}: {line}");
        seen[which][usize::from(found == new)] += 1;
        // What was killed can be done again.
        w.must(line);
        assert!(w.read(file) == new, "round {round}: {line}");
    }
    println!("kills that left the old file and the new one: {seen:?}");
    assert!(seen.iter().all(|seen| seen[0] > 0), "{seen:?}");
}
