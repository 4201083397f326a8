//! Compares the results of `KeyTable` with the results of `verify_strict`. They must be the same for valid
//! signatures, for altered signatures, and for signatures that no signer makes, with keys of every order.

use std::collections::BTreeSet;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::Sha512;

use crate::key_table::KeyTable;

/// The order of the group: 2^252 + 27742317777372353535851937790883648493, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, //
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

const KEY_KINDS: [&str; 4] = ["prime order", "mixed order", "small order", "not canonical"];

const SIGNATURE_KINDS: [&str; 7] = [
    "as signed",
    "one bit changed",
    "s not canonical",
    "R with a part of small order",
    "R of small order, the equation holds",
    "R not canonical",
    "s at an edge",
];

/// Compares the point s·B − k·A, as the table and as curve25519-dalek compute it. If the secret of a key is
/// unknown, valid signatures are rare, but these points can always be compared.
fn compare_points(table: &KeyTable, key: &TestKey, random: &mut Random) {
    let (s, k) = (random.edge_scalar(), random.edge_scalar());
    let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &-key.public.to_edwards(), &s);
    assert_eq!(
        table.point(&s, &k).compress(),
        expected.compress(),
        "key {:02x?}, s {s:?}, k {k:?}",
        key.public.as_bytes()
    );
}

/// A key, and its secret if the secret is known: A = secret·B, possibly plus a point of small order.
struct TestKey {
    public: VerifyingKey,
    secret: Scalar,
    /// `true` if a normal signature with the secret is valid. This is true only for keys of prime order.
    honest: bool,
}

impl TestKey {
    fn new(kind: &str, random: &mut Random) -> TestKey {
        let secret = random.scalar();
        let public = match kind {
            "prime order" => VerifyingKey::from(EdwardsPoint::mul_base(&secret)),
            "mixed order" => {
                VerifyingKey::from(EdwardsPoint::mul_base(&secret) + EIGHT_TORSION[1 + random.below(7)])
            }
            "small order" => VerifyingKey::from_bytes(&random.small_order()).unwrap(),
            _ => std::iter::repeat_with(|| VerifyingKey::from_bytes(&random.not_canonical()))
                .flatten()
                .next()
                .unwrap(),
        };
        let secret = if kind == "small order" { Scalar::ZERO } else { secret };
        TestKey { public, secret, honest: kind == "prime order" }
    }

    /// A signature with `nonce`. `r` is the encoded R.
    fn sign(&self, nonce: &Scalar, r: [u8; 32], message: &[u8]) -> [u8; 64] {
        let k = Scalar::hash_from_bytes::<Sha512>(&[&r, self.public.as_bytes().as_slice(), message].concat());
        let s = k * self.secret + nonce;
        [r, s.to_bytes()].as_flattened().try_into().unwrap()
    }

    fn case(&self, kind: &str, random: &mut Random) -> (Vec<u8>, [u8; 64]) {
        let mut message = vec![0; random.below(180)];
        random.0.fill(&mut message);
        let nonce = random.scalar();
        let point = EdwardsPoint::mul_base(&nonce);
        // If the key has a component of small order, k·A has such a component too. A signature is valid only
        // if R has the matching component. A random component matches in one of eight cases.
        let torsion = EIGHT_TORSION[random.below(8)];
        let r = match kind {
            "R with a part of small order" => (point + torsion).compress().to_bytes(),
            "R of small order, the equation holds" => {
                return (message.clone(), self.sign(&Scalar::ZERO, random.small_order(), &message));
            }
            "R not canonical" => random.not_canonical(),
            _ if self.honest => point.compress().to_bytes(),
            _ => (point + torsion).compress().to_bytes(),
        };
        let mut signature = self.sign(&nonce, r, &message);
        match kind {
            "one bit changed" => signature[random.below(64)] ^= 1 << random.below(8),
            "s not canonical" => {
                for _ in 0..1 + random.below(15) {
                    add_order(&mut signature);
                }
            }
            "s at an edge" => signature[32..].copy_from_slice(&random.edge()),
            _ => {}
        }
        (message, signature)
    }
}

/// Replaces s by the sum of s and the order of the group, unless the sum needs more than 32 bytes.
fn add_order(signature: &mut [u8; 64]) {
    let mut sum = *signature;
    let mut carry = 0;
    for (byte, order) in sum[32..].iter_mut().zip(ORDER) {
        carry += u16::from(*byte) + u16::from(order);
        *byte = carry as u8;
        carry >>= 8;
    }
    if carry == 0 {
        *signature = sum;
    }
}

