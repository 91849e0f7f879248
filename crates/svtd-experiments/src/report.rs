//! The report: statements of the paper beside our measurements.
//!
//! The result of an experiment is a [`Section`]; a [`Report`] is a list of them, as Markdown with separate figures,
//! or as one HTML file with the figures inside.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::table::Table;
use svtd_report::escape;
use svtd_report::figure::Figure;

/// Whether a statement was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was confirmed.
    Holds,
    /// It was confirmed under conditions that the measurement names.
    Partly,
    /// It was not confirmed.
    Fails,
}

impl Verdict {
    /// `Holds` if `yes`, else `Fails`.
    pub fn of(yes: bool) -> Self {
        if yes { Verdict::Holds } else { Verdict::Fails }
    }

    /// The verdict in one or two words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Partly => "holds in part",
            Verdict::Fails => "does not hold",
        }
    }
}

/// A statement of the paper, or an expectation of ours, with the measurement.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Where it comes from: `Section 6.1`, `Figure 1`, `expected`.
    pub source: String,
    /// The statement, in our words.
    pub said: String,
    /// What was measured.
    pub measured: String,
    /// How the two compare.
    pub verdict: Verdict,
}

impl Claim {
    /// A claim with its measurement.
    pub fn new(
        source: &str,
        said: impl Into<String>,
        measured: impl Into<String>,
        verdict: Verdict,
    ) -> Self {
        Self { source: source.to_owned(), said: said.into(), measured: measured.into(), verdict }
    }
}

/// A drawing with its file name (without ending) and a caption.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The file's name without its ending.
    pub name: String,
    /// The caption.
    pub caption: String,
    /// The drawing.
    pub figure: Figure,
}

/// Numbers that are written to a separate file.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The file's name without its ending.
    pub name: String,
    /// The numbers.
    pub table: Table,
}

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Section {
    /// The name of the experiment.
    pub name: &'static str,
    /// The title, one line.
    pub title: String,
    /// What was run.
    pub setting: String,
    /// The paper's figure or table, in words.
    pub paper_figure: String,
    /// Statements and measurements.
    pub claims: Vec<Claim>,
    /// Tables to read.
    pub tables: Vec<Table>,
    /// Figures to look at.
    pub drawings: Vec<Drawing>,
    /// Numbers to compute with.
    pub numbers: Vec<Numbers>,
    /// Further notes for the reader.
    pub notes: Vec<String>,
}

