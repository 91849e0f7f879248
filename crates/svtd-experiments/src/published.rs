//! The two tables of the paper's Section 6.3, and how well clusters and their words agree with them.

use svtd::Result;
use svtd::model::{RankedWord, Topics, WordOrder};

/// The words of each of the paper's clusters of speeches.
pub const SPEECH_WORDS: [&str; 5] = [
    "construction fiscal legislative peacetime facilities recommendations projects existing transportation veterans",
    "reducing regulations recovery taxpayers market bills weeks nothing gone productivity",
    "ideals soviet missile potential missiles world conflict struggle countries threat",
    "companies invest 21st teachers parents revolution lowest challenge credit bipartisan",
    "september enemies terror compassion terrorists afghanistan relief retirement iraq dangerous",
];

/// The words of the paper's two clusters of cantos.
pub const CANTO_WORDS: [&str; 2] = [
    "fosso bolgia scoglio avante coda grido rotta ponte stanchi maestro",
    "milizia segue intende letizia conosce lumi ama beatrice piacer cristo",
];

/// The paper's words are looked for among this many representative words of a topic.
pub const AMONG: usize = 25;

/// The words that represent each topic, best first: frequent and exclusive, with equal weight. The paper does not
/// name its measure, but its words are of that kind.
///
/// # Errors
/// None is expected of a fitted model.
pub fn representative(topics: &Topics) -> Result<Vec<Vec<String>>> {
    let ranked = topics.ranked_words(WordOrder::Frex { frequency: 0.5 }, AMONG)?;
    let words = |topic: &Vec<RankedWord<'_>>| topic.iter().map(|w| w.word.to_string()).collect();
    Ok(ranked.iter().map(words).collect())
}

/// How many of the paper's words are among ours: clusters by their number from 1, each with words.
pub fn words_found(published: &[&str], ours: &[(usize, Vec<String>)]) -> usize {
    let of = |(cluster, words): &(usize, Vec<String>)| {
        let published = published.get(cluster - 1).map_or("", |words| words);
        published.split(' ').filter(|word| words.iter().any(|own| own == word)).count()
    };
    ours.iter().map(of).sum()
}

/// The paper's cluster of a State of the Union address, from 1; `None` when its table does not
/// list the speech. The second of two addresses in a year is in the cluster of the first.
pub fn speech_cluster(year: usize, president: &str) -> Option<usize> {
    let cluster = match (president, year) {
        ("Truman", 1946..=1950)
        | ("Eisenhower", 1953..=1957 | 1959)
        | ("Kennedy", 1961..=1963)
        | ("Johnson", 1966 | 1967)
        | ("Nixon", 1973)
        | ("Ford", 1975 | 1977) => 1,
        ("Johnson", 1963..=1965 | 1968 | 1969)
        | ("Nixon", 1970..=1972 | 1974)
        | ("Ford", 1976)
        | ("Carter", 1978)
        | ("Reagan", 1981..=1988)
        | ("Bush", 1990 | 1992) => 2,
        ("Truman", 1945 | 1951)
        | ("Eisenhower", 1958 | 1960)
        | ("Carter", 1979 | 1980)
        | ("Bush", 1991 | 2003) => 3,
        ("Bush", 1989) | ("Clinton", 1993..=2000) => 4,
        ("Bush", 2001 | 2002 | 2004 | 2005) => 5,
        _ => return None,
    };
    Some(cluster)
}

/// A part of the Commedia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cantica {
    /// Hell, 34 cantos.
    Inferno,
    /// Purgatory, 33 cantos.
    Purgatorio,
    /// Heaven, 33 cantos.
    Paradiso,
}

impl Cantica {
    /// All three, in the order of the journey.
    pub const ALL: [Cantica; 3] = [Cantica::Inferno, Cantica::Purgatorio, Cantica::Paradiso];

    /// Its name, as files have it.
    pub fn name(self) -> &'static str {
        match self {
            Cantica::Inferno => "inferno",
            Cantica::Purgatorio => "purgatorio",
            Cantica::Paradiso => "paradiso",
        }
    }

    /// How many cantos it has.
    pub fn len(self) -> usize {
        if self == Cantica::Inferno { 34 } else { 33 }
    }

    /// Whether it has no cantos; always false.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// The paper's cluster of a canto, from 1: hell, heaven. `None` for Purgatorio 6, which its table
