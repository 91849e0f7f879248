//! How many topics the data shows, in a sentence.

use svtd::model::Choice;
use svtd::moments::Counting;

/// What stands out of the noise, and what to make of it.
pub fn sentence(choice: &Choice) -> String {
    let clear = choice.n_clear();
    let noise = match choice.counting {
        Counting::Raw => "noise",
        Counting::Damped => "noise of the damped counts 1 + log x",
    };
    match choice.z_scores.get(clear) {
        _ if choice.limit_reached() => format!(
            "{clear} or more stand out of the {noise}, all that were looked for; as with most text, \
             choose k by what you want to read (svtd sweep)"
        ),
        Some(first) if clear == 0 => format!(
            "none stands clearly out of the {noise} (z > 3; the first has {first:.1}); add documents"
        ),
        Some(next) => format!(
            "{clear} stand clearly out of the {noise} (z > 3; the next has {next:.1}); more than \
             that may be chance"
        ),
        None => format!("{clear} stand clearly out of the {noise}, one for every word"),
    }
}
