'use strict';

// Makes the measured calls with the Node.js package.

const { Client, WebhookVerifier } = require('merchantpay');

const { KEY_ID, ORDER_ID, PRIVATE_KEY, SERVER_PUBLIC_KEY, SIGNATURE, URL, WEBHOOK, serve } = require('./commands.js');

const verifier = new WebhookVerifier({ serverPublicKey: SERVER_PUBLIC_KEY });
const client = new Client({ baseUrl: URL, keyId: KEY_ID, privateKey: PRIVATE_KEY, serverPublicKey: SERVER_PUBLIC_KEY });

function read({ orderId, isFinal, sum }) {
  if (orderId !== ORDER_ID || !isFinal || !sum) throw new Error('the payment has not succeeded');
}

serve({
  webhook() {
    read(verifier.verify(WEBHOOK, SIGNATURE, 'service-1').payment);
  },
  async status() {
    read(await client.getStatus(ORDER_ID));
  },
});
