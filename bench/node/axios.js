'use strict';

// Makes the measured calls by hand, with axios and tweetnacl.

const { Agent } = require('node:http');

const axios = require('axios');
const nacl = require('tweetnacl');

const { KEY_ID, ORDER_ID, PRIVATE_KEY, SERVER_PUBLIC_KEY, SIGNATURE, URL, WEBHOOK, read, serve } = require('./commands.js');

const [own, theirs] = [Buffer.from(PRIVATE_KEY, 'base64'), Buffer.from(SERVER_PUBLIC_KEY, 'base64')];
const client = axios.create({ httpAgent: new Agent({ keepAlive: true }), responseType: 'arraybuffer', timeout: 30_000 });

function verified(body, signature) {
  if (!nacl.sign.detached.verify(body, Buffer.from(signature, 'base64'), theirs)) throw new Error('the signature is wrong');
  read(body);
}

serve({
  webhook() {
    verified(WEBHOOK, SIGNATURE);
  },
  async status() {
    const body = Buffer.from(JSON.stringify({ orderId: ORDER_ID }));
    const signature = Buffer.from(nacl.sign.detached(body, own)).toString('base64');
    const headers = { 'Content-Type': 'application/json', 'X-KeyId': KEY_ID, 'X-Signature': signature };
    const reply = await client.post(`${URL}/api/v1/merchant/pay/status`, body, { headers });
    verified(reply.data, reply.headers['x-signature']);
  },
});
