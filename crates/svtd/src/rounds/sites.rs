//! Sites: questions and answers as files, in a folder for each site.
//!
//! ```text
//! sites/north/0001-survey.question      what is asked, written by the fit
//! sites/north/0001-survey.answer        what the site answers
//! sites/north/0007-survey.refused       or why it does not
//! sites/south/0001-survey.question
//! ...
//! sites/north/finished                  written when the fit is over
//! ```
//!
//! The state of the fit is in the folders: everything it computes follows from the answers. A fit
//! that was interrupted, or that ended because answers were missing, is started again with the same
//! folders; it reads the answers that exist, and continues.
//!
//! Every question but the first contains the digest of the site's answer to the first. A site whose
//! documents are others, or have changed since, refuses it, even where the words are the same. The
//! digest reveals nothing, because it goes only to the site that it came from.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::file;
use crate::atomic::write_atomically;
use crate::error::{Error, Result};
use crate::questions::{Answer, Ask, Question};

/// The file ending of questions.
pub const QUESTION: &str = "question";

/// The file ending of answers.
pub const ANSWER: &str = "answer";

/// The file ending of refusals, which contain a sentence instead of an answer.
pub const REFUSED: &str = "refused";

/// The file in a site's folder that says that the fit is over.
pub const FINISHED: &str = "finished";

/// What a fit is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The kind of the question, in one word.
    pub asked: &'static str,
    /// The unanswered questions, one for each site.
    pub questions: Vec<PathBuf>,
}

/// Folders in which sites answer questions.
pub struct Sites<W> {
    folders: Vec<PathBuf>,
    wait: W,
    n_asked: Mutex<usize>,
    /// The digest of every site's survey, once it is known.
    surveys: Mutex<Vec<String>>,
}

impl<W: Fn(&Waiting) -> Result<()> + Send + Sync> Sites<W> {
    /// The sites that have a folder in this one. As long as an answer is missing, `wait` is called: it
    /// returns when it is time to look again, or fails.
    ///
    /// # Errors
    /// When the folder cannot be read, or there is no site.
    pub fn open(folder: impl AsRef<Path>, wait: W) -> Result<Self> {
        let folder = folder.as_ref();
        let io = |source| Error::Io { path: folder.display().to_string(), source };
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
            if path.is_dir() && !hidden {
                folders.push(path);
            }
        }
        folders.sort();
        if folders.is_empty() {
            return Err(Error::Round {
                reason: format!(
                    "{0}: no site has a folder here; make one for each, such as {0}/north",
                    folder.display()
                ),
            });
        }
        Ok(Self { folders, wait, n_asked: Mutex::new(0), surveys: Mutex::default() })
    }

    /// The folders of the sites.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Tells the sites that there will be no more questions.
    ///
    /// # Errors
    /// When a folder cannot be written.
    pub fn finish(&self) -> Result<()> {
        let tell = |folder: &PathBuf| write_atomically(&folder.join(FINISHED), true, |_| Ok(()));
        self.folders.iter().try_for_each(tell)
    }

    /// Waits until every site has answered.
    fn wait_for_all(&self, stem: &str, asked: &'static str) -> Result<()> {
        loop {
            let path = |folder: &PathBuf, what| folder.join(format!("{stem}.{what}"));
            let open = |folder: &&PathBuf| !path(folder, ANSWER).exists();
            let questions: Vec<PathBuf> =
                self.folders.iter().filter(open).map(|folder| path(folder, QUESTION)).collect();
            if questions.is_empty() {
                return Ok(());
            }
            let refusal = questions.iter().find(|path| path.with_extension(REFUSED).exists());
            if let Some(question) = refusal {
                let path = question.with_extension(REFUSED);
                let sentence = String::from_utf8_lossy(&file::read(&path)?).trim().to_owned();
                let name = path.display();
                return Err(Error::Round {
                    reason: format!("{name}: the site refused: {sentence}"),
                });
            }
            (self.wait)(&Waiting { asked, questions })?;
        }
    }
}

impl<W: Fn(&Waiting) -> Result<()> + Send + Sync> Ask for Sites<W> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let number = {
            let mut n_asked = self.n_asked.lock().unwrap_or_else(PoisonError::into_inner);
            *n_asked += 1;
            *n_asked
        };
        let stem = format!("{number:04}-{}", question.name());
        let is_first = *question == Question::first();
        let surveyed = self.surveys.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut digests = Vec::new();
        for (site, folder) in self.folders.iter().enumerate() {
            let asked_of = surveyed.get(site).filter(|_| !is_first);
            let bytes = question.to_bytes_for(asked_of.map(String::as_str))?;
            digests.push(file::digest_of(&bytes));
            put(&folder.join(format!("{stem}.{QUESTION}")), &bytes)?;
        }
        self.wait_for_all(&stem, question.name())?;
        let mut sum: Option<(Answer, Vec<(Answer, &PathBuf)>)> = None;
        let mut found = Vec::new();
        for (folder, digest) in self.folders.iter().zip(&digests) {
            let path = folder.join(format!("{stem}.{ANSWER}"));
            let name = path.display().to_string();
            let answer = Answer::from_bytes(&file::read(&path)?, &name, digest)?;
            if is_first {
                found.push(answer.survey_digest()?);
            }
            match &mut sum {
                None => sum = Some((answer.clone(), vec![(answer, folder)])),
                Some((sum, surveys)) => {
                    check_twin(&answer, surveys, folder)?;
                    sum.add(&answer)?;
                    if answer.survey.is_some() {
                        surveys.push((answer, folder));
                    }
                }
            }
        }
        if is_first {
            *self.surveys.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        let nobody = || Error::Round { reason: "there is no site to ask".to_owned() };
        sum.map(|(sum, _)| sum).ok_or_else(nobody)
    }
}

/// Returns an error if two sites have the same documents: one of them answers twice.
fn check_twin(answer: &Answer, others: &[(Answer, &PathBuf)], folder: &Path) -> Result<()> {
    let same = |(other, _): &&(Answer, &PathBuf)| answer.survey.is_some() && other == answer;
    match others.iter().find(same) {
        None => Ok(()),
        Some((_, other)) => Err(Error::Round {
            reason: format!(
                "{} and {} have the same documents, so one site answered twice; each document may count \
                 once only",
                other.display(),
                folder.display()
            ),
        }),
    }
}

/// Writes a question, unless it exists already.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if !path.exists() {
        return write_atomically(path, false, |out| out.write_all(bytes));
    }
    if file::read(path)? == bytes {
        return Ok(());
    }
    Err(Error::Round {
        reason: format!(
            "{}: another question has this place, so the folder belongs to another fit or to other answers; \
             use empty folders",
            path.display()
        ),
    })
}