impl Section {
    /// A section without content.
    pub fn new(name: &'static str, title: impl Into<String>) -> Self {
        Self {
            name,
            title: title.into(),
            setting: String::new(),
            paper_figure: String::new(),
            claims: Vec::new(),
            tables: Vec::new(),
            drawings: Vec::new(),
            numbers: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The claims, as a table.
    pub fn claims_table(&self) -> Table {
        let mut table = Table::new(
            "The paper's statements and ours beside what was measured",
            &["source", "said", "measured here", "verdict"],
        );
        for claim in &self.claims {
            table.push(vec![
                claim.source.as_str().into(),
                claim.said.as_str().into(),
                claim.measured.as_str().into(),
                claim.verdict.name().into(),
            ]);
        }
        table
    }

    /// The content of the report without drawings and numbers.
    pub fn summary(&self) -> Value {
        let table = |t: &Table| json!({ "caption": t.caption, "rows": t.to_json() });
        json!({
            "experiment": self.name,
            "title": self.title,
            "setting": self.setting,
            "claims": self.claims_table().to_json(),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// The summary with all numbers.
    pub fn to_json(&self) -> Value {
        let numbers: serde_json::Map<String, Value> =
            self.numbers.iter().map(|n| (n.name.clone(), n.table.to_json())).collect();
        let mut json = self.summary();
        json["numbers"] = Value::Object(numbers);
        json
    }

    /// The section as Markdown; drawings are linked as files beside it.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("## {}: {}\n\n", self.name, self.title);
        let mut paragraph = |content: &str| {
            if !content.is_empty() {
                // Writing to a string does not fail, here and below.
                let _ = write!(text, "{content}\n\n");
            }
        };
        paragraph(&labelled("What was run", &self.setting));
        paragraph(&labelled("The paper shows", &self.paper_figure));
        if !self.claims.is_empty() {
            paragraph(&self.claims_table().to_markdown());
        }
        for drawing in &self.drawings {
            paragraph(&format!("![{}]({}.svg)", drawing.caption, drawing.name));
            paragraph(&format!("*{}*", drawing.caption));
        }
        for table in &self.tables {
            paragraph(&table.caption);
            paragraph(&table.to_markdown());
        }
        let notes: Vec<String> = self.notes.iter().map(|note| format!("- {note}")).collect();
        paragraph(&notes.join("\n"));
        let files: Vec<String> = self.files().iter().map(|f| format!("[{f}]({f})")).collect();
        paragraph(&labelled("Numbers", &files.join(", ")));
        text
    }

    /// The files that its numbers go to.
    fn files(&self) -> Vec<String> {
        let csv = self.numbers.iter().map(|n| format!("{}.csv", n.name));
        csv.chain((!self.numbers.is_empty()).then(|| format!("{}.json", self.name))).collect()
    }

    /// The section as HTML, drawings inside.
    pub fn to_html(&self) -> String {
        let mut html =
            format!("<section id=\"{0}\">\n<h2>{0}: {1}</h2>\n", self.name, escape(&self.title));
        for (label, content) in
            [("What was run", &self.setting), ("The paper shows", &self.paper_figure)]
        {
            if !content.is_empty() {
                let _ = writeln!(html, "<p><b>{label}.</b> {}</p>", escape(content));
            }
        }
        if !self.claims.is_empty() {
            html.push_str(&self.claims_html());
        }
        for drawing in &self.drawings {
            let (svg, caption) = (drawing.figure.to_svg(), escape(&drawing.caption));
            let _ = writeln!(html, "<figure>\n{svg}<figcaption>{caption}</figcaption></figure>");
        }
        self.tables.iter().for_each(|table| html.push_str(&table.to_html()));
        if !self.notes.is_empty() {
            let items: String =
                self.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
            let _ = write!(html, "<ul>\n{items}</ul>\n");
        }
        let link = |file: &String| format!("<a href=\"{file}\">{file}</a>");
        let files: Vec<String> = self.files().iter().map(link).collect();
        if !files.is_empty() {
            let _ = writeln!(html, "<p><b>Numbers.</b> {}</p>", files.join(", "));
        }
        html.push_str("</section>\n");
        html
    }

    fn claims_html(&self) -> String {
        let mut html =
            "<div class=\"scroll\"><table class=\"claims\">\n<tr><th>source</th><th>said</th>\
                        <th>measured here</th><th>verdict</th></tr>\n"
                .to_owned();
        for claim in &self.claims {
            let class = match claim.verdict {
                Verdict::Holds => "holds",
                Verdict::Partly => "partly",
                Verdict::Fails => "fails",
            };
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
                escape(&claim.source),
                escape(&claim.said),
                escape(&claim.measured),
                claim.verdict.name()
            );
        }
        html.push_str("</table></div>\n");
        html
    }
}

fn labelled(label: &str, content: &str) -> String {
    if content.is_empty() { String::new() } else { format!("**{label}.** {content}") }
}

const TITLE: &str = "\"A New Spectral Method for Latent Variable Models\", run again";

const OPENING: &str = "Section 6 of the paper of Ruffini, Casanellas and Gavaldà, with the default of svtd \
beside it. What is said is the paper's, by section; where the source is \"expected\" it is what we ask of ourselves. \
\"The authors' code\" are figures measured beforehand with the program the authors published. Bands and ± are standard \
errors over seeds (bands: two of them). All numbers but times follow from the seeds and are the same on any number of \
threads. Times are CPU seconds of one thread.";

/// Sections in the order they were run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One for each experiment.
    pub sections: Vec<Section>,
    /// How it was made: the command and the version.
    pub made_by: String,
}

impl Report {
    /// `report.md`.
    pub fn to_markdown(&self) -> String {
        let sections: String = self.sections.iter().map(Section::to_markdown).collect();
        let opening = labelled("Made by", &self.made_by);
        let whole = format!("# {TITLE}\n\n{OPENING}\n\n{opening}\n\n{sections}");
        format!("{}\n", whole.trim_end())
    }

    /// Every file of the report by name: for each section its numbers as CSV and JSON and its
    /// drawings as SVG, then `report.html` and `report.md`.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for section in &self.sections {
            for numbers in &section.numbers {
                files.push((format!("{}.csv", numbers.name), numbers.table.to_csv()));
            }
            files.push((format!("{}.json", section.name), section.to_json().to_string()));
            for drawing in &section.drawings {
                files.push((format!("{}.svg", drawing.name), drawing.figure.to_svg()));
            }
        }
        files.push(("report.html".to_owned(), self.to_html()));
        files.push(("report.md".to_owned(), self.to_markdown()));
        files
    }

