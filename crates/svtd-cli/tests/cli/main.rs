//! The command line as a user types it, each test in a folder of its own.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod changes;
mod choosing;
mod count;
mod demo;
mod determinism;
mod exports;
mod faults;
mod fields;
mod formats;
mod generate;
mod help;
mod inference;
mod inputs;
mod interruption;
mod judgement;
mod living;
mod machine;
mod malformed;
mod messages;
mod messy;
mod odd;
mod overwriting;
mod parquet;
mod real_corpora;
mod records;
mod report;
mod reproduce;
mod rivals;
mod round_trip;
mod schemas;
mod screen;
mod sequences;
mod sites;
mod stream;
mod text;
mod trends;
mod trouble;
mod update;
mod workspace;
