//! Genotypes in PLINK format: `.bed` with `.bim` and `.fam`.
//!
//! ```text
//! NAME.bed   6c 1b 01, then for each variant two bits for each individual, lowest first:
//!            00 two copies of allele 1, 10 one of each, 11 two of allele 2, 01 missing
//! NAME.bim   a variant a line: chromosome, name, centimorgans, position, allele 1, allele 2
//! NAME.fam   an individual a line: family, name, ...
//! ```
//!
//! An individual is a document and an allele of a variant a word, called `rs123_A`: two words for each variant, one
//! after the other, allele 1 first. Ancestral populations are topics, and the share of a population in an
//! individual is its mixture. This is the model of ADMIXTURE (Alexander, Novembre and Lange 2009) with one
//! difference: there the number of alleles of each variant in a person is fixed, in LDA it varies. A missing
//! genotype counts for neither allele.
//!
//! # Cost
//! About 1.4 entries of eight bytes for each genotype.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::entries::Table;
use super::meter::Meter;
use super::source::Source;
use crate::corpus::SparseCounts;
use crate::error::{Error, Result};
use crate::memory::Limit;

/// The beginning of a `.bed` file that is ordered by variant.
pub(super) const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
/// The beginning of a `.bed` file that is ordered by individual; this form is obsolete.
const BY_INDIVIDUAL: [u8; 3] = [0x6c, 0x1b, 0x00];

/// The content of the three files.
pub(super) struct Genotypes {
    pub(super) table: Table,
    /// `NAME_ALLELE`, two for each variant.
    pub(super) words: Vec<String>,
    /// The names of the individuals.
    pub(super) names: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Reads the file and its two companions.
pub(super) fn read(path: &Path, mut file: File, meter: &Meter) -> Result<Genotypes> {
    let name = path.display().to_string();
    let refused = |reason| Error::File { path: name.clone(), reason };
    let individuals = lines(&beside(path, "fam")?)?;
    let variants = lines(&beside(path, "bim")?)?;
    let names: Vec<String> = individuals
        .iter()
        .enumerate()
        .map(|(i, row)| row.get(1).cloned().unwrap_or_else(|| (i + 1).to_string()))
        .collect();
    let words = alleles(&variants).map_err(&refused)?;
    let size = file.metadata().map_err(|source| Error::Io { path: name.clone(), source })?.len();
    check_size(size, names.len(), variants.len()).map_err(&refused)?;
    let meter = meter.of(size);
    let mut bytes = Vec::with_capacity(size as usize);
    let read = file.read_to_end(&mut bytes);
    meter.add(read.map_err(|source| Error::Io { path: name.clone(), source })? as u64);
    let (rows, n_missing) = decoded(&bytes, names.len(), variants.len()).map_err(refused)?;
    let n_genotypes = names.len() as u64 * variants.len() as u64;
    let mut notes = Vec::new();
    if n_missing > 0 {
        let share = 100.0 * n_missing as f64 / n_genotypes as f64;
        notes.push(format!("{name}: {n_missing} genotypes ({share:.2} %) are missing"));
    }
    Ok(Genotypes { table: Table { rows, n_zeros: 0 }, words, names, notes })
}

/// The file of the same name with another ending.
fn beside(path: &Path, ending: &str) -> Result<PathBuf> {
    let found = path.with_extension(ending);
    if found.is_file() {
        return Ok(found);
    }
    Err(Error::File {
        path: path.display().to_string(),
        reason: format!("PLINK genotypes need {} beside them", found.display()),
    })
}

/// The fields of every line that is not empty.
fn lines(path: &Path) -> Result<Vec<Vec<String>>> {
    let mut source = Source::open(path)?;
    let mut rows = Vec::new();
    while let Some(line) = source.next_line()? {
        let text = String::from_utf8_lossy(line);
        let fields: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
        if !fields.is_empty() {
            rows.push(fields);
        }
    }
    Ok(rows)
}

/// Two words for each variant, named after it, or by its position where names are not unique.
fn alleles(variants: &[Vec<String>]) -> Result<Vec<String>, String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (i, row) in variants.iter().enumerate() {
        if row.len() < 6 {
            return Err(format!("line {} of the .bim file has {} of 6 fields", i + 1, row.len()));
        }
        *times.entry(&row[1]).or_default() += 1;
    }
    let mut words = Vec::with_capacity(2 * variants.len());
    let mut taken: HashMap<String, usize> = HashMap::new();
    for row in variants {
        let unique = row[1] != "." && times[row[1].as_str()] == 1;
        let mut name = if unique { row[1].clone() } else { format!("{}:{}", row[0], row[3]) };
        let again = taken.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
        if *again > 1 {
            name = format!("{name}:{again}");
        }
        let (first, second) = (&row[4], &row[5]);
        // Two alleles that are written the same way (both unknown) are distinguished by a number.
        let same = first == second;
        words.push(if same { format!("{name}_{first}1") } else { format!("{name}_{first}") });
        words.push(if same { format!("{name}_{second}2") } else { format!("{name}_{second}") });
    }
    Ok(words)
}

