//! What Gaussian mixtures and hidden Markov models share around the search: its options, the choice of the number
//! of components, and the record of a fit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::engine::{
    Climbed, Criteria, Criterion, Effort, Found, FoundAgain, LatentModel, Search, StartEnd,
    agreement,
};
use super::learned::{Parts, found_again_fact, json_of};
use crate::error::{Error, Result};

/// Called with the number of stages done and the total.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Reports part `part` of `parts` equal parts of a longer work.
pub(super) fn part_of(
    watch: Watch<'_>,
    part: usize,
    parts: usize,
) -> impl Fn(usize, usize) + Sync + '_ {
    move |done, of| watch(part * of + done, parts * of)
}

/// The number of components, and the options of the search.
#[derive(Clone, Debug)]
pub(super) struct FitOptions {
    /// `None`: the data choose.
    pub n_components: Option<usize>,
    /// The largest number of components that the data may choose.
    pub most: usize,
    pub effort: Effort,
    pub criterion: Criterion,
    pub error_bars: bool,
    /// Starts of the model that are left out.
    pub without: Vec<String>,
}

/// Criteria by number of components.
pub(super) type Path = Vec<(usize, Criteria)>;

impl FitOptions {
    /// This many components.
    pub fn fixed(n_components: usize) -> Self {
        Self {
            n_components: Some(n_components),
            most: 8,
            effort: Effort::default(),
            criterion: Criterion::default(),
            error_bars: true,
            without: Vec::new(),
        }
    }

    /// As many as the data choose, at most `most`.
    pub fn auto(most: usize) -> Self {
        Self { n_components: None, most, ..Self::fixed(1) }
    }

    /// The number asked for, 1 where the data choose.
    ///
    /// # Errors
    /// When it is zero; `name` is what the number is called.
    pub fn check(&self, name: &'static str) -> Result<usize> {
        match self.n_components.unwrap_or(1).min(self.most) {
            0 => Err(option(name, "at least 1", 0.0)),
            _ => Ok(self.n_components.unwrap_or(1)),
        }
    }

    /// A sentence about a number of components with more parameters than there are records, before time is spent on
    /// them. `names` are those of a record and of a component, in the plural.
    pub fn doubt<M: LatentModel>(
        &self,
        model: &M,
        n_records: f64,
        names: [&str; 2],
    ) -> Option<String> {
        let k = self.n_components.filter(|k| *k > 1)?;
        let fits = |k: &usize| model.n_free_parameters(*k) as f64 <= n_records;
        if fits(&k) {
            return None;
        }
        let most = (1..k).take_while(fits).count().max(1);
        let ([records, components], n) = (names, model.n_free_parameters(k));
        Some(format!(
            "{k} {components} have {n} parameters, more than there are {records} ({n_records}); a search for so many \
             takes long and finds what does not come back, ask for {most} or fewer"
        ))
    }

    /// The number of components with the smallest criterion, and the criteria of all, for `n_records` records.
    pub fn choose<M: LatentModel + Send>(
        &self,
        model: &M,
        n_records: f64,
        watch: Watch<'_>,
    ) -> (usize, Path) {
        let most = self.most.min(model.n_rows());
        let path = criteria_path(model, most, Effort::Best, n_records, watch);
        (least(&path, self.criterion), path)
    }
}

/// Criteria of 1 to `most` components on `n_records` records.
pub(super) fn criteria_path<M: LatentModel + Send>(
    model: &M,
    most: usize,
    effort: Effort,
    n_records: f64,
    watch: Watch<'_>,
) -> Path {
    let found = Search::new(model).effort(effort).watch(watch).path(1..=most);
    let criteria = |(k, found): (usize, &Found<M::Parameters>)| {
        let log_likelihood = model.log_likelihood(&found.parameters);
        (k, Criteria::new(log_likelihood, model.n_free_parameters(k), n_records))
    };
    (1..).zip(&found).map(criteria).collect()
}

/// The number of components with the smallest criterion; ties go to the fewest.
pub(super) fn least(path: &[(usize, Criteria)], criterion: Criterion) -> usize {
    let value = |(_, criteria): &(usize, Criteria)| criteria.get(criterion);
    let best = path.iter().min_by(|a, b| value(a).total_cmp(&value(b)).then(a.0.cmp(&b.0)));
    best.map_or(1, |(k, _)| *k)
}

/// The error for an option that is out of range.
pub(super) fn option(name: &'static str, needed: &str, found: f64) -> Error {
    Error::Option { name, needed: needed.to_owned(), found: found.to_string() }
}

