//! The sections of a page, as shown without a script.

use std::fmt::Write;

use crate::context::{Context, Groups};
use crate::draw;
use crate::html::{Cell, Table, escape, percent};

/// Number of small figures in one section; the other topics are in its table.
const FIGURES: usize = 24;

/// Words of a topic in the table of topics.
const TABLE_WORDS: usize = 12;

pub(super) fn body(context: &Context) -> String {
    let mut sections = vec![
        ("verdict", "Verdict", verdict(context)),
        ("topics", "Topics", topics(context)),
        ("map", "Map", map(context)),
    ];
    sections.extend(how_many(context).map(|html| ("how-many", "How many topics?", html)));
    sections.extend(context.time.as_ref().map(|g| ("time", "Over time", over_time(context, g))));
    sections.extend(context.label.as_ref().map(|g| ("labels", "By label", by_label(context, g))));
    sections.extend(documents(context).map(|html| ("documents", "Documents", html)));
    sections.push(("made", "How it was made", made(context)));

    let links: String = sections
        .iter()
        .map(|(id, name, _)| format!("<li><a href=\"#{id}\">{name}</a></li>"))
        .collect();
    let mut html = format!(
        "<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n<header><h1><bdi>{}</bdi></h1>\
         </header>\n<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n<main>\n\
         <p id=\"trouble\" role=\"alert\" hidden></p>\n",
        escape(&context.title),
    );
    for (id, name, content) in &sections {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            html,
            "<section id=\"{id}\" aria-labelledby=\"h-{id}\">\n<h2 id=\"h-{id}\">{name}</h2>\n\
             {content}</section>"
        );
    }
    html.push_str(
        "</main>\n<footer><p>Made by svtd. This file is complete: it fetches nothing and sends \
         nothing.</p></footer>",
    );
    html
}

fn verdict(context: &Context) -> String {
    let items = |list: &[String]| -> String {
        list.iter().map(|item| format!("<li>{}</li>", escape(item))).collect()
    };
    let verdict = &context.verdict;
    format!(
        "<div class=\"card\"><p class=\"found\">{}</p><div class=\"verdict\"><div><h3>How far to \
         believe it</h3><ol>{}</ol></div><div><h3>What to do about it</h3><ul>{}</ul></div></div></div>\n",
        escape(&verdict.found),
        items(&verdict.belief),
        items(&verdict.advice)
    )
}

/// The name of a topic beside its number; the script updates it when the reader changes it.
fn called(context: &Context, j: usize, n: usize) -> String {
    let topic = &context.topics[j];
    let name = topic.name.clone().unwrap_or_else(|| topic.caption(&context.words, n));
    format!("<bdi data-topic-name=\"{j}\">{}</bdi>", escape(&name))
}

fn topics(context: &Context) -> String {
    let mut html = "<p class=\"lead\">Topics are numbered by falling share, the same in every run. \
                    The interval behind a probability covers the truth in about 95 of 100 cases, for a topic that is \
                    found again: where it is not, other documents would show another topic.</p>\n"
        .to_owned();
    html.push_str(TOPIC_VIEW);
    let _ = writeln!(
        html,
        "<details class=\"numbers\" open><summary>All topics in one table</summary>{}</details>",
        topic_table(context).to_html()
    );
    html
}

/// The part that the script fills: a list of topics and one of them in full.
const TOPIC_VIEW: &str = r#"<div class="view needs-script" hidden>
<ul class="list" id="list" role="listbox" tabindex="0" aria-label="Topics: arrow keys choose, Enter opens, Escape comes back"></ul>
<article class="card detail" id="detail" tabindex="-1" aria-label="The chosen topic">
<h3 id="topic-title" aria-live="polite"></h3>
<ul class="flags" id="flags" aria-label="What is to be said about it"></ul>
<p class="evidence" id="evidence"></p>
<div class="tools"><label for="topic-name">Name</label> <input id="topic-name" type="text" maxlength="200" autocomplete="off" placeholder="what would you call it?">
<button type="button" id="save-page">Save this page with its names</button> <button type="button" id="save-names">Save names.json</button></div>
<p class="key" id="named" aria-live="polite"></p>
<fieldset><legend>Words by</legend>
<label><input type="radio" name="order" value="probability"> probability</label>
<label><input type="radio" name="order" value="relevance"> relevance</label>
<label><input type="radio" name="order" value="frex"> FREX</label>
<label><input type="radio" name="order" value="lift"> lift</label></fieldset>
<p id="lambda-part"><label>lambda <input id="lambda" type="range" min="0" max="1" step="0.05"></label> <output id="lambda-value" for="lambda"></output> <span class="key">0: the topic's own words, 1: its most frequent words</span></p>
<figure><div id="bars"></div><figcaption class="key">Bar: probability in the topic. Whisker: 95 % interval, where it is known. Dashed line: probability in all topics together.</figcaption></figure>
<details class="numbers"><summary>These words in numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="These words in numbers"><table data-file="words"><caption class="unseen">These words in numbers</caption><thead><tr><th scope="col">word</th><th scope="col">probability in %</th><th scope="col">± (95 %)</th><th scope="col">lift</th><th scope="col">in all topics in %</th></tr></thead><tbody id="word-rows"></tbody></table></div></details>
<div id="nearest-part"><h4>Nearest topics</h4><div class="chips" id="nearest"></div></div>
<figure id="over-time"></figure>
<div id="examples-part"><h4>Documents that show it best</h4><ul class="examples" id="examples"></ul></div>
</article></div>
"#;

