#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use super::*;

fn detected(name: &str, text: &str) -> (Format, bool) {
    let found = detect(Path::new(name), text.as_bytes());
    (found.format, found.doubt.is_some())
}

#[test]
fn formats_are_told_by_their_contents() {
    let many = "2 0:1 4:2\n1 3:1\n".repeat(5);
    for (text, format) in [
        ("3\n5\n3\n1 2 1\n", Format::Docword),
        ("%%matrixmarket matrix\n", Format::MatrixMarket),
        ("PK\x03\x04....", Format::Npz),
        ("PAR1....", Format::Parquet),
        ("l\u{1b}\u{1}....", Format::Plink),
        ("<!DOCTYPE HTML><p>sun", Format::Html),
        ("\n<html lang=en>", Format::Html),
        ("SVTDC\0\0\x01....", Format::Svtdc),
        (many.as_str(), Format::LdaC),
        ("1 1:2 4:1\n-1 2:3 5:1\n", Format::SvmLight),
        ("+1 1:2 4:1 # why\n", Format::SvmLight),
        ("poem 1:2 4:1\nprose\n", Format::SvmLight),
        ("1 qid:3 1:2 4:1\n0 qid:3 2:2\n", Format::SvmLight),
        ("id,sole,amor\na,0,2\nb,1,0\n", Format::CountsCsv),
        ("sole\tamor\n0\t2\n", Format::CountsCsv),
        ("\"sole\";\"amor\"\n0;2\n", Format::CountsCsv),
        ("", Format::Docword),
        ("-1\n3\n1\n", Format::Docword),
    ] {
        assert_eq!(detected("some", text), (format, false), "{text:?}");
    }
}

#[test]
fn a_table_with_a_few_bad_lines_is_still_that_table() {
    let mut text = "2 0:1 4:2\n1 3:1\n".repeat(20);
    text.push_str("5 0:1\n");
    assert_eq!(detected("some", &text).0, Format::LdaC);
    let text = format!("a,b,c\n{}x,oops,1\n", "d,0,1\n".repeat(20));
    assert_eq!(detected("some", &text).0, Format::CountsCsv);
}

#[test]
fn where_contents_leave_a_choice_the_name_decides_and_a_remark_is_made() {
    let text = "1 3:1\n2 1:1 4:1\n";
    assert_eq!(detected("a.txt", text), (Format::LdaC, true));
    assert_eq!(detected("a.ldac", text), (Format::LdaC, false));
    assert_eq!(detected("a.svm.gz", text), (Format::SvmLight, true));
}

#[test]
fn names_lead_to_formats_and_back() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    assert!("excel".parse::<Format>().unwrap_err().starts_with("expected one of docword, "));
}

#[test]
fn endings_are_seen_through_packing() {
    assert!(has_ending(Path::new("a/b.SVM.zst"), &["svm"]));
    assert!(!has_ending(Path::new("svm"), &["svm"]));
}
