'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { runInNewContext } = require('node:vm');

const { Client, MalformedError, UnverifiedError, WebhookVerifier, generateKeypair } = require('merchantpay');
const { signedWebhook } = require('merchantpay/testing');

const WEBHOOK = signedWebhook({ orderId: 'order-7', status: 'doneSuccess', sum: '1500.50' });
const { body, signature, keyId, headers } = WEBHOOK;
const verifier = WEBHOOK.verifier();

test('a webhook is verified as any kind of bytes', () => {
  const bytes = new Uint8Array(body);
  const other = runInNewContext('Uint8Array.from(body)', { body: [...body] });
  for (const form of [body, bytes, bytes.buffer, Buffer.concat([Buffer.from('x'), body]).subarray(1), other, other.buffer]) {
    const event = verifier.verify(form, signature, keyId);
    assert.deepEqual([event.kind, event.orderId, event.payment.sum], ['status', 'order-7', '1500.50']);
  }
});

test('the headers may have the form of any framework', () => {
  const capital = { 'X-Signature': [signature], 'X-KeyId': keyId, Host: 'shop.example' };
  const raw = Object.entries(headers).flat();
  for (const form of [headers, capital, new Headers(headers), new Map(Object.entries(headers)), Object.entries(headers), raw]) {
    assert.equal(verifier.verifyRequest(body, form).orderId, 'order-7');
  }
  for (const form of [
    {},
    { ...headers, 'X-SIGNATURE': signature },
    [...raw, 'X-Signature', signature],
    { ...headers, 'x-keyid': 'other' },
  ]) {
    assert.throws(() => verifier.verifyRequest(body, form), UnverifiedError);
  }
  for (const form of [null, undefined, 'X-Signature: …']) assert.throws(() => verifier.verifyRequest(body, form), TypeError);
});

test('a body that its framework has parsed or lost says what to pass', () => {
  for (const form of [JSON.parse(body), undefined, null, String(body)]) {
    assert.throws(() => verifier.verify(form, signature), {
      name: 'TypeError',
      message: /^body must be a Buffer or Uint8Array, not \w+: pass the bytes as they came, because exactly these were signed$/,
    });
  }
});

test('what does not verify is explained, and what violates the contract is malformed', async () => {
  const rewritten = Buffer.from(JSON.stringify(JSON.parse(body)));
  assert.throws(() => verifier.verify(rewritten, signature), { code: 'unverified', outcome: 'unknown' });
  assert.equal((await verifier.explain(rewritten, signature)).cause, 'body_changed');
  assert.equal((await verifier.explain(body, null)).cause, 'missing_signature');
  assert.equal(await verifier.explain(body, signature, keyId), null);
  const pending = signedWebhook({ status: 'pending' });
  assert.throws(() => pending.verifier().verify(pending.body, pending.signature), MalformedError);
  assert.throws(() => verifier.verify(body, '\ud800'), UnverifiedError);
});

test("a client's verifiers are closed apart", () => {
  const own = generateKeypair();
  const keys = { serverPublicKey: WEBHOOK.serverPublicKey, privateKey: own.privateKey };
  const client = new Client({ baseUrl: 'https://pay.example', keyId: 'merchant-1', ...keys });
  client.webhookVerifier().close();
  const derived = client.derive().webhookVerifier();
  client.close();
  assert.equal(derived.verify(body, signature).kind, 'status');
});

test('several keys are accepted while the service rotates them', () => {
  const rotated = new WebhookVerifier({ serverPublicKey: [generateKeypair().publicKey, WEBHOOK.serverPublicKey] });
  assert.equal(rotated.verify(body, signature).kind, 'status');
  assert.throws(() => new WebhookVerifier({ serverPublicKey: 'no key' }), { code: 'invalid_key' });
  const failed = signedWebhook({ success: false });
  assert.equal(failed.verifier().verify(failed.body, failed.signature).kind, 'credentials_failed');
});
