use crate::corpus::Corpus;
use crate::evaluation::match_topics;
use crate::linalg::Matrix;
use crate::model::cvb0;
use crate::model::spectral::{frequencies, to_vocabulary};
use crate::synthetic::{LdaSource, Lengths};
use crate::{Lda, Polish};

fn dist(a: &Matrix, b: &Matrix) -> f64 {
    let m = match_topics(a, b);
    let mut s = 0.0;
    for (j, q) in m.iter().enumerate() {
        let q = q.unwrap();
        s += a.column(j).iter().zip(b.column(q)).map(|(x, y)| (x - y).abs()).sum::<f64>();
    }
    s / a.n_columns() as f64
}

fn polish(corpus: &Corpus, start: &Matrix, sweeps: usize) -> Matrix {
    let present = &corpus.word_of_feature()[..corpus.n_present()];
    let start =
        Matrix::from_fn(present.len(), start.n_columns(), |i, j| start[(present[i] as usize, j)]);
    let swept = cvb0::polish(corpus, &start, &frequencies(corpus), sweeps, &|_| {});
    to_vocabulary(corpus, &swept.word_topic)
}

#[test]
#[ignore]
fn scratch() {
    for (n, k, nd) in [(1000, 10, 4000), (2000, 20, 12000)] {
        for seed in 51000..51002u64 {
            let source = LdaSource::zipf(n, k, 5.0, 500.0, 1.0, seed);
            let corpus = source.draw(nd, &Lengths::Fixed(80), seed ^ 0x5EED).0;
            let truth = &source.word_topic;
            let raw = Lda::params(k).polish(Polish::None).trust(false).fit(&corpus).unwrap();
            let auto = Lda::params(k).trust(false).fit(&corpus).unwrap();
            let p20 = Lda::params(k).polish(Polish::Steps(20)).trust(false).fit(&corpus).unwrap();
            let raw = raw.topics().word_topic();
            let p20 = p20.topics().word_topic();
            let p60 = polish(&corpus, p20, 40);
            let p160 = polish(&corpus, &p60, 100);
            let r20 = polish(&corpus, raw, 20);
            let t20 = polish(&corpus, truth, 20);
            let t160 = polish(&corpus, &t20, 140);
            eprintln!("n={n} k={k} N={nd} seed {seed}: {:?}", auto.diagnostics().polish);
            eprintln!(
                "to truth: raw {:.3} p20 {:.3} p60 {:.3} p160 {:.3} r20 {:.3} t20 {:.3} t160 {:.3}",
                dist(truth, raw),
                dist(truth, p20),
                dist(truth, &p60),
                dist(truth, &p160),
                dist(truth, &r20),
                dist(truth, &t20),
                dist(truth, &t160)
            );
            eprintln!(
                "p20-t20 {:.3} p160-t160 {:.3} p20-p160 {:.3} r20-t20 {:.3}",
                dist(p20, &t20),
                dist(&p160, &t160),
                dist(p20, &p160),
                dist(&r20, &t20)
            );
        }
    }
}
