//! Models of records: the flags that `fit`, `check` and `sweep` share.

use clap::{Args, ValueEnum};
use svtd::model::Kind;
use svtd::models::classes::ItemChoice;
use svtd::models::engine::{Criterion as Choice, Effort as Hardness};
use svtd::models::gaussian::Covariance as Shape;
use svtd::models::hmm::{Emissions as Law, SequenceColumns};
use svtd::models::raters::RaterColumns;
use svtd::models::table::TableReader;

use super::first;

/// The model: topics of documents, or a model of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AnyKind {
    /// Documents mix topics.
    #[default]
    Lda,
    /// Each document is about one topic.
    SingleTopic,
    /// Each record of a table belongs to a latent class.
    Classes,
    /// Raters label items, and the true labels are unknown.
    Raters,
    /// The steps of a sequence are emitted by the states of a hidden Markov chain.
    Hmm,
    /// Each record of numbers belongs to a component of a Gaussian mixture.
    Gaussian,
}

impl AnyKind {
    /// The kind of topic model, if it is one.
    pub fn topics(self) -> Option<Kind> {
        match self {
            AnyKind::Lda => Some(Kind::Lda),
            AnyKind::SingleTopic => Some(Kind::SingleTopic),
            AnyKind::Classes | AnyKind::Raters | AnyKind::Hmm | AnyKind::Gaussian => None,
        }
    }
}

/// Flags for models of records.
#[derive(Debug, Args)]
#[command(next_help_heading = "Records (--model classes, raters, hmm, gaussian)")]
pub struct RecordFlags {
    /// Classes: the columns that are items; gaussian: the columns of numbers [default: all but the weights]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub items: Vec<String>,

    /// Classes: items that are real numbers, normal within a class [default: numbers with a
    /// fraction, or with more than 20 values]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub real_items: Vec<String>,

    /// Classes: items that are counts, Poisson within a class
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub count_items: Vec<String>,

    /// Classes: items whose numbers are codes of categories, however many
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub code_items: Vec<String>,

    /// Classes, gaussian: the column with the weight of each record. Whole numbers count records, also for error
    /// bars; divide sampling weights by their mean
    #[arg(long, value_name = "NAME")]
    pub weight_column: Option<String>,

    /// Raters: the column with the rated item [default: item]
    #[arg(long, value_name = "NAME")]
    pub item_column: Option<String>,

    /// Raters: the column with the rater [default: rater]; --label-column has the label
    #[arg(long, value_name = "NAME")]
    pub rater_column: Option<String>,

    /// Hmm: the column that identifies the sequence [default: all rows are one sequence]
    #[arg(long, value_name = "NAME")]
    pub sequence_column: Option<String>,

    /// Hmm: the column by which the steps of a sequence are ordered [default: the order of the rows]
    #[arg(long, value_name = "NAME")]
    pub order_column: Option<String>,

    /// Hmm: the columns with the observations [default: all others]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub value_column: Vec<String>,

    /// Hmm: the distribution of the observations in a state [default: categorical for labels, gaussian for numbers
    /// with a fraction; for whole numbers poisson or, if at most ten different ones occur, categorical]
    #[arg(long, value_enum)]
    pub emissions: Option<Emissions>,

    /// Gaussian: the shape of covariances [default: full]
    #[arg(long, value_enum)]
    pub covariance: Option<Covariance>,

    /// Values that mean missing, in addition to empty cells [default: NA,NaN,nan,null,NULL]
    #[arg(long, value_name = "CELLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,

    /// Weight of the prior; 0 is plain maximum likelihood [default: 1; gaussian with full
    /// covariances: from .0001 to 1, by held-out records]
    #[arg(long, value_name = "A", value_parser = at_least_zero, allow_negative_numbers = true)]
    pub prior: Option<f64>,

    /// How much to search beyond the starts: not at all, from the best result, or from the best two [default:
    /// best-two]
    #[arg(long, value_enum)]
    pub effort: Option<Effort>,

    /// -k auto: the criterion that chooses the number of classes [default: aic3]
    #[arg(long, value_enum)]
    pub criterion: Option<Criterion>,
}

