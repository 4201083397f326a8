// Runs the code of the pages, which guides.py puts in. examples.py sets the environment.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';

import { Client, Protocol } from 'merchantpay';

// bindings/node/README.md

const client = Client.fromEnv();
const { orderId } = await payWithFetch();
assert.ok(orderId);
const order = { sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567', merchantId: 'order-7' };
assert.ok((await payUntilTheCustomerLeaves(client, order, new EventEmitter())).payeeAccount);
const response = new EventEmitter();
const call = payUntilTheCustomerLeaves(client, order, response);
response.emit('close');
await call.then((payment) => assert.equal(payment, null)).catch((error) => assert.equal(error.outcome, 'not_sent'));
console.log('the end');
