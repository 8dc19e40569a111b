//! Inputs that the fuzzer finds, for the law that METRA_LAW names or the first byte chooses.

#![no_main]

#[allow(dead_code)] // some of it is for the tests alone
#[path = "../../tests/laws/mod.rs"]
mod laws;

use laws::{LAWS, Source};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static CHOSEN: LazyLock<Option<usize>> = LazyLock::new(|| {
    let name = std::env::var("METRA_LAW").ok()?;
    Some(LAWS.iter().position(|law| law.0 == name).expect("the name of a law"))
});

fuzz_target!(|bytes: &[u8]| {
    let mut source = Source(bytes);
    let at = CHOSEN.unwrap_or_else(|| source.below(LAWS.len()));
    LAWS[at].1(&mut source);
});