impl RecordFlags {
    /// The first given flag, for a model that does not use it.
    pub fn given(&self) -> Option<&'static str> {
        first(&[
            (!self.items.is_empty(), "--items"),
            (!self.real_items.is_empty(), "--real-items"),
            (!self.count_items.is_empty(), "--count-items"),
            (!self.code_items.is_empty(), "--code-items"),
            (self.weight_column.is_some(), "--weight-column"),
            (self.item_column.is_some(), "--item-column"),
            (self.rater_column.is_some(), "--rater-column"),
            (self.sequence_column.is_some(), "--sequence-column"),
            (self.order_column.is_some(), "--order-column"),
            (!self.value_column.is_empty(), "--value-column"),
            (self.emissions.is_some(), "--emissions"),
            (self.covariance.is_some(), "--covariance"),
            (self.missing.is_some(), "--missing"),
            (self.prior.is_some(), "--prior"),
            (self.effort.is_some(), "--effort"),
            (self.criterion.is_some(), "--criterion"),
        ])
    }

    /// The first given flag that this model of records does not use.
    pub fn of_others(&self, model: AnyKind) -> Option<&'static str> {
        use AnyKind::{Classes, Gaussian, Hmm, Raters};
        let unless = |models: &[AnyKind], given: bool| given && !models.contains(&model);
        first(&[
            (unless(&[Classes, Gaussian], !self.items.is_empty()), "--items"),
            (unless(&[Classes], !self.real_items.is_empty()), "--real-items"),
            (unless(&[Classes], !self.count_items.is_empty()), "--count-items"),
            (unless(&[Classes], !self.code_items.is_empty()), "--code-items"),
            (unless(&[Classes, Gaussian], self.weight_column.is_some()), "--weight-column"),
            (unless(&[Raters], self.item_column.is_some()), "--item-column"),
            (unless(&[Raters], self.rater_column.is_some()), "--rater-column"),
            (unless(&[Hmm], self.sequence_column.is_some()), "--sequence-column"),
            (unless(&[Hmm], self.order_column.is_some()), "--order-column"),
            (unless(&[Hmm], !self.value_column.is_empty()), "--value-column"),
            (unless(&[Hmm], self.emissions.is_some()), "--emissions"),
            (unless(&[Gaussian], self.covariance.is_some()), "--covariance"),
            (unless(&[Classes, Hmm, Gaussian], self.effort.is_some()), "--effort"),
            (unless(&[Classes, Hmm, Gaussian], self.criterion.is_some()), "--criterion"),
        ])
    }

    /// The choice of items for the library.
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

    /// The columns of sequences.
    pub fn sequence_columns(&self) -> SequenceColumns {
        SequenceColumns {
            sequence: self.sequence_column.clone(),
            order: self.order_column.clone(),
            values: self.value_column.clone(),
        }
    }

    /// A reader of tables with the values that mean missing.
    pub fn reader(&self) -> TableReader {
        match &self.missing {
            None => TableReader::new(),
            Some(cells) => TableReader::new().missing(cells.iter().cloned()),
        }
    }
}

/// The distribution of the observations in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emissions {
    /// A category in each column.
    Categorical,
    /// A count in each column.
    Poisson,
    /// A number in each column.
    Gaussian,
    /// Counts of symbols, one column for each symbol.
    Multinomial,
}

impl From<Emissions> for Law {
    fn from(emissions: Emissions) -> Self {
        match emissions {
            Emissions::Categorical => Law::Categorical,
            Emissions::Poisson => Law::Poisson,
            Emissions::Gaussian => Law::Gaussian,
            Emissions::Multinomial => Law::Multinomial,
        }
    }
}

/// The shape of covariances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Covariance {
    /// One matrix for each component.
    Full,
    /// One variance for each variable and component.
    Diagonal,
    /// One variance for each component.
    Spherical,
    /// One matrix for all components.
    Tied,
}

impl From<Covariance> for Shape {
    fn from(covariance: Covariance) -> Self {
        match covariance {
            Covariance::Full => Shape::Full,
            Covariance::Diagonal => Shape::Diagonal,
            Covariance::Spherical => Shape::Spherical,
            Covariance::Tied => Shape::Tied,
        }
    }
}

/// How much to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// Only the starts and the ladder.
    Starts,
    /// Also moves up and down from the best result.
    Best,
    /// Also moves up and down from the best two results.
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

/// The criterion that chooses the number of classes, by its penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// 3 per parameter.
    Aic3,
    /// 2 per parameter.
    Aic,
    /// log N per parameter.
    Bic,
    /// log((N + 2)/24) per parameter.
    AdjustedBic,
    /// log N + 1 per parameter.
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
