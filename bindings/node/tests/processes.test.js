'use strict';

// How calls go with Node's event loop, and with what ends a thread or a process.

const assert = require('node:assert/strict');
const { readFile } = require('node:fs/promises');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { Worker } = require('node:worker_threads');

const { signedWebhook, withSandbox } = require('merchantpay/testing');
const { ORDER, SLOW, run, until } = require('./helpers.js');

test(
  'with 200 calls running the event loop and libuv stay free',
  withSandbox(async (sandbox) => {
    const client = sandbox.client({ timeoutMs: 60_000 });
    const { orderId } = await client.newPayment(ORDER);
    await sandbox.fault('latency', { operation: 'getStatus', times: 200, latencyMs: 1500 });
    // What the machine's other load costs.
    const own = await delayed(() => sleep(1000));
    const calls = Array.from({ length: 200 }, () => client.getStatus(orderId));
    await until(async () => (await sandbox.requests('getStatus')) >= 200);
    const late = await delayed(async () => {
      const started = performance.now();
      await readFile(__filename);
      assert.ok(performance.now() - started < 100);
      const payments = await Promise.all(calls);
      assert.ok(payments.every((payment) => payment.orderId === orderId));
    });
    assert.ok(late <= 5 + own, `${late} ms at the 99th percentile, ${own} ms without the calls`);
  }),
);

/** The 99th percentile of the event loop's delay, in milliseconds. */
async function delayed(body) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await body();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

test(
  'more calls than threads wait for their turn, within their deadline',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const calls = Array.from({ length: 256 }, () => client.newPayment(SLOW, { timeoutMs: 4000 }));
    const late = client.confirm('o-1', { timeoutMs: 300 });
    const controller = new AbortController();
    const aborted = client.confirm('o-1', { signal: controller.signal });
    const waiting = client.wait('o-1', { timeoutMs: 60_000 });
    for (const call of [...calls, late, aborted, waiting]) call.catch(() => {});
    // A wait sleeps most of its time, and has a thread of its own.
    await assert.rejects(waiting, { reason: 'order_not_found' });
    controller.abort();
    const started = performance.now();
    await assert.rejects(aborted, { code: 'cancelled', outcome: 'not_sent' });
    assert.ok(performance.now() - started < 1000);
    assert.ok((await Promise.allSettled(calls)).every(({ reason }) => reason.code === 'timeout'));
    await assert.rejects(late, { code: 'timeout', outcome: 'not_sent' });
  }),
);

test(
  '10 000 calls and webhooks leave no memory behind',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const { orderId } = await client.newPayment(ORDER);
    const webhook = signedWebhook({ status: 'doneSuccess' });
    const verifier = webhook.verifier();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // Four calls at a time: each thread begins with a heap of its own, which malloc keeps.
  async function used(count) {
      const call = async (_, at) => {
        verifier.verifyRequest(webhook.body, webhook.headers);
        await client.getStatus(orderId, at % 4 ? undefined : { signal: new AbortController().signal });
      };
      for (let made = 0; made < count; made += 4) await Promise.all(Array.from({ length: 4 }, call));
      collect();
      return process.memoryUsage().rss;
    }
    const before = await used(3000);
    const grown = (await used(10_000)) - before;
    assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes`);
  }),
);

test(
  'workers have clients of their own, and may be terminated in a call',
  withSandbox(async (sandbox) => {
    const text = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { Client } = require('merchantpay');
    const client = Client.fromEnv({ logger() {} });
    client.newPayment(workerData).then((payment) => parentPort.postMessage(payment.orderId));
    parentPort.postMessage('started');
  `;
    const said = (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    for (let round = 0; round < 10; round += 1) {
      const slow = new Worker(text, { eval: true, workerData: SLOW });
      assert.equal(await said(slow), 'started');
      await slow.terminate();
      const quick = new Worker(text, { eval: true, workerData: ORDER });
      await said(quick);
      assert.ok((await said(quick)).startsWith('sb-'));
      await quick.terminate();
    }
    assert.ok((await sandbox.client().newPayment(ORDER)).orderId);
  }),
);

test(
  'a process ends with its calls, or at once by exit',
  withSandbox(async () => {
    const paid = await run(
      `require('merchantpay').Client.fromEnv().newPayment(${JSON.stringify(ORDER)}).then(({ sum }) => console.log(sum))`,
    );
    assert.deepEqual(paid, { status: 0, out: '1500.50\n', err: '' });
    const idle = await run("const client = require('merchantpay').Client.fromEnv(); client.connect().then(() => console.log('idle'))");
    assert.deepEqual(idle, { status: 0, out: 'idle\n', err: '' });
    const started = performance.now();
    const text = `
    const client = require('merchantpay').Client.fromEnv({ logger: console.log });
    for (let count = 0; count < 50; count += 1) client.newPayment(${JSON.stringify(SLOW)});
    setTimeout(() => process.exit(7), 300);
  `;
    assert.deepEqual(await run(text), { status: 7, out: '', err: '' });
    assert.ok(performance.now() - started < 8000);
    const thrown = await run(`require('merchantpay').Client.fromEnv().newPayment(${JSON.stringify(SLOW)}); throw new Error('a bug')`);
    assert.equal(thrown.status, 1);
  }),
);

test(
  'the processes of a cluster pay at once',
  withSandbox(async (sandbox) => {
    const text = `
    const cluster = require('node:cluster');
    const { Client } = require('merchantpay');
    const client = Client.fromEnv();
    const pay = () => client.newPayment(${JSON.stringify(ORDER)});
    if (cluster.isPrimary) pay().then(() => { for (let count = 0; count < 3; count += 1) cluster.fork(); });
    else pay().then(() => process.disconnect());
  `;
    assert.deepEqual(await run(text), { status: 0, out: '', err: '' });
    assert.equal((await sandbox.payments()).length, 4);
  }),
);

test('a package without its addon says how to get one', async () => {
  const text = `
    const { createRequire, Module } = require('node:module');
    const load = Module._load;
    Module._load = (name, ...more) => { if (name.startsWith('@merchantpay/')) throw new Error('Cannot find module ' + name); return load(name, ...more); };
    require('merchantpay');
  `;
  const { status, err } = await run(text);
  assert.equal(status, 1);
  assert.match(err, /merchantpay has no addon for \w+-\w+: .*Cannot find module.*install without --omit=optional/s);
});