fn topic_table(context: &Context) -> Table {
    let mut table = Table::new(
        "topics",
        "All topics in one table",
        &[
            "topic",
            "name",
            "share",
            "likeliest words with probabilities in % (± 95 %)",
            "verdict",
            "documents' worth",
            "nearest",
        ],
    );
    for (j, topic) in context.topics.iter().enumerate() {
        let word = |w: &crate::context::ShownWord| {
            let reach = w.reach.map_or(String::new(), |r| format!(" ± {:.2}", 100.0 * r));
            format!("{} {:.2}{reach}", context.words.names[w.word], 100.0 * w.probability)
        };
        let words: Vec<String> = topic.words.iter().take(TABLE_WORDS).map(word).collect();
        let nearest = topic.nearest.first();
        table.rows.push(vec![
            (j + 1).into(),
            topic.name.clone().unwrap_or_default().into(),
            Cell::percent(topic.share),
            words.join(", ").into(),
            topic.flags.join("; ").into(),
            Cell::real(Some(topic.documents), 0),
            nearest.map_or(Cell::Number("–".to_owned()), |(other, _)| (other + 1).into()),
        ]);
    }
    table
}

fn map(context: &Context) -> String {
    let (svg, table) = draw::map(context);
    let k = context.topics.len();
    let lead = match k {
        1 => "There is one topic, so there is no distance to show.".to_owned(),
        _ => format!(
            "Topics that share words lie close; the area of a circle is the topic's share. Distances are \
             Hellinger's, from 0 (the same words) to 1 (no word in common). No plane holds all of them: \
             this one keeps {} of the squared distances, so trust the table where two topics seem to touch.",
            percent(context.map.kept)
        ),
    };
    format!(
        "<p class=\"lead\">{lead}</p>\n<div class=\"beside\"><figure class=\"map card\">{svg}</figure>\n\
         <div class=\"needs-script\" hidden><p class=\"live\" id=\"word-topics\" aria-live=\"polite\"></p>\
         <p class=\"find\"><label>Find a word <input id=\"word-find\" list=\"word-list\" type=\"search\" \
         autocomplete=\"off\"></label><datalist id=\"word-list\"></datalist></p>\
         <div class=\"chips\" id=\"word-chips\" role=\"group\" aria-label=\"Words of the chosen topic\"></div></div></div>\n{}",
        table.folded()
    )
}

fn how_many(context: &Context) -> Option<String> {
    let mut html = String::new();
    if let Some(chosen) = &context.chosen {
        let _ = writeln!(html, "<p>{}</p>", escape(chosen));
    }
    let Some(sweep) = &context.sweep else {
        let (figure, table) = draw::directions_figure(&context.diagnostics)?;
        let _ = writeln!(
            html,
            "<p class=\"lead\">{}</p>\n<figure class=\"card wide\" tabindex=\"0\">{}</figure>\n{}\
             <p class=\"key\">svtd sweep compares every number of topics; give its file with --sweep to see it here.</p>",
            escape(&figure.title),
            figure.in_page(),
            table.folded()
        );
        return Some(html);
    };
    let why = &sweep.recommendation;
    let range = if why.low == why.high {
        format!("{}", why.low)
    } else {
        format!("{} to {}", why.low, why.high)
    };
    let _ = writeln!(
        html,
        "<p class=\"lead\">Worth a look: <strong>{range} topics</strong>. This model has {}.</p>",
        context.topics.len()
    );
    if !sweep.reasons.is_empty() {
        let items: String =
            sweep.reasons.iter().map(|why| format!("<li>{}</li>\n", escape(why))).collect();
        let _ = writeln!(html, "<ul class=\"reasons\">\n{items}</ul>");
    }
    let figures = [
        Some(draw::spectrum_figure(sweep)),
        draw::prediction_figure(sweep),
        draw::found_figure(sweep),
    ];
    for figure in figures.into_iter().flatten() {
        let _ = writeln!(
            html,
            "<figure class=\"card wide\" tabindex=\"0\"><figcaption>{}</figcaption>{}</figure>",
            escape(&figure.title),
            figure.in_page()
        );
    }
    html.push_str(&draw::sweep_table(sweep).folded());
    if let Some((svg, table)) = draw::tree(sweep) {
        let _ = writeln!(
            html,
            "<h3>Which topic split into which</h3>\n<p class=\"key\">From left to right the number of topics \
             grows; a branch begins where a topic appears, at the topic it was split from.</p>\n\
             <figure class=\"card wide\" tabindex=\"0\">{svg}</figure>\n{}",
            table.folded()
        );
    }
    Some(html)
}