/// The same seed makes the same numbers on every machine.
struct Random(fastrand::Rng);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    fn array(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.0.u8(..))
    }

    fn scalar(&mut self) -> Scalar {
        Scalar::from_bytes_mod_order(self.array())
    }

    /// A number for which the digits of the table carry or almost carry: all zeros or ones, a power of two,
    /// the order of the group, or a neighbour of one of these.
    fn edge(&mut self) -> [u8; 32] {
        match self.below(5) {
            0 => std::array::from_fn(|_| [0, 0xff, 0x7f, 0x80, 0x20, 0xdf][self.below(6)]),
            1 => neighbour(ORDER, self.below(3)),
            2 => {
                let mut power = [0; 32];
                let bit = self.below(256);
                power[bit / 8] = 1 << (bit % 8);
                neighbour(power, self.below(3))
            }
            3 => {
                let mut repeated = [self.0.u8(..); 32];
                repeated[31] &= 0x1f;
                repeated
            }
            _ => neighbour([0; 32], self.below(3)),
        }
    }

    fn edge_scalar(&mut self) -> Scalar {
        let bytes = self.edge();
        Option::from(Scalar::from_canonical_bytes(bytes))
            .unwrap_or_else(|| Scalar::from_bytes_mod_order(bytes))
    }

    /// One of the eight points of small order, in one of its encodings.
    fn small_order(&mut self) -> [u8; 32] {
        let mut bytes = EIGHT_TORSION[self.below(8)].compress().to_bytes();
        let small = bytes[1..31].iter().all(|byte| *byte == 0) && bytes[31] & 0x7f == 0;
        if small && self.below(2) == 0 {
            // If y is 0 or 1, y + p is a second encoding.
            bytes = above_prime(bytes[0], bytes[31]);
        }
        if bytes[0] == 1 || bytes[0] == 0xec || bytes[0] == 0xee {
            // If x is 0, it has no sign, but an encoding with a set sign bit is accepted too.
            bytes[31] ^= [0, 0x80][self.below(2)];
        }
        bytes
    }

    /// An encoding of y + p for one of the 19 possible values of y. Not all of these encodings are points of
    /// the curve.
    fn not_canonical(&mut self) -> [u8; 32] {
        above_prime(self.below(19) as u8, [0, 0x80][self.below(2)])
    }
}

/// The encoding of `y` + 2^255 − 19 with the sign bit of `sign`.
fn above_prime(y: u8, sign: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    bytes[0] = 0xed + y;
    bytes[31] = 0x7f | sign & 0x80;
    bytes
}

/// A number or one of its two neighbours. The neighbours wrap around at zero.
fn neighbour(mut number: [u8; 32], which: usize) -> [u8; 32] {
    for byte in &mut number {
        let changed = match which {
            0 => return number,
            1 => byte.wrapping_add(1),
            _ => byte.wrapping_sub(1),
        };
        let goes_on = changed == if which == 1 { 0 } else { 0xff };
        *byte = changed;
        if !goes_on {
            break;
        }
    }
    number
}

#[test]
fn table_agrees_with_verify_strict() {
    let mut random = Random(fastrand::Rng::with_seed(0x6d65_7263_6861_6e74));
    // The kinds of keys and signatures of which a signature was valid.
    let mut accepted = BTreeSet::new();
    for kind in KEY_KINDS.repeat(30) {
        let key = TestKey::new(kind, &mut random);
        let table = KeyTable::new(key.public, None);
        for made in SIGNATURE_KINDS.repeat(36) {
            let (message, signature) = key.case(made, &mut random);
            let strict = key.public.verify_strict(&message, &Signature::from_bytes(&signature)).is_ok();
            // A weak key verifies no signature, so it has no table.
            let tabled = table.as_ref().is_some_and(|table| table.verifies(&message, &signature));
            assert_eq!(
                tabled,
                strict,
                "{kind}, {made}: key {:02x?}, message {message:02x?}, signature {signature:02x?}",
                key.public.as_bytes(),
            );
            if strict {
                accepted.extend([kind, made]);
            }
        }
        for table in table.iter().cycle().take(32) {
            compare_points(table, &key, &mut random);
        }
    }
    let expected = ["prime order", "mixed order", "as signed", "R with a part of small order"];
    assert_eq!(accepted, BTreeSet::from(expected));
}

#[test]
fn all_encodings_of_small_order_are_tried() {
    let mut random = Random(fastrand::Rng::with_seed(1));
    let tried: BTreeSet<_> = (0..2000).map(|_| random.small_order()).collect();
    assert!(tried.iter().all(|bytes| VerifyingKey::from_bytes(bytes).is_ok_and(|key| key.is_weak())));
    // There are eight points. y = 0 and y = 1 also have the encoding y + p, and x = 0 has two signs.
    assert_eq!(tried.len(), 14);
}
