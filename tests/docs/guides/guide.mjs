// Runs the code of the pages, which guides.py puts in. examples.py sets the environment.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';

import { Client, Protocol } from 'merchantpay';

// bindings/node/README.md

const client = Client.fromEnv();
const { orderId } = await payWithFetch();
assert.ok(orderId);
await confirmUntilTheCustomerLeaves(client, orderId, new EventEmitter());
assert.ok(['pending', 'doneSuccess'].includes((await client.getStatus(orderId)).status));
console.log('the end');
