'use strict';

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { createPrivateKey, sign } = require('node:crypto');
const { getMaxListeners } = require('node:events');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { test } = require('node:test');
const { inspect } = require('node:util');

const merchantpay = require('merchantpay');
const { withSandbox } = require('merchantpay/testing');
const { ORDER, SLOW, folder, until } = require('./helpers.js');

const OWN = merchantpay.generateKeypair();
const NOWHERE = {
  baseUrl: 'http://127.0.0.1:1',
  keyId: 'merchant-1',
  privateKey: OWN.privateKey,
  serverPublicKey: merchantpay.generateKeypair().publicKey,
};

test(
  'a payment is confirmed and waited for',
  withSandbox(async () => {
    await closing(merchantpay.Client.fromEnv(), async (client) => {
      const payment = await client.newPayment({ ...ORDER, sum: 150050n });
      assert.equal((await client.confirm(payment.orderId)).orderId, payment.orderId);
      const done = await client.wait(payment.orderId, { timeoutMs: 20_000 });
      assert.deepEqual([done.status, done.isFinal, done.sum, done.paid('1500.5')], ['doneSuccess', true, '1500.50', 'exactly']);
      const amounts = await client.getAvailableAmounts({ sum: '1500', paymentMethod: 'sbp', customerAccount: 'x' });
      assert.ok(amounts.availableAmounts.includes('1500'), amounts.json);
    });
  }),
);

/** Closes the client afterwards. */
async function closing(client, body) {
  try {
    await body(client);
  } finally {
    client.close();
    assert.equal(client.closed, true);
    await assert.rejects(client.confirm('o-1'), { message: 'the client is closed', outcome: 'not_sent' });
  }
}

test(
  'a signal interrupts its call alone, and the error has the outcome',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const controller = new AbortController();
    const [aborted, other] = [client.newPayment(SLOW, { signal: controller.signal }), client.newPayment(ORDER)];
    aborted.catch(() => {});
    await until(async () => (await sandbox.requests('newPayment')) >= 2);
    controller.abort(new Error('the customer has left'));
    await assert.rejects(aborted, (error) => {
      assert.ok(error instanceof merchantpay.CancelledError);
      assert.deepEqual([error.name, error.code, error.outcome, error.isTransient], ['AbortError', 'cancelled', 'unknown', true]);
      assert.equal(error.cause.message, 'the customer has left');
      return true;
    });
    assert.ok((await other).orderId);
    const warned = [];
    const warn = ({ name }) => warned.push(name);
    process.on('warning', warn);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => client.newPayment(ORDER, { signal })));
    process.off('warning', warn);
    assert.deepEqual(warned, []);
    assert.equal(getMaxListeners(signal), getMaxListeners(new AbortController().signal), 'the caller hears of listeners of its own');
    await assert.rejects(client.confirm('o-1', { signal: controller.signal }), { code: 'cancelled', outcome: 'not_sent' });
    const refused = client.newPayment({ ...ORDER, sum: 'NaN' }, { signal: controller.signal });
    await assert.rejects(refused, (error) => error.code === 'invalid_argument' && error.cause === undefined);
  }),
);

test(
  'a signal may be that of jsdom or a polyfill',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const signal = Object.assign(new EventTarget(), { aborted: false });
    const paying = client.newPayment(SLOW, { signal });
    paying.catch(() => {});
    await until(async () => (await sandbox.requests('newPayment')) > 0);
    Object.assign(signal, { aborted: true, reason: 'left' }).dispatchEvent(new Event('abort'));
    await assert.rejects(paying, { code: 'cancelled', cause: 'left' });
    await assert.rejects(client.newPayment(ORDER, { signal: new AbortController() }), {
      name: 'TypeError',
      message: 'signal must be an AbortSignal, not AbortController',
    });
  }),
);

test(
  'a call can have a deadline of its own',
  withSandbox(async (sandbox) => {
    const client = sandbox.client({ timeoutMs: 600_000 });
    const late = async () => await client.newPayment(SLOW, { timeoutMs: 300 });
    await assert.rejects(
      late,
      ({ code, outcome, stack }) => code === 'timeout' && outcome === 'unknown' && stack.includes('client.test.js'),
    );
    const derived = client.derive({ timeoutMs: 7500 });
    assert.deepEqual([client.timeoutMs, derived.timeoutMs, derived.derive().timeoutMs], [600_000, 7500, 7500]);
    for (const timeoutMs of [0, '300', true, [5]]) {
      const message = `timeoutMs must be a number of milliseconds, at least 1, not ${inspect(timeoutMs)}`;
      await assert.rejects(client.newPayment(ORDER, { timeoutMs }), { name: 'TypeError', message });
    }
    await assert.rejects(client.newPayment(ORDER, { timeout: 5 }), /options has no timeout: it has signal, timeoutMs/);
  }),
);

