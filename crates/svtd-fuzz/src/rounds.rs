//! Questions that a site is asked, and answers that a fit is given.

use std::sync::{Arc, OnceLock};

use svtd::rounds::{Answer, Ask, Question, Respondent, digest_of};
use svtd::{Corpus, Error, Lda};

/// The position of the digest in our files.
const DIGEST: std::ops::Range<usize> = 46..110;

/// A question, if the first byte is even, which a site answers; else an answer, which a fit is given.
pub fn rounds(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let file = sealed(rest);
    match first % 2 {
        0 => question(&file),
        _ => answer(&file),
    }
}

fn question(file: &[u8]) {
    let Ok(question) = Question::from_bytes(file, "fuzz.question") else { return };
    if let Some(Ok(answer)) = site().map(|site| site.ask(&question)) {
        let written = answer.to_bytes("q");
        assert!(written.is_ok(), "an answer that cannot be written");
        let read = written.and_then(|written| Answer::from_bytes(&written, "again", "q"));
        // A question of infinite numbers has such an answer, which is refused where it is read.
        assert!(read.is_ok() || !answer.is_finite(), "an answer that cannot be read again");
    }
}

/// Gives a fit the same answer to every question: it fails in a sentence.
fn answer(file: &[u8]) {
    struct Parrot(Answer);
    impl Ask for Parrot {
        fn ask(&self, _: &Question) -> Result<Answer, Error> {
            Ok(self.0.clone())
        }
    }
    let text = String::from_utf8_lossy(file);
    let key = "\\\"question\\\":\\\"";
    let named =
        text.find(key).map(|at| text[at + key.len()..].chars().take(64).collect::<String>());
    let Some(question) = named else { return };
    let Ok(answer) = Answer::from_bytes(file, "fuzz.answer", &question) else { return };
    let fitted = Corpus::elsewhere(Arc::new(Parrot(answer)))
        .and_then(|corpus| Lda::params(2).trust(false).fit(&corpus));
    if let Err(error) = fitted {
        assert!(!error.to_string().is_empty());
    }
}

/// The documents of a site.
fn site() -> Option<&'static Respondent> {
    static SITE: OnceLock<Option<Respondent>> = OnceLock::new();
    let made = SITE.get_or_init(|| {
        let mut corpus = Corpus::builder(10);
        for d in 0..24_u32 {
            let words = (0..10).filter(|w| (w + d) % 3 == 0 || w % 7 == d % 5);
            let pushed = corpus.push_document(words.map(|w| (w, 1 + (w * d) % 4)));
            assert!(pushed.is_ok());
        }
        corpus.build().ok().map(|corpus| Respondent::new(corpus, 0))
    });
    assert!(made.is_some(), "the documents of the site are sound");
    made.as_ref()
}

/// The file with a correct digest, so that more is tested than the refusal of damaged files.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    if file.len() >= DIGEST.end {
        file[DIGEST].fill(b'0');
        let digest = digest_of(&file);
        file[DIGEST].copy_from_slice(digest.as_bytes());
    }
    file
}
