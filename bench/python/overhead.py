"""What the Python package costs over the Rust core, and what PyNaCl with json costs beside it.

    scripts/bench-python

Needs the package from a release wheel, PyNaCl, and in MERCHANTPAY_SPEED the program crates/merchantpay/examples/speed.rs.
"""

import base64
import decimal
import json
import os
import pathlib
import statistics
import subprocess
import time

import merchantpay
import nacl.signing

BODY = pathlib.Path(__file__).with_name("webhook.json").read_bytes()
ROUNDS = 3
BATCH = 20


def median(work):
    """Nanoseconds a call, as the Rust program takes them."""
    batches = []
    started = time.perf_counter()
    while time.perf_counter() - started < 2:
        batch = time.perf_counter_ns()
        for _ in range(BATCH):
            work()
        batches.append((time.perf_counter_ns() - batch) / BATCH)
    return statistics.median(batches)


def core():
    lines = subprocess.run([os.environ["MERCHANTPAY_SPEED"]], check=True, capture_output=True, text=True).stdout.split()
    return dict(zip(lines[::2], map(int, lines[1::2])))


def package():
    key = nacl.signing.SigningKey.generate()
    signature = base64.b64encode(key.sign(BODY).signature).decode()
    public_key = base64.b64encode(bytes(key.verify_key)).decode()
    verifier = merchantpay.WebhookVerifier(public_key)
    pair = merchantpay.generate_keypair()
    protocol = merchantpay.Protocol("https://pay.example", "merchant-1", pair.private_key, public_key)

    def verify():
        return verifier.verify(BODY, signature, "service-1").payment.sum

    def prepare():
        request = protocol.prepare_new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
        return request.headers, request.body

    def by_hand():
        key.verify_key.verify(BODY, base64.b64decode(signature))
        return json.loads(BODY, parse_float=decimal.Decimal)["sum"]

    def by_hand_prepare():
        body = json.dumps({"sum": "1500.50", "currency": "RUB", "paymentMethod": "sbp", "customerAccount": "79001234567"}).encode()
        return {"X-KeyId": "merchant-1", "X-Signature": base64.b64encode(key.sign(body).signature).decode()}, body

    return {"verify": median(verify), "prepare": median(prepare)}, {"verify": median(by_hand), "prepare": median(by_hand_prepare)}


def main():
    rounds = [(core(), *package()) for _ in range(ROUNDS)]
    print(f"{'':10} {'core µs':>9} {'Python µs':>10} {'overhead µs':>12} {'ratio':>7} {'PyNaCl µs':>10}")
    for name in ("verify", "prepare"):
        ours, python, other = (statistics.median(round[column][name] for round in rounds) / 1000 for column in range(3))
        print(f"{name:10} {ours:9.2f} {python:10.2f} {python - ours:12.2f} {python / ours:7.3f} {other:10.2f}")


if __name__ == "__main__":
    main()