test(
  'interrupting reaches what was derived, for good',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const derived = client.derive();
    const { orderId } = await client.newPayment({ ...ORDER, customerAccount: 'stays-pending' });
    const waiting = derived.derive().wait(orderId, { timeoutMs: 600_000 });
    waiting.catch(() => {});
    await until(async () => (await sandbox.requests('getStatus')) > 0);
    derived.interrupt();
    await assert.rejects(waiting, { code: 'cancelled', outcome: 'unknown', orderId });
    await assert.rejects(derived.connect(), { code: 'cancelled', outcome: 'not_sent' });
    await client.connect();

    const running = [client.newPayment(SLOW), client.wait(orderId, { timeoutMs: 600_000, signal: new AbortController().signal })];
    for (const call of running) call.catch(() => {});
    const asked = await sandbox.requests('getStatus');
    await until(async () => (await sandbox.requests('newPayment')) > 1 && (await sandbox.requests('getStatus')) > asked);
    client.close();
    client.interrupt();
    for (const call of running) await assert.rejects(call, { code: 'cancelled', outcome: 'unknown' });
    assert.throws(() => client.timeoutMs, /the client is closed/);
  }),
);

test(
  'a receipt has files of disk and of memory',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const { orderId } = await client.newPayment({ ...ORDER, customerAccount: 'arbitration' });
    await client.confirm(orderId);
    await until(async () => (await client.getStatus(orderId)).status === 'receiptRequired');
    const [pdf, file] = [Buffer.from('%PDF-1.4\n%%EOF\n'), join(folder(), 'receipt.pdf')];
    writeFileSync(file, pdf);
    const memory = { name: 'receipt.pdf', contentType: 'application/pdf', data: new Uint8Array(pdf) };
    await client.attachReceipt(orderId, [file, memory]);
    assert.equal((await client.wait(orderId, { timeoutMs: 20_000 })).status, 'doneSuccess');
    await assert.rejects(client.attachReceipt(orderId, 'receipt.pdf'), TypeError);
    await assert.rejects(client.attachReceipt(orderId, [{ ...memory, type: 'pdf' }]), /file has no type: it has name/);
    await assert.rejects(client.attachReceipt(orderId, ['/nowhere.pdf']), { code: 'invalid_argument' });
  }),
);

test('a receipt is released when its call ends', async () => {
  const client = new merchantpay.Client({ ...NOWHERE, maxRetries: 0 });
  const data = Buffer.alloc(4 * 1024 * 1024, '%PDF-1.4\n');
  const { rss } = process.memoryUsage();
  for (let count = 0; count < 50; count += 1) {
    const attached = client.attachReceipt('o-1', [{ name: 'receipt.pdf', contentType: 'application/pdf', data }]);
    await assert.rejects(attached, merchantpay.TransportError);
  }
  const grown = process.memoryUsage().rss - rss;
  assert.ok(grown < 100 * 1024 * 1024, `${grown} bytes, of 200 MB`);
});

test(
  'a signer may answer later, and what it throws is the cause',
  withSandbox(async (sandbox) => {
    const { privateKey, ...settings } = sandbox.settings;
    const pair = Buffer.from(privateKey, 'base64');
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), pair.subarray(0, 32)]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const publicKey = pair.subarray(32).toString('base64');
    const made = (signer) => new merchantpay.Client({ ...settings, publicKey, signer });
    const kms = made(async (body) => sign(null, body, key));
    assert.ok((await Promise.all([1, 2, 3].map(() => kms.newPayment(ORDER)))).every((payment) => payment.orderId));

    const unplugged = made(() => {
      throw new Error('the HSM is unplugged');
    });
    const failed = { code: 'signer', outcome: 'not_sent' };
    await assert.rejects(
      unplugged.confirm('o-1'),
      (error) => error.cause.message === 'the HSM is unplugged' && error.outcome === failed.outcome,
    );
    await assert.rejects(made(() => 'text').confirm('o-1'), failed);
    await assert.rejects(made(() => Buffer.alloc(63)).confirm('o-1'), failed);
    await assert.rejects(made(() => null).confirm('o-1'), (error) => error.cause.message.startsWith('signature must be a Buffer'));
    const silent = made(() => new Promise(() => {}));
    const late = (error) => error.code === failed.code && /not answered in time/.test(error.cause.message);
    await assert.rejects(silent.confirm('o-1', { timeoutMs: 200 }), late);
    const aborted = silent.confirm('o-1', { signal: AbortSignal.timeout(100) });
    await assert.rejects(aborted, ({ code, outcome, cause }) => [code, outcome, cause.name].join() === 'cancelled,not_sent,TimeoutError');
    assert.throws(() => new merchantpay.Client({ ...settings, publicKey, signer: 'key' }), TypeError);
  }),
);

test(
  'a logger gets each attempt before the result, in the context of the call',
  withSandbox(async (sandbox) => {
    const storage = new AsyncLocalStorage();
    const attempts = [];
    const client = sandbox.client({
      logger({ operation, orderId, number, httpStatus, code, outcome }) {
        attempts.push([storage.getStore(), operation, orderId, number, httpStatus, code, outcome]);
        throw new Error('the disk is full');
      },
    });
    const { orderId } = await client.newPayment(ORDER);
    await sandbox.fault('htmlBadGateway', { operation: 'getStatus' });
    await storage.run('request 7', () => client.getStatus(orderId));
    assert.deepEqual(attempts, [
      [undefined, 'newPayment', orderId, 1, 200, null, null],
      ['request 7', 'getStatus', orderId, 1, 502, 'unverified', 'unknown'],
      ['request 7', 'getStatus', orderId, 2, 200, null, null],
    ]);
  }),
);