/// The result of one climb in the form of a search result.
pub(super) fn found_by_climbing<P>(end: Climbed<P>) -> Found<P> {
    Found {
        parameters: end.parameters,
        objective: end.objective,
        converged: end.converged,
        starts: Vec::new(),
        steps: end.steps,
    }
}

/// The record of a fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FitRecord {
    /// The weight of the prior that was used.
    pub prior: f64,
    /// The objective reached: log-likelihood plus logarithm of the prior.
    pub objective: f64,
    /// Whether EM converged.
    pub converged: bool,
    /// Steps of EM in all.
    pub steps: usize,
    /// The result of every start.
    pub starts: Vec<StartEnd>,
    /// Log-likelihood at the estimate, number of parameters, and the criteria made of them.
    pub criteria: Criteria,
    /// Criteria of every number of components that was compared, when the data chose it.
    pub path: Vec<(usize, Criteria)>,
    /// The criterion by which the data chose it.
    pub criterion: Criterion,
    /// How well every component is found again in halves of the records; empty where that was not measured.
    pub found_again: Vec<FoundAgain>,
    /// Notes for the user about what the data did not support.
    pub notes: Vec<String>,
}

impl FitRecord {
    /// The record of a search.
    pub(super) fn new<P>(prior: f64, found: &Found<P>, criteria: Criteria, path: Path) -> Self {
        Self {
            prior,
            objective: found.objective,
            converged: found.converged,
            steps: found.steps,
            starts: found.starts.clone(),
            criteria,
            path,
            criterion: Criterion::default(),
            found_again: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The record of parameters that came from elsewhere.
    pub(super) fn unknown() -> Self {
        Self {
            prior: 0.0,
            objective: f64::NEG_INFINITY,
            converged: true,
            steps: 0,
            starts: Vec::new(),
            criteria: Criteria::new(0.0, 0, 0.0),
            path: Vec::new(),
            criterion: Criterion::default(),
            found_again: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How many of the starts reached the best objective, and how many there were.
    pub fn agreement(&self) -> (usize, usize) {
        agreement(&self.starts)
    }

    /// Adds notes that apply to any model: more parameters than `records`, and EM that did not converge; `fewer`
    /// says what to ask for instead.
    pub(super) fn note(&mut self, records: &str, fewer: &str) {
        let c = &self.criteria;
        if c.n_parameters as f64 > c.n_records {
            self.notes.push(format!(
                "{} parameters were fitted to {} {records}; ask for {fewer}",
                c.n_parameters, c.n_records
            ));
        }
        if !self.converged {
            self.notes.push("EM had not converged when its steps ran out".to_owned());
        }
    }

    /// Facts about the fit of `n` components, which are called `name`; `own` are those of the model itself.
    pub(super) fn facts(
        &self,
        (name, n): (&'static str, usize),
        own: (&'static str, String),
    ) -> Vec<(&'static str, String)> {
        let c = &self.criteria;
        let (reached, starts) = self.agreement();
        let mut facts = vec![
            (
                "log-likelihood",
                format!("{:.4} with {} parameters", c.log_likelihood, c.n_parameters),
            ),
            ("criteria", format!("AIC {:.2}, AIC3 {:.2}, BIC {:.2}", c.aic, c.aic3, c.bic)),
            own,
            ("starts", format!("{reached} of {starts} reach this solution")),
        ];
        if !self.path.is_empty() {
            let compared = self.path.iter().map(|(k, criteria)| (*k, criteria));
            facts.insert(0, (name, self.criterion.choice(n, compared)));
        }
        facts.extend(found_again_fact(&self.found_again));
        facts
    }

    /// Its fields beside those of the model, for `--json` and the model file.
    ///
    /// # Errors
    /// When a value cannot be serialised.
    pub(super) fn beside(&self, own: Value) -> Result<Map<String, Value>> {
        let mut fields = own.as_object().cloned().unwrap_or_default();
        fields.extend(json_of(self)?.as_object().cloned().unwrap_or_default());
        fields.insert("agreement".to_owned(), json_of(&self.agreement())?);
        Ok(fields)
    }

    /// The record in the header of a model file.
    ///
    /// # Errors
    /// The end of a sentence about the file, when a field is missing or of another shape.
    pub(super) fn from_parts(parts: &Parts) -> std::result::Result<Self, String> {
        Ok(Self {
            prior: parts.field("prior")?,
            objective: parts.field("objective")?,
            converged: parts.field("converged")?,
            steps: parts.field("steps")?,
            starts: parts.field("starts")?,
            criteria: parts.field("criteria")?,
            path: parts.field("path")?,
            // Older files have neither.
            criterion: parts.field("criterion").unwrap_or_default(),
            found_again: parts.field("found_again").unwrap_or_default(),
            notes: parts.field("notes")?,
        })
    }
}