    /// `report.html`: one file that loads nothing else.
    pub fn to_html(&self) -> String {
        let links: String = self
            .sections
            .iter()
            .map(|s| format!("<li><a href=\"#{0}\">{0}</a>: {1}</li>\n", s.name, escape(&s.title)))
            .collect();
        let sections: String = self.sections.iter().map(Section::to_html).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p>{}</p>\n\
             <p><b>Made by.</b> {}</p>\n<ul>\n{links}</ul>\n{sections}</main>\n</body>\n</html>\n",
            escape(TITLE),
            svtd_report::STYLE,
            escape(TITLE),
            escape(OPENING),
            escape(&self.made_by),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut section = Section::new("moments", "errors < bounds");
        section.setting = "100 corpora".to_owned();
        section.claims.push(Claim::new("Section 6.1", "a | b", "1 & 2", Verdict::Fails));
        section.drawings.push(Drawing {
            name: "moments".to_owned(),
            caption: "the errors".to_owned(),
            figure: Figure::of_panels("errors", Vec::new()),
        });
        let mut table = Table::new("numbers", &["N"]);
        table.push(vec![5_usize.into()]);
        section.numbers.push(Numbers { name: "moments".to_owned(), table });
        section.notes.push("a note".to_owned());
        Report { sections: vec![section], made_by: "a test".to_owned() }
    }

    #[test]
    fn markdown_puts_claim_measurement_and_verdict_in_one_row() {
        let text = report().to_markdown();
        assert!(text.contains("| Section 6.1 | a \\| b | 1 & 2 | does not hold |"), "{text}");
        assert!(text.contains("![the errors](moments.svg)"));
        assert!(text.contains("[moments.csv](moments.csv), [moments.json](moments.json)"));
        assert!(text.ends_with("moments.json)\n"));
    }

    #[test]
    fn html_holds_everything_and_fetches_nothing() {
        let html = report().to_html();
        assert!(html.contains("<svg ") && html.contains("errors &lt; bounds"));
        assert!(html.contains("<td>1 &amp; 2</td><td class=\"fails\">does not hold</td>"));
        assert!(html.contains("<a href=\"moments.csv\">moments.csv</a>"));
        for fetched in ["src=", "<link", "<script", "@import", "url("] {
            assert!(!html.contains(fetched), "{fetched}");
        }
    }

    #[test]
    fn files_are_named_once_and_linked_from_the_report() {
        let files = report().files();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["moments.csv", "moments.json", "moments.svg", "report.html", "report.md"]
        );
        for name in &names[..3] {
            assert!(files[4].1.contains(&format!("({name})")), "{name}");
        }
    }

    #[test]
    fn json_has_claims_and_numbers_by_name() {
        let json = report().sections[0].to_json();
        assert_eq!(json["claims"][0]["verdict"], "does not hold");
        assert_eq!(json["numbers"]["moments"][0]["N"], 5);
    }
}
