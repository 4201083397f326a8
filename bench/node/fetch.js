'use strict';

// Makes the measured calls by hand, with fetch and node:crypto.
//
// The package does more than this program and axios.js: the strict check of a signature, checks of key ids, of duplicate names in JSON and of
// the fields' types, exact amounts, a limit of the reply's size, retries, and outcomes.

const { createPrivateKey, createPublicKey, sign, verify } = require('node:crypto');

const { KEY_ID, ORDER_ID, PRIVATE_KEY, SERVER_PUBLIC_KEY, SIGNATURE, URL, WEBHOOK, read, serve } = require('./commands.js');

const der = (prefix, key) => Buffer.concat([Buffer.from(prefix, 'hex'), key]);
const seed = Buffer.from(PRIVATE_KEY, 'base64').subarray(0, 32);
const own = createPrivateKey({ key: der('302e020100300506032b657004220420', seed), format: 'der', type: 'pkcs8' });
const theirs = createPublicKey({
  key: der('302a300506032b6570032100', Buffer.from(SERVER_PUBLIC_KEY, 'base64')),
  format: 'der',
  type: 'spki',
});

function verified(body, signature) {
  if (!verify(null, body, theirs, Buffer.from(signature, 'base64'))) throw new Error('the signature is wrong');
  read(body);
}

serve({
  webhook() {
    verified(WEBHOOK, SIGNATURE);
  },
  async status() {
    const body = Buffer.from(JSON.stringify({ orderId: ORDER_ID }));
    const signature = sign(null, body, own).toString('base64');
    const headers = { 'Content-Type': 'application/json', 'X-KeyId': KEY_ID, 'X-Signature': signature };
    const signal = AbortSignal.timeout(30_000);
    const reply = await fetch(`${URL}/api/v1/merchant/pay/status`, { method: 'POST', body, headers, signal });
    verified(Buffer.from(await reply.arrayBuffer()), reply.headers.get('x-signature'));
  },
});
