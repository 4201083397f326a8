//! The cost of the shipped library in instructions, which do not depend on the clock or on the machine's
//! load. callgrind counts them for the program `cost/cost.c`, and `cost/ceilings` has the limits.
//!
//! Signature work is counted separately, because curve25519-dalek and sha2 choose their algorithm by the CPU.
//! valgrind emulates a CPU with AVX2 if the machine has it, and never with AVX-512. Without AVX2 the ceilings
//! called `serial` apply, which are a fifth higher.
//!
//! A ceiling is five percent above the count, for another compiler or C library. If more instructions are worth it,
//! write the new ceiling by hand.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use merchantpay::PrivateKey;
use support::{root, run, scratch, sh, unstripped_folder};

/// The service's private key from RFC 8032, section 7.1. `cost.c` trusts its public key.
const SERVICE: &str =
    "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs9QBfD6EOJWpK3CqdNG368nJgszy7ElozAzVXxKvRmDA==";

/// A status webhook with all fields, which is also a valid reply to `/status`.
const BODY: &str = include_str!("../../../bench/webhook.json");

/// With the names of their two parts: the signature and the rest.
const WORK: [(&str, &str, &str); 3] = [
    ("prepare", "sign", "write and format"),
    ("open", "verify", "headers, parse and bind"),
    ("webhook", "verify", "parse"),
];

/// In the names of functions that belong to the signature. The linker inlines small functions into their callers.
const OF_THE_SIGNATURE: [&str; 6] =
    ["curve25519_dalek", "ed25519", "sha2", "sha512", "subtle::", "merchantpay::keys"];

/// Before the count, and counted. What is made only once (a key's tables, after some tens of verifications) is made
/// before the count.
const RUNS: u64 = 100;

#[test]
fn no_work_takes_more_instructions_than_its_ceiling() {
    let program = program("cost");
    let mut counted = BTreeMap::new();
    for (work, signature, rest) in WORK {
        let (once, twice) = (count(&program, work, RUNS, BODY), count(&program, work, 2 * RUNS, BODY));
        let cpu = if twice.on_avx2 { "avx2" } else { "serial" };
        counted.insert(format!("{work}: {signature} ({cpu})"), (twice.signature - once.signature) / RUNS);
        counted.insert(format!("{work}: {rest}"), (twice.rest - once.rest) / RUNS);
    }
    let ceilings = std::fs::read_to_string(root().join("tests/c/cost/ceilings")).expect("the ceilings");
    let ceilings: BTreeMap<&str, u64> = ceilings
        .lines()
        .filter_map(|line| line.trim_start().split_once(' '))
        .map(|(ceiling, what)| (what, ceiling.parse().expect("a number")))
        .collect();
    let is_above =
        |(what, count): &(&String, &u64)| ceilings.get(what.as_str()).is_none_or(|ceiling| *count > ceiling);
    let above: Vec<_> = counted.iter().filter(is_above).collect();
    assert!(above.is_empty(), "{above:?} is more than {ceilings:?}");
}

/// Each level is parsed again to write it in another form, and anybody can post a body to a webhook's URL.
#[test]
fn deep_body_costs_no_more_to_explain_than_a_flat_one() {
    let program = program("cost-explain");
    let values = vec!["1"; 4000].join(",");
    let cost = |depth: usize| {
        let body = format!("{{\"a\":{}{values}{}}}", "[".repeat(depth), "]".repeat(depth));
        count(&program, "explain", 1, &body).rest
    };
    let (deep, flat) = (cost(120), cost(1));
    assert!(deep < 3 * flat, "{deep} {flat}");
}

/// `cost.c` with the library that still has its function names.
fn program(folder: &str) -> PathBuf {
    let (folder, library) = (scratch(folder), unstripped_folder().display());
    let flags = "-O1 -Wall -Wextra -Werror $(pkg-config --cflags merchantpay)";
    sh(&folder, &format!("cc {flags} $C/cost/cost.c -o cost -L{library} -lmerchantpay -Wl,-rpath,{library}"));
    folder.join("cost")
}

#[derive(Default)]
struct Count {
    signature: u64,
    rest: u64,
    on_avx2: bool,
}

fn count(program: &Path, work: &str, runs: u64, body: &str) -> Count {
    let profile = program.with_file_name(format!("{work}.{runs}.{}", body.len()));
    let signature = PrivateKey::from_base64(SERVICE).expect("a key").sign(BODY.as_bytes()).to_base64();
    run(Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(program)
        .args([work, &runs.to_string(), body, &signature])
        .env_remove("LD_LIBRARY_PATH"));
    let profile = std::fs::read_to_string(profile).expect("the profile");
    let mut count = Count::default();
    let mut of_the_signature = false;
    let mut lines = profile.lines();
    while let Some(line) = lines.next() {
        if let Some(function) = line.strip_prefix("fn=") {
            of_the_signature = OF_THE_SIGNATURE.iter().any(|name| function.contains(name));
            count.on_avx2 |= of_the_signature && function.contains("avx2");
        } else if line.starts_with("calls=") {
            // The next line is the cost of the called function, which is counted there.
            lines.next();
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let instructions: u64 = line
                .rsplit(' ')
                .next()
                .and_then(|number| number.parse().ok())
                .expect("a line of callgrind's");
            *(if of_the_signature { &mut count.signature } else { &mut count.rest }) += instructions;
        }
    }
    count
}
