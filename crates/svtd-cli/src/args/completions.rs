//! `svtd completions` and `svtd man`: every flag and its help.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print completions of commands and flags for a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  svtd completions bash > ~/.local/share/bash-completion/completions/svtd
  svtd completions zsh > ~/.zfunc/_svtd
  svtd completions fish > ~/.config/fish/completions/svtd.fish";

/// Print the manual page, or write one for each command.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct Man {
    /// A folder for the pages: svtd.1, svtd-fit.1 and so on [default: svtd.1 on stdout]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Overwrite pages that exist
    #[arg(long)]
    pub force: bool,
}

const MAN_EXAMPLES: &str = "\
Examples:
  svtd man | man -l -
  svtd man -o ~/.local/share/man/man1";
