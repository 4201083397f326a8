'use strict';

// How calls go with Node's event loop, and with what ends a thread or a process.

const assert = require('node:assert/strict');
const { readFileSync, readdirSync } = require('node:fs');
const { readFile } = require('node:fs/promises');
const { join } = require('node:path');
const { test } = require('node:test');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { Worker } = require('node:worker_threads');

const { Journal } = require('merchantpay');
const { signedWebhook, withSandbox } = require('merchantpay/testing');
const { ORDER, SLOW, folder, run, until } = require('./helpers.js');

test(
  'with 200 calls running the event loop and libuv stay free',
  withSandbox(async (sandbox) => {
    const client = sandbox.client({ timeoutMs: 60_000 });
    const { orderId } = await client.newPayment(ORDER);
    await sandbox.fault('latency', { operation: 'getStatus', times: 200, latencyMs: 30_000 });
    const calls = Array.from({ length: 200 }, () => client.getStatus(orderId).catch(({ code }) => ({ code })));
    await until(async () => (await sandbox.requests('getStatus')) >= 200);
    const first = await Promise.race([readFile(__filename, 'utf8'), ...calls]);
    assert.equal(typeof first, 'string', 'libuv has threads for files');
    client.interrupt();
    assert.ok((await Promise.all(calls)).every(({ code }) => code === 'cancelled'));
  }),
);

test(
  'more calls than threads wait for their turn, within their deadline',
  withSandbox(async (sandbox) => {
    const client = sandbox.client({ timeoutMs: 60_000 });
    const settings = { create: true, callbackUrl: 'http://127.0.0.1:9/callback' };
    const journal = await Journal.open(client, join(folder(), 'journal.db'), settings);
    const slow = client.derive();
    const calls = Array.from({ length: 256 }, () => slow.newPayment(SLOW, { timeoutMs: 9000 }));
    const queued = client.derive();
    const controller = new AbortController();
    const { signal } = controller;
    const expected = [
      [client.confirm('o-1', { timeoutMs: 300 }), 'timeout', 'not_sent'],
      [journal.find('order', { signal }), 'cancelled', 'not_sent'],
      [journal.receive('/callback', Buffer.from('{}'), null, null, { signal }), 'cancelled', 'unknown'],
      [client.confirm('o-1', { signal: AbortSignal.abort() }), 'cancelled', 'not_sent'],
      [queued.derive().wait('o-1', { timeoutMs: 600_000 }), 'cancelled', 'not_sent'],
      ...Array.from({ length: 5000 }, () => [client.confirm('o-1', { signal }), 'cancelled', 'not_sent']),
    ];
    const served = client.confirm('o-1');
    for (const call of [...calls, ...expected.map(([call]) => call), served]) call.catch(() => {});
    queued.interrupt();
    controller.abort();
    const first = Promise.race(calls).catch(() => 'a slow call has ended');
    for (const [call, code, outcome] of expected) {
      await assert.rejects(Promise.race([call, first]), { code, outcome });
    }
    assert.ok(threads() <= 256, `${threads()} threads`);
    slow.interrupt();
    assert.ok((await Promise.allSettled(calls)).every(({ reason }) => reason.code === 'cancelled'));
    await assert.rejects(served, { reason: 'order_not_found' });
  }),
);

/** How many threads the library has. */
function threads() {
  const name = (task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/comm`, 'utf8');
    } catch {
      return 'it has ended meanwhile';
    }
  };
  return readdirSync('/proc/self/task').filter((task) => name(task) === 'merchantpay\n').length;
}

test(
  'waits have no threads between their queries',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const { orderId } = await client.newPayment({ ...ORDER, customerAccount: 'stays-pending' });
    const waits = Array.from({ length: 400 }, () => client.wait(orderId, { timeoutMs: 600_000 }));
    for (const wait of waits) wait.catch(() => {});
    await until(async () => (await sandbox.requests('getStatus')) >= 800);
    assert.ok(threads() <= 256, `${threads()} threads`);
    client.interrupt();
    const ended = await Promise.allSettled(waits);
    assert.ok(ended.every(({ reason }) => reason.code === 'cancelled' && reason.orderId === orderId));
    const timed = sandbox.client().wait(orderId, { timeoutMs: 700 });
    await assert.rejects(timed, { code: 'timeout', outcome: 'unknown', orderId });
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
    assert.ok(grown < 32 * 1024 * 1024, `${grown} bytes`);
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
  'a terminated worker asks no more',
  withSandbox(async (sandbox) => {
    const { orderId } = await sandbox.client().newPayment({ ...ORDER, customerAccount: 'stays-pending' });
    const text = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { Client, Journal, generateKeypair } = require('merchantpay');
    const { privateKey, ...settings } = workerData.settings;
    const { publicKey } = generateKeypair();
    const signer = () => new Promise(() => parentPort.postMessage('signing'));
    new Client({ ...settings, publicKey, signer, timeoutMs: 600_000 }).confirm('o-1');
    new Client(workerData.settings).wait(workerData.orderId, { timeoutMs: 600_000 });
    Journal.open(new Client(workerData.settings), workerData.place, { create: true, callbackUrl: settings.baseUrl });
  `;
    const workerData = { orderId, settings: sandbox.settings, place: join(folder(), 'journal.db') };
    const worker = new Worker(text, { eval: true, workerData });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await until(async () => (await sandbox.requests('getStatus')) > 0);
    await worker.terminate();
    await until(() => threads() === 0);
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
    const text = `
    const client = require('merchantpay').Client.fromEnv({ logger: console.log });
    for (let count = 0; count < 50; count += 1) client.newPayment(${JSON.stringify(SLOW)});
    const asked = () => fetch(process.env.MERCHANTPAY_BASE_URL + '/sandbox').then((response) => response.json());
    const exit = ({ requests }) => (requests.newPayment >= 50 ? process.exit(7) : asked().then(exit));
    asked().then(exit);
  `;
    assert.deepEqual(await run(text), { status: 7, out: '', err: '' });
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
