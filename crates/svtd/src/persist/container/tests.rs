use super::*;
use serde_json::json;

/// Two topics over three words, small enough to try every bit.
fn example() -> Container {
    let header = json!({"model": "lda", "alpha0": 2.5, "nested": {"sha256": "\"sha256\":\""}});
    let f64s = |shape: &[usize], values: &[f64]| Array::F64 {
        shape: shape.to_vec(),
        values: values.to_vec(),
    };
    Container {
        header: header.as_object().unwrap().clone(),
        arrays: BTreeMap::from([
            ("topic_word".to_string(), f64s(&[2, 3], &[0.5, 0.25, 0.25, 0.0, 1.0, -0.0])),
            ("empty".to_string(), f64s(&[0, 3], &[])),
            (
                "vocabulary_offsets".to_string(),
                Array::U64 { shape: vec![4], values: vec![0, 1, 3, u64::MAX] },
            ),
            (
                "vocabulary_bytes".to_string(),
                Array::U8 { shape: vec![5], values: b"a\xc3\xa8it".to_vec() },
            ),
        ]),
    }
}

fn reason(bytes: &[u8]) -> String {
    match Container::from_bytes(bytes, "a.svtd") {
        Err(Error::ModelFile { path, reason }) => {
            assert_eq!(path, "a.svtd");
            assert!(!reason.ends_with('.') && !reason.contains('\n'), "{reason}");
            reason
        }
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Changes the text of a header of equal length and puts the right digest in.
fn reseal(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    let mut bytes = bytes.to_vec();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes[DIGEST_START..DIGEST_END].copy_from_slice(&ZEROS);
    let digest = hex(&Sha256::digest(&bytes));
    bytes[DIGEST_START..DIGEST_END].copy_from_slice(digest.as_bytes());
    bytes
}

#[test]
fn what_is_written_is_read() {
    let bytes = example().to_bytes().unwrap();
    let read = Container::from_bytes(&bytes, "a.svtd").unwrap();
    assert_eq!(read, example());
    assert_eq!(read.to_bytes().unwrap(), bytes);
}

#[test]
fn an_empty_container_is_a_file_too() {
    let bytes = Container::default().to_bytes().unwrap();
    assert_eq!(Container::from_bytes(&bytes, "a.svtd").unwrap(), Container::default());
}

#[test]
fn every_bit_pattern_of_a_number_survives() {
    let values = vec![f64::from_bits(0x7ff8_0000_dead_beef), f64::NEG_INFINITY, 5e-324, -0.0];
    let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
    let array = Array::F64 { shape: vec![4], values };
    let container = Container { arrays: [("a".to_string(), array)].into(), ..Default::default() };
    let read = Container::from_bytes(&container.to_bytes().unwrap(), "a.svtd").unwrap();
    let Some(Array::F64 { values, .. }) = read.arrays.get("a") else { panic!("{read:?}") };
    assert_eq!(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits);
}

#[test]
fn an_array_longer_than_the_buffer_is_read_whole() {
    let values: Vec<u64> = (0..CHUNK as u64 / 4).collect();
    let bytes_after = Array::U8 { shape: vec![CHUNK + 3], values: vec![7; CHUNK + 3] };
    let array = Array::U64 { shape: vec![2, values.len() / 2], values };
    let arrays = [("a".to_string(), array), ("b".to_string(), bytes_after)].into();
    let container = Container { arrays, ..Default::default() };
    let bytes = container.to_bytes().unwrap();
    assert_eq!(Container::from_bytes(&bytes, "a.svtd").unwrap(), container);
}

#[test]
fn equal_containers_give_equal_bytes() {
    let mut reversed = Container::default();
    for (key, value) in example().header.iter().rev() {
        reversed.header.insert(key.clone(), value.clone());
    }
    for (name, array) in example().arrays.into_iter().rev() {
        reversed.arrays.insert(name, array);
    }
    assert_eq!(reversed.to_bytes().unwrap(), example().to_bytes().unwrap());
}

/// The layout is a promise to readers in other languages: a change here needs a new version.
#[test]
fn the_bytes_do_not_drift() {
    let bytes = example().to_bytes().unwrap();
    assert_eq!(
        std::str::from_utf8(&bytes[DIGEST_START..DIGEST_END]).unwrap(),
        "4d7208b5abf6952caaf3e628cc6c087a7f49e96d523d9d24992aecb258131c88"
    );
}

#[test]
fn the_file_is_a_safetensors_file_with_aligned_arrays() {
    let bytes = example().to_bytes().unwrap();
    let (header_length, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(header_length % 8, 0);
    assert_eq!(metadata.info("topic_word").unwrap().data_offsets.0 % 8, 0);
    assert_eq!(metadata.metadata().as_ref().unwrap().len(), 1);
}

#[test]
fn every_flipped_bit_is_refused() {
    let mut bytes = example().to_bytes().unwrap();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        reason(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(Container::from_bytes(&bytes, "a.svtd").is_ok());
}

#[test]
fn every_truncation_is_refused() {
    let bytes = example().to_bytes().unwrap();
    assert_eq!(reason(&[]), "the file is empty");
    for length in 1..bytes.len() {
        let reason = reason(&bytes[..length]);
        assert!(length <= LENGTH_BYTES || reason.contains("cut short"), "{length}: {reason}");
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = example().to_bytes().unwrap();
    bytes.push(0);
    assert_eq!(reason(&bytes), "the file is damaged: bytes follow after its end");
}

#[test]
fn foreign_files_are_told_apart() {
    let other = safetensors::serialize(&example().arrays, None).unwrap();
    let described = HashMap::from([("format".to_string(), "pt".to_string())]);
    let described = safetensors::serialize(&example().arrays, Some(described)).unwrap();
    let ours = "not a model written by svtd";
    let theirs = "a safetensors file perhaps, but not a model written by svtd";
    let table: [(&[u8], &str); 8] = [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", ours),
        (b"Nel mezzo del cammin di nostra vita\nmi ritrovai per una selva oscura", ours),
        (b"short", ours),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", ours),
        (br#"{"format": "svtd-model", "version": 1}"#, ours),
        (&[0; 4096], ours),
        (&other, theirs),
        (&described, theirs),
    ];
    for (bytes, expected) in table {
        assert_eq!(reason(bytes), expected);
    }
}

#[test]
fn another_version_or_format_is_named() {
    let bytes = example().to_bytes().unwrap();
    let version = |to| reason(&reseal(&bytes, r#"\"version\":1"#, to));
    assert_eq!(
        version(r#"\"version\":7"#),
        "format version 7, and this svtd reads up to 1; try a newer svtd"
    );
    assert_eq!(version(r#"\"version\":0"#), "the file states no format version that ever was");
    assert_eq!(
        reason(&reseal(&bytes, "svtd-model", "svtd-moods")),
        "written by svtd, but not a model"
    );
}

#[test]
fn a_lying_header_length_asks_for_no_memory() {
    let bytes = example().to_bytes().unwrap();
    let with_length = |length: u64| [&length.to_le_bytes(), &bytes[8..]].concat();
    assert!(reason(&with_length(u64::MAX)).contains("over the limit of 100 MB"));
    assert!(reason(&with_length(MAX_HEADER + 1)).contains("over the limit of 100 MB"));
    assert!(reason(&with_length(MAX_HEADER)).contains("cut short"));
    assert!(reason(&with_length(20)).contains("ends before the checksum"));
    assert!(reason(&with_length(0)).contains("ends before the checksum"));
}

#[test]
fn a_well_sealed_but_impossible_table_is_refused() {
    let bytes = example().to_bytes().unwrap();
    for (from, to, expected) in [
        (r#""dtype":"U64""#, r#""dtype":"I64""#, "array vocabulary_offsets has type I64"),
        (r#""shape":[2,3]"#, r#""shape":[9,3]"#, "header cannot be read"),
        (r#""shape":[0,3]"#, r#""shape":[x,3]"#, "header cannot be read"),
    ] {
        let reason = reason(&reseal(&bytes, from, to));
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    let array = |shape: &[usize]| Array::U8 { shape: shape.to_vec(), values: vec![1, 2] };
    for (name, array, expected) in [
        ("a", array(&[3]), "model file: array a has 2 values for shape [3]"),
        ("a", array(&[usize::MAX, 2]), "array a has 2 values for shape"),
        ("__metadata__", array(&[2]), "may not be called __metadata__"),
    ] {
        let arrays = [(name.to_string(), array)].into();
        let container = Container { arrays, ..Default::default() };
        let message = container.to_bytes().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_reserved_keys_of_a_caller_are_ignored() {
    let mut container = example();
    for key in RESERVED {
        container.header.insert(key.to_string(), "mine".into());
    }
    assert_eq!(container.to_bytes().unwrap(), example().to_bytes().unwrap());
}

#[test]
fn a_file_is_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svtd");
    example().write(&path, false).unwrap();
    assert_eq!(Container::read(&path).unwrap(), example());
    assert_eq!(fs::read(&path).unwrap(), example().to_bytes().unwrap());
    assert!(matches!(example().write(&path, false), Err(Error::Exists { .. })));
    example().write(&path, true).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Container::read(&folder.path().join("none.svtd"));
    assert!(matches!(missing, Err(Error::Io { .. })));
    let message = Container::read(folder.path()).unwrap_err().to_string();
    assert!(message.ends_with("a model is read from an ordinary file, and this is none"));
}