/// Returns an error for a file whose length does not fit its companions, before anything is read.
fn check_size(size: u64, n_individuals: usize, n_variants: usize) -> Result<(), String> {
    if n_individuals == 0 || n_variants == 0 {
        return Err(format!("there are {n_individuals} individuals and {n_variants} variants"));
    }
    if n_variants > (u32::MAX / 2) as usize || n_individuals > u32::MAX as usize {
        return Err(format!("{n_variants} variants are more than can be numbered"));
    }
    let needed = (n_individuals.div_ceil(4) as u64)
        .checked_mul(n_variants as u64)
        .and_then(|bytes| bytes.checked_add(MAGIC.len() as u64));
    if needed == Some(size) {
        return Ok(());
    }
    Err(format!(
        "{size} bytes, but {n_individuals} individuals (.fam) and {n_variants} variants (.bim) \
         take {}; do the three files belong together?",
        needed.map_or("more than there are".to_owned(), |needed| needed.to_string())
    ))
}

/// Individuals x alleles, and the number of missing genotypes.
pub(super) fn decoded(
    bytes: &[u8],
    n_individuals: usize,
    n_variants: usize,
) -> Result<(SparseCounts, u64), String> {
    if bytes.starts_with(&BY_INDIVIDUAL) {
        return Err(
            "genotypes individual by individual; write them anew with plink --make-bed".to_owned()
        );
    }
    let Some(genotypes) = bytes.strip_prefix(&MAGIC) else {
        return Err("expected PLINK genotypes, which begin with the bytes 6c 1b 01".to_owned());
    };
    check_size(bytes.len() as u64, n_individuals, n_variants)?;
    let mut by_allele = SparseCounts::with_columns(n_individuals, &Limit::none());
    let mut n_missing = 0;
    let (mut first, mut second) = (Entries::default(), Entries::default());
    for variant in genotypes.chunks_exact(n_individuals.div_ceil(4)) {
        first.clear();
        second.clear();
        for individual in 0..n_individuals {
            match variant[individual / 4] >> (2 * (individual % 4)) & 0b11 {
                0b00 => first.push(individual, 2),
                0b10 => {
                    first.push(individual, 1);
                    second.push(individual, 1);
                }
                0b11 => second.push(individual, 2),
                _ => n_missing += 1,
            }
        }
        by_allele.push_row(&first.individuals, &first.copies);
        by_allele.push_row(&second.individuals, &second.copies);
    }
    Ok((by_allele.transpose(), n_missing))
}

/// Who has how many copies of an allele.
#[derive(Default)]
struct Entries {
    individuals: Vec<u32>,
    copies: Vec<u32>,
}

impl Entries {
    fn clear(&mut self) {
        self.individuals.clear();
        self.copies.clear();
    }

    fn push(&mut self, individual: usize, copies: u32) {
        self.individuals.push(individual as u32);
        self.copies.push(copies);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;

    fn row(fields: &str) -> Vec<String> {
        fields.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn two_bits_are_a_genotype() {
        // Five individuals: 2, 1, 0 copies of allele 1, missing; then one of each.
        let bytes = [0x6c, 0x1b, 0x01, 0b01_11_10_00, 0b10];
        let (rows, n_missing) = decoded(&bytes, 5, 1).unwrap();
        assert_eq!(n_missing, 1);
        let expected: [&[(u32, u32)]; 5] =
            [&[(0, 2)], &[(0, 1), (1, 1)], &[(1, 2)], &[], &[(0, 1), (1, 1)]];
        for (d, expected) in expected.iter().enumerate() {
            let (words, counts) = rows.row(d);
            let found: Vec<(u32, u32)> =
                words.iter().copied().zip(counts.iter().copied()).collect();
            assert_eq!(&found, expected, "individual {d}");
        }
    }

    #[test]
    fn files_that_do_not_belong_together_are_refused() {
        assert!(decoded(&[0x6c, 0x1b, 0x01, 0], 5, 1).unwrap_err().contains("take 5"));
        assert!(decoded(&[0x6c, 0x1b, 0x00, 0], 4, 1).unwrap_err().contains("--make-bed"));
        assert!(decoded(b"PK..", 4, 1).unwrap_err().contains("6c 1b 01"));
        assert!(decoded(&[0x6c, 0x1b, 0x01], usize::MAX, 2).is_err());
    }

    #[test]
    fn alleles_are_called_by_their_variant_or_its_place() {
        let variants =
            [row("1 rs1 0 10 A G"), row("1 . 0 20 A T"), row("1 . 0 20 C T"), row("2 rs2 0 5 0 0")];
        let words = alleles(&variants).unwrap();
        assert_eq!(words[..4], ["rs1_A", "rs1_G", "1:20_A", "1:20_T"]);
        assert_eq!(words[4..], ["1:20:2_C", "1:20:2_T", "rs2_01", "rs2_02"]);
        assert!(alleles(&[row("1 rs1 0")]).unwrap_err().contains("line 1"));
    }
}
