//! What the program prints for programs follows the schemas in `docs/schemas`.

use std::path::Path;

use serde_json::Value;

use crate::workspace::Workspace;

/// What is wrong with a value, by the part of JSON Schema that our schemas use.
fn wrong(value: &Value, schema: &Value, at: &str) -> Option<String> {
    if let Some(expected) = schema.get("const") {
        return (value != expected).then(|| format!("{at}: {value} is not {expected}"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.contains(&is) {
        return Some(format!("{at}: {is} is none of {types:?}"));
    }
    match value {
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items
                .iter()
                .enumerate()
                .find_map(|(i, item)| wrong(item, schema, &format!("{at}[{i}]")))
        }
        Value::Object(members) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let missing =
                required.filter_map(Value::as_str).find(|name| !members.contains_key(*name));
            if let Some(name) = missing {
                return Some(format!("{at} has no {name}"));
            }
            members.iter().find_map(|(name, member)| {
                let inner = format!("{at}.{name}");
                // A member may be added without a new version.
                schema["properties"].get(name).and_then(|schema| wrong(member, schema, &inner))
            })
        }
        _ => None,
    }
}

fn check(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    let name = value["schema"].as_str().unwrap().split('/').nth(1).unwrap().to_owned();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let schema = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(wrong(&value, &schema, &name), None);
    name
}

#[test]
fn every_document_follows_its_schema() {
    let w = Workspace::with_mixtures();
    w.must("fit docword.lda.txt -k 3 -q -o m.svtd");
    w.must("fit docword.lda.txt -k 3 -q --splits 0 -o unsplit.svtd");
    w.write("one.txt", b"1\n");
    let row = |i: usize| {
        format!("{},{}\n", 1900 + i % 9, ["sea ship sea wind", "oven bread oven"][i % 2])
    };
    let table: String = (0..90).map(row).collect();
    w.write("t.csv", format!("year,text\n{table}").as_bytes());
    w.must("fit t.csv -k 2 --model single-topic --language english --no-trust -q -o t.svtd");
    for (line, name) in [
        ("check docword.lda.txt", "check"),
        ("sweep docword.lda.txt -k 2,4", "sweep"),
        ("plan --words 90 --topics 3 --length 40", "plan"),
        ("fit docword.lda.txt -k 3", "fit"),
        ("fit docword.lda.txt -k 3 --model single-topic", "fit"),
        ("fit docword.lda.txt -k 3 --dry-run", "dry-run"),
        ("topics m.svtd", "topics"),
        ("topics unsplit.svtd", "topics"),
        ("topics t.svtd", "topics"),
        ("count docword.lda.txt -o c.svtdc", "count"),
        ("info c.svtdc", "info"),
        ("add c.svtdc docword.lda.txt", "add"),
        ("remove c.svtdc --documents one.txt", "remove"),
        ("merge c.svtdc docword.lda.txt -o d.svtdc", "merge"),
        ("trends t.svtd t.csv --time year", "trends"),
        ("update m.svtd docword.lda.txt -o u.svtd", "update"),
        ("update t.svtd t.csv --every 90 -o s.svtd", "stream"),
        ("infer m.svtd docword.lda.txt", "infer"),
        ("infer m.svtd docword.lda.txt -o i.csv", "infer-written"),
        ("export m.svtd docword.lda.txt --to json", "export"),
        ("export m.svtd --to csv -o all", "written"),
        ("show m.svtd docword.lda.txt --document 1", "show"),
        ("diff m.svtd m.svtd", "diff"),
        ("evaluate m.svtd docword.lda.txt", "evaluate"),
        ("words m.svtd", "words"),
        ("generate lda --docs 9 --words 9 -k 2 -o g", "generate"),
        ("completions bash", "completions"),
        ("man", "man"),
    ] {
        let ran = w.must(&format!("{line} --json -q"));
        assert_eq!(check(&ran.stdout), name, "{line}");
    }
    assert_eq!(check(&w.svtd("topics none.svtd --json").stderr), "error");
}