/// lists in both, and Purgatorio 9, which it lists in neither.
pub fn canto_cluster(cantica: Cantica, canto: usize) -> Option<usize> {
    match (cantica, canto) {
        (Cantica::Inferno, 2 | 11) | (Cantica::Paradiso, _) => Some(2),
        (Cantica::Inferno, _) => Some(1),
        (Cantica::Purgatorio, 6 | 9) => None,
        (Cantica::Purgatorio, 1..=12 | 20..=24 | 26 | 27 | 29) => Some(1),
        (Cantica::Purgatorio, _) => Some(2),
    }
}

/// Names clusters by the labels with which they agree most: for each cluster its label, from 1, so that as many
/// documents as possible agree. Tries every order of `k` labels, for small `k`.
pub fn matched(labels: &[Option<usize>], clusters: &[usize], k: usize) -> Vec<usize> {
    let mut together = vec![vec![0_usize; k]; k];
    for (label, &cluster) in labels.iter().zip(clusters) {
        if let Some(label) = label.filter(|l| (1..=k).contains(l) && cluster < k) {
            together[cluster][label - 1] += 1;
        }
    }
    let mut best = (0, (1..=k).collect());
    permute(&mut (1..=k).collect(), 0, &mut |order: &[usize]| {
        let agree: usize = order.iter().enumerate().map(|(c, l)| together[c][l - 1]).sum();
        if agree > best.0 {
            best = (agree, order.to_vec());
        }
    });
    best.1
}

fn permute(order: &mut Vec<usize>, from: usize, visit: &mut dyn FnMut(&[usize])) {
    if from == order.len() {
        visit(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        permute(order, from + 1, visit);
        order.swap(from, at);
    }
}

/// Among documents with a label, how many are in the cluster of that name; and their number.
pub fn agreement(labels: &[Option<usize>], named: &[usize]) -> (usize, usize) {
    let pairs = labels.iter().zip(named).filter_map(|(label, name)| Some((((*label)?), *name)));
    pairs.fold((0, 0), |(agree, all), (label, name)| (agree + usize::from(label == name), all + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_commedia_lists_98_cantos_once() {
        let clusters: Vec<Option<usize>> = Cantica::ALL
            .into_iter()
            .flat_map(|part| (1..=part.len()).map(move |canto| canto_cluster(part, canto)))
            .collect();
        assert_eq!(clusters.len(), 100);
        let of = |c| clusters.iter().filter(|&&x| x == Some(c)).count();
        // Inferno 32 and Purgatorio 18; Inferno 2, Paradiso 33 and Purgatorio 13.
        assert_eq!((of(1), of(2)), (32 + 18, 2 + 33 + 13));
    }

    #[test]
    fn the_table_of_the_addresses_lists_63_years_of_presidents() {
        let names = ["Truman", "Eisenhower", "Kennedy", "Johnson", "Nixon", "Ford", "Carter"];
        let names = names.into_iter().chain(["Reagan", "Bush", "Clinton"]);
        let listed: Vec<usize> = names
            .flat_map(|name| (1940..2010).filter_map(move |year| speech_cluster(year, name)))
            .collect();
        let of = |c| listed.iter().filter(|&&x| x == c).count();
        // Johnson spoke twice in 1965, both Bushes twice in a year.
        assert_eq!([1, 2, 3, 4, 5].map(of), [19, 21, 8, 9, 4]);
    }

    #[test]
    fn words_are_counted_in_the_cluster_they_are_published_for() {
        let ours = |words: [&str; 3]| words.map(str::to_owned).to_vec();
        let found = [(2, ours(["lumi", "ponte", "ama"])), (1, ours(["ponte", "lumi", "x"]))];
        assert_eq!(words_found(&CANTO_WORDS, &found), 3);
        assert!(SPEECH_WORDS.iter().chain(&CANTO_WORDS).all(|w| w.split(' ').count() == 10));
    }

    #[test]
    fn clusters_are_named_after_what_they_agree_with() {
        let labels = [Some(1), Some(1), Some(2), None, Some(3), Some(2)];
        let clusters = [2, 2, 0, 0, 1, 1];
        assert_eq!(matched(&labels, &clusters, 3), [2, 3, 1]);
        let named: Vec<usize> = clusters.iter().map(|&c| [2, 3, 1][c]).collect();
        assert_eq!(agreement(&labels, &named), (4, 5));
    }
}
