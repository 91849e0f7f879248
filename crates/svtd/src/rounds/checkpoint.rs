//! Keeps answers in a folder, so that an interrupted fit can continue.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::file;
use crate::atomic::write_atomically;
use crate::error::{Error, Result};
use crate::questions::{Answer, Ask, Question};

/// Asks another respondent, and keeps the answers.
pub struct Checkpoint<A> {
    who: A,
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    n_asked: usize,
    /// The questions of the present run whose answers were read from the folder. Holders of
    /// documents have not seen them; they are asked again before the first new question of the run,
    /// because they need the state that these leave.
    unseen: Vec<Question>,
}

impl<A: Ask> Checkpoint<A> {
    /// Keeps answers in a folder, which is created if necessary.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(who: A, folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        if folder.is_file() {
            let name = folder.display();
            let reason = format!("{name}: a checkpoint is kept in a folder, and this is a file");
            return Err(Error::Round { reason });
        }
        let io = |source| Error::Io { path: folder.display().to_string(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        Ok(Self { who, folder, state: Mutex::default() })
    }

    /// A kept answer.
    fn kept(&self, path: &Path, digest: &str) -> Result<Option<Answer>> {
        match path.exists() {
            false => Ok(None),
            true => {
                let name = path.display().to_string();
                let answer = Answer::from_bytes(&file::read(path)?, &name, digest);
                answer.map(Some).map_err(|error| Error::Round {
                    reason: format!(
                        "{error}; the checkpoint belongs to another fit or to other documents, so use an \
                         empty folder"
                    ),
                })
            }
        }
    }
}

impl<A: Ask> Ask for Checkpoint<A> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.n_asked += 1;
        let digest = file::digest_of(&question.to_bytes()?);
        let name = format!("{:04}-{}.answer", state.n_asked, question.name());
        let path = self.folder.join(name);
        if question.begins_run() {
            state.unseen.clear();
        }
        if let Some(answer) = self.kept(&path, &digest)? {
            if question.leaves_state() {
                state.unseen.push(question.clone());
            }
            return Ok(answer);
        }
        if question.leaves_state() {
            for unseen in state.unseen.drain(..) {
                self.who.ask(&unseen)?;
            }
        }
        let answer = self.who.ask(question)?;
        let bytes = answer.to_bytes(&digest)?;
        write_atomically(&path, true, |out| out.write_all(&bytes))?;
        Ok(answer)
    }
}
