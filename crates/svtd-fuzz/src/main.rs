//! The plain driver: `svtd-fuzz [--seconds S] [--runs N] [--seed X] [TARGET...]`, or
//! `svtd-fuzz --input FILE TARGET` for one input, such as a finding.
//!
//! Mutates the seeds of each target for its share of the time (or that many runs) and calls the target
//! in this very process. A finding is written to `fuzz-findings/` and ends the run with exit code 1;
//! so does an input that takes longer than ten seconds. Without libFuzzer there is no guidance by
//! coverage; in exchange it runs wherever the tests do.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use svtd_fuzz::{FITTED, Mutator, TARGETS, Target};

/// An input that takes longer than this is a finding.
const SLOW: Duration = Duration::from_secs(10);

/// Number of inputs between checks of the time.
const STRETCH: u64 = 16;

/// What the last panic said.
static LAST: Mutex<String> = Mutex::new(String::new());

struct Asked {
    seconds: f64,
    runs: Option<u64>,
    seed: u64,
    input: Option<PathBuf>,
    targets: Vec<String>,
}

fn main() -> ExitCode {
    let asked = match arguments() {
        Ok(asked) => asked,
        Err(sentence) => {
            let _ = writeln!(io::stderr(), "svtd-fuzz: {sentence}");
            return ExitCode::from(2);
        }
    };
    let chosen: Vec<&Target> = TARGETS
        .iter()
        .filter(|target| asked.targets.is_empty() || asked.targets.iter().any(|t| t == target.name))
        .collect();
    // Readers catch the panics of crates they use, which are not findings: only uncaught panics are reported.
    panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    if let Some(path) = &asked.input {
        return match std::fs::read(path) {
            Ok(bytes) => {
                chosen.iter().for_each(|target| (target.run)(&bytes));
                ExitCode::SUCCESS
            }
            Err(error) => {
                let _ = writeln!(io::stderr(), "svtd-fuzz: {}: {error}", path.display());
                ExitCode::from(2)
            }
        };
    }
    let share = asked.seconds / chosen.len().max(1) as f64;
    let mut failed = false;
    for target in chosen {
        failed |= !run(target, &asked, share);
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn arguments() -> Result<Asked, String> {
    let mut asked = Asked { seconds: 60.0, runs: None, seed: 1, input: None, targets: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let wrong = |_| format!("{argument} needs a number");
        match argument.as_str() {
            "--seconds" => asked.seconds = value()?.parse().map_err(|_| wrong(()))?,
            "--runs" => asked.runs = Some(value()?.parse().map_err(|_| wrong(()))?),
            "--input" => asked.input = Some(value()?.into()),
            "--seed" => asked.seed = value()?.parse().map_err(|_| wrong(()))?,
            name if TARGETS.iter().any(|target| target.name == name) => {
                asked.targets.push(name.to_owned());
            }
            "readers" => {
                let readers = TARGETS.iter().filter(|target| target.is_reader);
                asked.targets.extend(readers.map(|target| target.name.to_owned()));
            }
            other => {
                let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                return Err(format!("{other} is none of readers, {}", names.join(", ")));
            }
        }
    }
    Ok(asked)
}

/// Runs one target; whether nothing was found.
fn run(target: &Target, asked: &Asked, seconds: f64) -> bool {
    let seeds = seeds(target.name);
    let mut mutator = Mutator::new(asked.seed);
    let began = Instant::now();
    let (mut n, mut good) = (0_u64, true);
    let under_way = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    watch(target.name, Arc::clone(&under_way));
    loop {
        let over = match asked.runs {
            Some(runs) => n >= runs,
            None => n.is_multiple_of(STRETCH) && began.elapsed().as_secs_f64() >= seconds,
        };
        if over {
            break;
        }
        let input = input(&mut mutator, &seeds, n);
        {
            let mut state = under_way.lock().unwrap_or_else(PoisonError::into_inner);
            state.0 = Instant::now();
            state.1.clone_from(&input);
        }
        if panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_err() {
            let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let _ = writeln!(io::stderr(), "{last}");
            keep(target.name, n, &input);
            good = false;
        }
        n += 1;
    }
    under_way.lock().unwrap_or_else(PoisonError::into_inner).1.clear();
    let spent = began.elapsed().as_secs_f64();
    let verdict = if good { "nothing found" } else { "FOUND" };
    let fitted = match target.is_reader {
        true => String::new(),
        false => format!("; {} fits were not refused", FITTED.load(Ordering::Relaxed)),
    };
    let _ = writeln!(
        io::stdout(),
        "{:<12} {n:>12} runs {spent:>8.1} s  {verdict}{fitted}",
        target.name
    );
    good
}

/// A seed as it is, a changed seed, or random bytes.
fn input(mutator: &mut Mutator, seeds: &[Vec<u8>], n: u64) -> Vec<u8> {
    if let Some(seed) = seeds.get(n as usize) {
        return seed.clone();
    }
    if seeds.is_empty() || mutator.below(16) == 0 {
        return mutator.fresh(512);
    }
    let (seed, other) = (mutator.below(seeds.len()), mutator.below(seeds.len()));
    mutator.mutated(&seeds[seed], &seeds[other])
}

/// Ends the program when an input takes too long, and keeps it.
fn watch(name: &'static str, under_way: Arc<Mutex<(Instant, Vec<u8>)>>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let state = under_way.lock().unwrap_or_else(PoisonError::into_inner);
            if Arc::strong_count(&under_way) == 1 {
                return;
            }
            if !state.1.is_empty() && state.0.elapsed() > SLOW {
                keep(name, u64::MAX, &state.1);
                let _ = writeln!(io::stderr(), "{name}: an input takes longer than {SLOW:?}");
                std::process::exit(1);
            }
        }
    });
}

fn keep(name: &str, n: u64, input: &[u8]) {
    let folder = Path::new("fuzz-findings");
    let path = folder.join(format!("{name}-{n}"));
    let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, input));
    let outcome = match kept {
        Ok(()) => format!("kept as {}", path.display()),
        Err(error) => format!("could not be kept: {error}"),
    };
    let _ = writeln!(io::stderr(), "{name}: a finding, {outcome}");
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.sort();
    files.iter().filter_map(|file| std::fs::read(file).ok()).collect()
}
