'use strict';

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { join } = require('node:path');
const { test } = require('node:test');
const { promisify } = require('node:util');

const { Client, TransportError } = require('merchantpay');
const testing = require('merchantpay/testing');
const { ORDER, run, until } = require('./helpers.js');

const { withSandbox } = testing;

// [kit]
test(
  'a lost reply does not mean that there is no payment',
  withSandbox(async (sandbox) => {
    const order = { sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567' };
    await sandbox.fault('dropAfterCommit', { operation: 'newPayment' });
    const client = Client.fromEnv(); // the sandbox's variables are set during the test
    await assert.rejects(client.newPayment(order), (error) => error instanceof TransportError && error.outcome === 'unknown');
    assert.equal((await sandbox.payments()).length, 1);
  }),
);
// [/kit]

test(
  'a test moves the clock, the customer and the operator',
  withSandbox({ clock: 'manual', hold: true, seed: 7 }, async (sandbox, context) => {
    assert.equal(typeof context.diagnostic, 'function');
    const client = sandbox.client();
    const { orderId } = await client.newPayment(ORDER);
    await sandbox.pay(orderId, 'less');
    await sandbox.operate(orderId, 'approve');
    assert.equal((await client.getStatus(orderId)).paid('1500.50'), 'less');
    await sandbox.advance(1500);
    await sandbox.fault('latency', { latencyMs: 1, times: 9 });
    await sandbox.clearFaults();
    await assert.rejects(sandbox.operate(orderId, 'approve'), /refused POST/);
  }),
);

test('the variables of the machine are there again afterwards', async () => {
  process.env.MERCHANTPAY_PROXY = 'http://127.0.0.1:1';
  await withSandbox(async () => assert.equal(process.env.MERCHANTPAY_PROXY, undefined))();
  assert.equal(process.env.MERCHANTPAY_PROXY, 'http://127.0.0.1:1');
  delete process.env.MERCHANTPAY_PROXY;
  await assert.rejects(withSandbox({ program: '/nowhere' }, () => {})(), /did not start.*MERCHANTPAY_PROGRAM/);
  await assert.rejects(withSandbox({ clock: 'broken' }, () => {})(), /clock/);
});

test('a sandbox ends with the process that started it', async () => {
  const text = `
    require('merchantpay/testing').Sandbox.start().then((sandbox) => { console.log(sandbox.url); process.kill(process.pid, 'SIGKILL'); });
  `;
  const { status, out } = await run(text);
  assert.equal(status, 'SIGKILL');
  await until(() =>
    fetch(out.trim()).then(
      () => false,
      () => true,
    ),
  );
});

test('results are made as a call returns them', () => {
  const payment = testing.payment({ orderId: 'o-1', status: 'doneSuccess', sum: '1500.50' });
  assert.deepEqual([payment.isFinal, payment.paid('1500.5'), payment.payeeAccount], [true, 'exactly', null]);
  const entry = testing.entry({ reference: 'order-7', standing: 'final', succeeded: true, credentials: payment });
  assert.deepEqual([entry.succeeded, entry.credentials.orderId, entry.attention], [true, 'o-1', []]);
  assert.match(entry.acknowledgeSql('question').text, /UPDATE/);
  assert.deepEqual(testing.availableAmounts(['100.00']).availableAmounts, ['100.00']);
});

for (const [runner, words] of [
  ['jest', ['jest', '--rootDir', '.', '--testRegex', 'kit\\.jest\\.js$']],
  ['vitest', ['vitest', 'run', 'kit-vitest.test.mjs']],
]) {
  test(`${runner} runs tests with the kit`, { timeout: 120_000 }, async () => {
    const [name, ...rest] = words;
    const ran = await promisify(execFile)(join(__dirname, 'node_modules/.bin', name), rest, { cwd: __dirname });
    assert.match(ran.stdout + ran.stderr, /2 passed/);
  });
}