/// A small figure for each of the largest topics.
fn multiples(context: &Context, kind: &str, draw: impl Fn(usize) -> String) -> String {
    let mut html = "<div class=\"multiples\">\n".to_owned();
    for j in 0..context.topics.len().min(FIGURES) {
        let _ = writeln!(
            html,
            "<figure data-{kind}=\"{j}\"><figcaption><strong>{}</strong> {}</figcaption>{}</figure>",
            j + 1,
            called(context, j, 4),
            draw(j)
        );
    }
    html.push_str("</div>\n");
    if context.topics.len() > FIGURES {
        let _ = writeln!(
            html,
            "<p class=\"key\">The {FIGURES} largest topics are drawn; the table has all {}.</p>",
            context.topics.len()
        );
    }
    html
}

fn over_time(context: &Context, groups: &Groups) -> String {
    let unit = groups.span.as_ref().map_or("a period", |span| span.unit.as_str());
    let left_out = match groups.n_left_out {
        0 => String::new(),
        n => format!(" {n} documents without a time that can be read are left out."),
    };
    let wordless = without_words(groups);
    let caption = "Shares by period in % (95 % interval)";
    format!(
        "<p class=\"lead\">The mean share of each topic in periods of {unit}, estimated from the words of \
         each document without a prior, with its 95 % band given the topics. Each figure has its own \
         scale.{left_out}{wordless}</p>\n{}{}",
        multiples(context, "time", |j| draw::time_figure(context, groups, j)),
        draw::shares_table(context, groups, "shares-by-period", caption).folded()
    )
}

fn without_words(groups: &Groups) -> String {
    match groups.n_without_words {
        0 => String::new(),
        n => format!(" Documents without a word that the model knows have no share: {n}."),
    }
}

fn by_label(context: &Context, groups: &Groups) -> String {
    let left_out = match groups.n_labels_left_out {
        0 => String::new(),
        n => format!(" {n} rarer labels, with {} documents, are left out.", groups.n_left_out),
    };
    let wordless = without_words(groups);
    let caption = "Shares by label in % (95 % interval)";
    format!(
        "<p class=\"lead\">The mean share of each topic in the documents of a label, where it is largest, \
         estimated from the words of each document without a prior; the line is the 95 % interval given the \
         topics. No label was used in the fit.{left_out}{wordless}</p>\n{}{}",
        multiples(context, "label", |j| draw::label_figure(context, groups, j)),
        draw::shares_table(context, groups, "shares-by-label", caption).folded()
    )
}

const DOCUMENT_VIEW: &str = r#"<div class="needs-script" hidden>
<div class="tools find"><label>Find <input id="find" type="search" autocomplete="off" placeholder="name, label or words"></label>
<label>Sort by <select id="sort"><option value="order">order of the documents</option><option value="length">length</option>TIME</select></label>
<span id="documents-shown" role="status"></span></div>
<ul class="documents" id="documents-list"></ul>
<button type="button" id="more">Show more</button></div>
"#;

fn documents(context: &Context) -> Option<String> {
    let documents = context.documents.as_ref()?;
    let sample = match documents.shown.len() {
        n if n == documents.n_all => format!("All {n} documents are shown."),
        n => format!(
            "{n} of {} documents are shown: those that show a topic best, and a sample of the others.",
            documents.n_all
        ),
    };
    let text = match (documents.is_silent, documents.has_text) {
        (true, _) => " What they say was left out.",
        (false, true) => {
            " A word is underlined in the colour of the topic it is about most, with its number."
        }
        (false, false) => "",
    };
    let time = context.time.as_ref().map_or("", |_| "<option value=\"time\">time</option>");
    let mut table = Table::new(
        "documents",
        "The documents shown, in one table",
        &["document", "label", "time", "words", "main topics"],
    );
    for document in &documents.shown {
        let shares = document.mixture.iter().take(3);
        let shares: Vec<String> =
            shares.map(|(j, s)| format!("{}: {}", j + 1, percent(*s))).collect();
        table.rows.push(vec![
            document.name.as_str().into(),
            document.label.clone().unwrap_or_default().into(),
            document.time.clone().unwrap_or_default().into(),
            Cell::Number(document.length.to_string()),
            if document.length == 0 { "no words".to_owned() } else { shares.join(", ") }.into(),
        ]);
    }
    Some(format!(
        "<p class=\"lead\">{sample}{text}</p>\n{}<details class=\"numbers\" open><summary>{}</summary>{}</details>\n",
        DOCUMENT_VIEW.replace("TIME", time),
        escape(&table.caption),
        table.to_html()
    ))
}

fn made(context: &Context) -> String {
    let rows: String = context
        .made
        .iter()
        .map(|(what, value)| {
            format!("<dt>{}</dt><dd><bdi>{}</bdi></dd>", escape(what), escape(value))
        })
        .collect();
    let mut html = format!("<dl class=\"made\">{rows}</dl>\n");
    if !context.again.is_empty() {
        let _ = writeln!(
            html,
            "<p>The same bytes again:</p>\n<pre tabindex=\"0\">{}</pre>",
            escape(&context.again.join("\n"))
        );
    }
    html
}
