//! Numbers of topics compared, of documents elsewhere.

use super::trust::{by_leading_bits, corpora};
use super::*;
use crate::choosing::Sweep;
use crate::linalg::Matrix;

/// A sweep and the topics that it visited.
type Swept = (Sweep, Vec<Matrix>);

fn lda(corpus: &Corpus) -> Result<Swept> {
    let mut visited = Vec::new();
    let mut visit = |model: &crate::Model| visited.push(model.topics().word_topic().clone());
    let swept = Lda::params(1).sweep(corpus, 1..=6, &mut visit)?;
    Ok((swept, visited))
}

fn single(corpus: &Corpus) -> Result<Swept> {
    let mut visited = Vec::new();
    let mut visit = |model: &crate::Model| visited.push(model.topics().word_topic().clone());
    let swept = SingleTopic::params(1).sweep(corpus, 1..=6, &mut visit)?;
    Ok((swept, visited))
}

#[test]
fn holders_of_whole_blocks_compare_to_the_last_bit() {
    for corpus in corpora() {
        let elsewhere = Corpus::elsewhere(by_leading_bits(&corpus, 2)).unwrap();
        for sweep in [lda, single] {
            let (here, there) = (sweep(&corpus).unwrap(), sweep(&elsewhere).unwrap());
            assert_eq!(here, there);
            let fits = &here.0.fits;
            // There are three topics; more may not be seen without the held-out documents.
            let scored = fits.iter().take(3).all(|fit| fit.behind.is_some() && fit.npmi.is_some());
            assert!(scored, "{fits:?}");
            assert_eq!(fits.iter().filter(|fit| fit.behind == Some([0.0; 2])).count(), 1);
        }
    }
}

#[test]
fn holders_of_any_documents_compare_nearly_alike() {
    // Words without names, which the held-out documents tell apart.
    let corpus = mixtures(900, 3);
    assert!(corpus.vocabulary().is_numbered());
    let who = Together::new(dealt(&corpus, 3));
    let elsewhere = Corpus::elsewhere(who.clone()).unwrap();
    for sweep in [lda, single] {
        let ((here, topics), (there, others)) =
            (sweep(&corpus).unwrap(), sweep(&elsewhere).unwrap());
        assert_eq!(here.recommendation, there.recommendation);
        assert_eq!(here.n_held_out, there.n_held_out);
        assert!(here.fits.iter().take(4).all(|fit| fit.behind.is_some()), "{:?}", here.fits);
        for (a, b) in here.fits.iter().zip(&there.fits) {
            let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-8,
                (a, b) => a == b,
            };
            assert!(near(a.log_likelihood, b.log_likelihood), "{a:?} {b:?}");
            assert!(near(a.standard_error, b.standard_error), "{a:?} {b:?}");
            for part in 0..2 {
                let [a, b] = [a, b].map(|fit| fit.behind.map(|behind| behind[part]));
                assert!(near(a, b), "{a:?} {b:?}");
            }
            assert_eq!((a.npmi, a.halves), (b.npmi, b.halves));
        }
        for (a, b) in topics.iter().zip(&others) {
            let pairs = a.values().iter().zip(b.values());
            let largest = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(largest < 1e-8, "{largest:e}");
        }
    }
    assert!(["held-out", "together", "squares"].iter().all(|asked| who.asked().contains(asked)));
}

#[test]
fn a_sweep_goes_on_from_its_checkpoint() {
    let corpus = mixtures(400, 5);
    let expected = lda(&corpus).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sweep = |left: usize| {
        let who = Leaving { who: Respondent::new(corpus.clone(), 0), left: Mutex::new(left) };
        lda(&Corpus::elsewhere(Arc::new(Checkpoint::new(who, folder.path())?))?)
    };
    assert_eq!(sweep(40).unwrap_err().to_string(), "nobody is there");
    assert_eq!(sweep(usize::MAX).unwrap(), expected);
    assert_eq!(sweep(0).unwrap(), expected);
}

#[test]
fn sites_that_keep_small_sums_to_themselves_hold_out_more() {
    let corpus = mixtures(800, 2);
    let holders = dealt(&corpus, 2).into_iter().map(|part| Respondent::new(part, 40));
    let who = Arc::new(Together { holders: holders.collect(), log: Mutex::default() });
    let (swept, _) = lda(&Corpus::elsewhere(who).unwrap()).unwrap();
    let (here, _) = lda(&corpus).unwrap();
    assert!(swept.n_held_out > here.n_held_out + 20, "{} {}", swept.n_held_out, here.n_held_out);
    // A quarter of the documents is too few for these.
    let holders = dealt(&corpus, 2).into_iter().map(|part| Respondent::new(part, 100));
    let who = Arc::new(Together { holders: holders.collect(), log: Mutex::default() });
    let (swept, _) = lda(&Corpus::elsewhere(who).unwrap()).unwrap();
    assert_eq!(swept.n_held_out, 0);
    assert!(swept.fits.iter().all(|fit| fit.log_likelihood.is_none() && fit.npmi.is_none()));
}