test('a sum is text or kopecks, and a number is refused with the reason', async () => {
  const protocol = new merchantpay.Protocol(NOWHERE);
  for (const [sum, written] of [
    ['1500.50', '1500.50'],
    [150050n, '1500.50'],
    [5n, '0.05'],
    [100n, '1.00'],
  ]) {
    const { body } = await protocol.prepareNewPayment({ ...ORDER, sum });
    assert.match(String(body), new RegExp(`"sum":${written}[,}]`));
  }
  await assert.rejects(protocol.prepareNewPayment({ ...ORDER, sum: 1500.5 }), {
    name: 'TypeError',
    message: "sum must be a string such as '1500.50' or a bigint of kopecks, not number: most fractions have no exact number",
  });
  for (const sum of [-5n, '-1', 'NaN', '1e999', 10n ** 40n]) {
    await assert.rejects(protocol.prepareNewPayment({ ...ORDER, sum }), { code: 'invalid_argument', outcome: 'not_sent' }, String(sum));
  }
  assert.equal(merchantpay.toBalance('1500.50', '95.5', { balance: 'USDT', scale: 2, rounding: 'half_up' }), '15.71');
  assert.throws(() => merchantpay.toBalance('1', 95n, { balance: 'RUB', scale: 2, rounding: 'down' }), TypeError);
});

test('wrong types and misspelled names are TypeErrors that name them', async () => {
  const client = new merchantpay.Client(NOWHERE);
  for (const [call, message] of [
    [() => client.newPayment({ ...ORDER, paymentMetod: 'sbp' }), /newPayment has no paymentMetod: it has sum, currency, paymentMethod/],
    [() => client.newPayment('1500.50'), /newPayment must be an object, not string/],
    [() => client.confirm(7), /orderId must be a string, not number/],
    [async () => new merchantpay.Client({ ...NOWHERE, timeout: 5 }), /has no timeout: it has baseUrl/],
    [async () => new merchantpay.Client({ ...NOWHERE, allowHttp: '1' }), /allowHttp must be a boolean, not string/],
  ]) {
    await assert.rejects(call, (error) => error instanceof TypeError && message.test(error.message), String(call));
  }
  assert.throws(() => new merchantpay.WebhookVerifier({ ...NOWHERE, logger() {} }), /has no logger/);
  assert.throws(() => merchantpay.toBalance('1', '2', { currency: 'RUB' }), /options has no currency/);
  assert.throws(() => new merchantpay.Client({ keyId: 'm' }), /baseUrl, privateKey and serverPublicKey are missing: set them/);
  await assert.rejects(client.confirm('\ud800'), { code: 'invalid_argument', argument: 'orderId' });
});

test(
  'what is shown has no key, account or name',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const payment = await client.newPayment(ORDER);
    const shown = inspect([client, client.webhookVerifier(), payment, OWN], { depth: 9, showHidden: false });
    for (const secret of [sandbox.settings.privateKey, OWN.privateKey, payment.payeeAccount, payment.deeplink]) {
      assert.ok(!shown.includes(secret), shown);
    }
    assert.equal(JSON.parse(JSON.stringify(payment)).payeeAccount, payment.payeeAccount);
    const error = new merchantpay.RejectedError('refused', { description: 'Ivan has no account', reason: 'order_not_found' });
    assert.ok(!inspect(error).includes('Ivan') && inspect(error).includes('order_not_found'));
    assert.deepEqual([error.outcome, error.isTransient, error.description], ['rejected', false, 'Ivan has no account']);
    assert.equal(new merchantpay.UnverifiedError('a page', { httpStatus: 502 }).isTransient, true);
    const thread = merchantpay.MerchantPayError.from(structuredClone(error.toJSON()));
    assert.ok(thread instanceof merchantpay.RejectedError && !JSON.stringify(error).includes('Ivan'));
    assert.deepEqual(
      [thread.name, thread.message, thread.outcome, thread.reason],
      ['RejectedError', 'refused', 'rejected', 'order_not_found'],
    );
    thread.name = 'renamed';
    assert.equal(String(thread), 'renamed: refused');
  }),
);

test(
  'a protocol needs no I/O',
  withSandbox(async (sandbox) => {
    const request = await new merchantpay.Protocol(sandbox.settings).prepareNewPayment(ORDER);
    const { url, method, headers, body } = request;
    const response = await fetch(url, { method, headers, body });
    const payment = request.open(response.status, response.headers, await response.arrayBuffer());
    assert.ok(payment.payeeAccount);
    assert.throws(() => request.open(200, {}, Buffer.from('{}')), merchantpay.UnverifiedError);
    assert.throws(() => request.open(99, {}, Buffer.from('{}')), { code: 'invalid_argument', outcome: 'unknown' });
  }),
);
