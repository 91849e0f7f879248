//! Models of records: the flags that `fit`, `check` and `sweep` share.

use clap::{Args, ValueEnum};
use svtd::models::classes::ItemChoice;
use svtd::models::engine::{Criterion as Choice, Effort as Hardness};
use svtd::models::raters::RaterColumns;
use svtd::models::table::TableReader;

use super::{ModelKind, first};

/// What is learned: topics of documents, or a model of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AnyKind {
    /// Documents mix topics.
    #[default]
    Lda,
    /// Each document is about one topic.
    SingleTopic,
    /// Each record of a table belongs to a latent class.
    Classes,
    /// Raters label items, and nobody knows the truth.
    Raters,
}

impl AnyKind {
    /// The kind of topic model, if it is one.
    pub fn topics(self) -> Option<ModelKind> {
        match self {
            AnyKind::Lda => Some(ModelKind::Lda),
            AnyKind::SingleTopic => Some(ModelKind::SingleTopic),
            AnyKind::Classes | AnyKind::Raters => None,
        }
    }
}

/// What concerns models of records only.
#[derive(Debug, Args)]
#[command(next_help_heading = "Records (--model classes, raters)")]
pub struct RecordFlags {
    /// Classes: the columns that are items [default: all but the weights]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub items: Vec<String>,

    /// Classes: items that are real numbers, normal within a class [default: numbers with a
    /// fraction, or with more than 20 values]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub real_items: Vec<String>,

    /// Classes: items that are counts, Poisson within a class
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub count_items: Vec<String>,

    /// Classes: items whose numbers are codes, however many
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub code_items: Vec<String>,

    /// Classes: the column with the weight of each record, or with how many records a row of
    /// patterns stands for
    #[arg(long, value_name = "NAME")]
    pub weight_column: Option<String>,

    /// Raters: the column with what was rated [default: item]
    #[arg(long, value_name = "NAME")]
    pub item_column: Option<String>,

    /// Raters: the column with who rated [default: rater]; --label-column has what was said
    #[arg(long, value_name = "NAME")]
    pub rater_column: Option<String>,

    /// Cells that are missing, beside empty ones [default: NA,NaN,nan,null,NULL]
    #[arg(long, value_name = "CELLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,

    /// Weight of the prior; 0 is plain maximum likelihood [default: 1]
    #[arg(long, value_name = "A", value_parser = at_least_zero, allow_negative_numbers = true)]
    pub prior: Option<f64>,

    /// How hard to search beyond the starts: not at all, from the best, from the best two
    /// [default: best-two]
    #[arg(long, value_enum)]
    pub effort: Option<Effort>,

    /// -k auto: what chooses the number of classes [default: aic3]
    #[arg(long, value_enum)]
    pub criterion: Option<Criterion>,
}

impl RecordFlags {
    /// The first flag given, for a model that has no use for it.
    pub fn given(&self) -> Option<&'static str> {
        first(&[
            (!self.items.is_empty(), "--items"),
            (!self.real_items.is_empty(), "--real-items"),
            (!self.count_items.is_empty(), "--count-items"),
            (!self.code_items.is_empty(), "--code-items"),
            (self.weight_column.is_some(), "--weight-column"),
            (self.item_column.is_some(), "--item-column"),
            (self.rater_column.is_some(), "--rater-column"),
            (self.missing.is_some(), "--missing"),
            (self.prior.is_some(), "--prior"),
            (self.effort.is_some(), "--effort"),
            (self.criterion.is_some(), "--criterion"),
        ])
    }

    /// The items as the library spells them.
    pub fn choice(&self) -> ItemChoice {
        ItemChoice {
            items: self.items.clone(),
            real: self.real_items.clone(),
            counts: self.count_items.clone(),
            categorical: self.code_items.clone(),
            weights: self.weight_column.clone(),
        }
    }

    /// The columns of ratings.
    pub fn rater_columns(&self, label: Option<&str>) -> RaterColumns {
        let usual = RaterColumns::default();
        RaterColumns {
            item: self.item_column.clone().unwrap_or(usual.item),
            rater: self.rater_column.clone().unwrap_or(usual.rater),
            label: label.map_or(usual.label, str::to_owned),
        }
    }

    /// A reader of tables that knows what is missing.
    pub fn reader(&self) -> TableReader {
        match &self.missing {
            None => TableReader::new(),
            Some(cells) => TableReader::new().missing(cells.iter().cloned()),
        }
    }
}

/// How hard to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// The starts and the ladder alone.
    Starts,
    /// Moves up and down from the best of them.
    Best,
    /// The same from the best two.
    BestTwo,
}

impl From<Effort> for Hardness {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Starts => Hardness::Starts,
            Effort::Best => Hardness::Best,
            Effort::BestTwo => Hardness::BestTwo,
        }
    }
}

/// What chooses the number of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Three for every parameter.
    Aic3,
    /// Two for every parameter.
    Aic,
    /// log N for every parameter.
    Bic,
    /// log((N + 2)/24) for every parameter.
    AdjustedBic,
    /// log N + 1 for every parameter.
    Caic,
}

impl From<Criterion> for Choice {
    fn from(criterion: Criterion) -> Self {
        match criterion {
            Criterion::Aic3 => Choice::Aic3,
            Criterion::Aic => Choice::Aic,
            Criterion::Bic => Choice::Bic,
            Criterion::AdjustedBic => Choice::SampleAdjustedBic,
            Criterion::Caic => Choice::Caic,
        }
    }
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|a: &f64| a.is_finite() && *a >= 0.0);
    number.ok_or_else(|| "expected a number of at least 0".to_owned())
}
