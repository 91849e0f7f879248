//! Words to numbers: each different word gets the next number when it is first met.
//!
//! The cost of counting words is that of looking them up, and the cost of a lookup is cache misses. So all
//! spellings are in one string, and an entry of the table holds the position of its word: one miss for the entry,
//! one for the spelling. The numbers depend only on the order of arrival, not on the hash function.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Numbers for words.
#[derive(Debug, Default)]
pub(super) struct Interner {
    table: HashTable<Entry>,
    places: Vec<Place>,
    spellings: String,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    place: Place,
    id: u32,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    length: u32,
}

impl Place {
    fn of(self, spellings: &str) -> &[u8] {
        &spellings.as_bytes()[self.start..self.start + self.length as usize]
    }
}

impl Interner {
    /// The number of this word, and whether it is new.
    #[inline]
    pub(super) fn intern(&mut self, word: &str) -> (u32, bool) {
        let hash = self.hasher.hash_one(word.as_bytes());
        let spellings = &self.spellings;
        let found = self.table.find(hash, |entry| entry.place.of(spellings) == word.as_bytes());
        match found {
            Some(entry) => (entry.id, false),
            None => (self.insert(hash, word), true),
        }
    }

    /// The word of this number.
    pub(super) fn word(&self, id: u32) -> &str {
        let place = self.places[id as usize];
        &self.spellings[place.start..place.start + place.length as usize]
    }

    /// How many different words there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn insert(&mut self, hash: u64, word: &str) -> u32 {
        // A word has fewer than 2³² bytes because longer ones are dropped before they are met;
        // there are fewer than 2³² of them because the collector refuses more.
        let place = Place { start: self.spellings.len(), length: word.len() as u32 };
        let id = self.places.len() as u32;
        self.spellings.push_str(word);
        self.places.push(place);
        let (spellings, hasher) = (&self.spellings, &self.hasher);
        self.table.insert_unique(hash, Entry { place, id }, |entry| {
            hasher.hash_one(entry.place.of(spellings))
        });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbered_as_they_arrive() {
        let mut interner = Interner::default();
        let numbers = ["sole", "amor", "sole", "", "amor"].map(|word| interner.intern(word));
        assert_eq!(numbers, [(0, true), (1, true), (0, false), (2, true), (1, false)]);
        assert_eq!((interner.word(1), interner.word(2), interner.len()), ("amor", "", 3));
    }

    #[test]
    fn many_words_stay_apart() {
        let mut interner = Interner::default();
        for round in 0..2 {
            for i in 0..20_000_u32 {
                assert_eq!(interner.intern(&i.to_string()), (i, round == 0));
            }
        }
    }
}
