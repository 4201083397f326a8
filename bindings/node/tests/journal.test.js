'use strict';

const assert = require('node:assert/strict');
const { join } = require('node:path');
const { test } = require('node:test');
const { inspect } = require('node:util');
const { runInNewContext } = require('node:vm');

const { Journal, StorageError } = require('merchantpay');
const { withSandbox } = require('merchantpay/testing');
const { ORDER, SLOW, folder, until } = require('./helpers.js');

const SETTINGS = { create: true, callbackUrl: 'http://127.0.0.1:9/callback' };

function place() {
  return join(folder(), 'journal.db');
}

test(
  'a payment is taken once, and its news come until they are acknowledged',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const journal = await Journal.open(client, place(), SETTINGS);
    const [first, second] = await Promise.all([journal.pay('order-7', ORDER), journal.pay('order-7', ORDER)]);
    assert.equal((await sandbox.payments()).length, 1);
    const entry = await journal.find('order-7');
    assert.ok([first, second].some((one) => one.orderId === entry.orderId) && entry.createdAt instanceof Date);
    assert.ok(!inspect(entry).includes(entry.credentials.payeeAccount));

    await journal.confirm({ reference: 'order-7', attempt: 1 });
    const done = await journal.wait('order-7', { until: 'final', timeoutMs: 20_000 });
    assert.deepEqual([done.standing, done.succeeded, done.sumPaid, done.sumAsked], ['final', true, '1500.50', '1500.50']);
    const [news] = await journal.news();
    assert.equal(news.reference, 'order-7');
    assert.deepEqual([await journal.acknowledge(news), await journal.acknowledge(news)], [true, false]);
    assert.deepEqual(news.acknowledgeSql('at').parameters, { reference: 'order-7', attempt: 1, news: news.news });
    const { open, news: left } = await journal.stats();
    assert.deepEqual([open, left, await journal.list({ standing: 'open' }), await journal.find('order-8')], [0, 0, [], null]);
    assert.equal((await journal.list({ before: done })).length, 0);
    const before = { ...done, createdAt: runInNewContext(`new Date(${done.createdAt.getTime() + 1})`) };
    assert.equal((await journal.list({ before })).length, 1);
    journal.close();
    await assert.rejects(journal.find('order-7'), { message: 'the journal is closed' });
  }),
);

test(
  'a webhook is answered with what its result says',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    const journal = new Journal(client, place(), SETTINGS);
    const entry = await journal.payAsync('order-9', ORDER);
    const { body, headers, signature, path } = await sandbox.webhook(entry.orderId, 'credentials');
    const received = await journal.receiveRequest(path, body, headers);
    assert.deepEqual([received.httpStatus, received.entry.reference, received.error], [200, 'order-9', null]);
    const refused = await journal.receive(path, Buffer.from('{}'), signature);
    assert.deepEqual([refused.httpStatus, refused.entry, refused.error.code], [400, null, 'unverified']);
    const twice = await journal.receiveRequest(path, body, { ...headers, 'X-Signature': signature });
    assert.equal(twice.httpStatus, 400);
    assert.equal((await journal.receiveRequest('/callback/nobody', body, headers)).httpStatus, 404);
  }),
);

test(
  'a person decides what is unknown, with one decision',
  withSandbox(async (sandbox) => {
    const journal = await Journal.open(sandbox.client(), place(), SETTINGS);
    await sandbox.fault('dropAfterCommit', { operation: 'newPayment' });
    const lost = await journal.pay('order-1', ORDER);
    assert.deepEqual([lost.standing, lost.error.code, lost.error.outcome], ['unknown', 'transport', 'unknown']);
    const [{ orderId }] = await sandbox.payments();
    const note = 'Olga found it in the cabinet';
    for (const decision of [
      { note },
      { noPayment: false, note },
      { orderId, noPayment: true, note },
      { noPayment: true, sum: '1', note },
    ]) {
      await assert.rejects(journal.resolve(lost, decision), { code: 'invalid_argument', outcome: 'not_sent' });
    }
    // As a form posts them.
    for (const decision of [{ order: orderId }, { noPayment: 'false' }, { trusted: 'false' }, { seen: 'false' }]) {
      await assert.rejects(journal.resolve(lost, { ...decision, note }), TypeError);
    }
    await assert.rejects(journal.resolve(null, { noPayment: true, note }), /entry must be an Entry/);
    await assert.rejects(journal.resolve({ orderId, receivedAt: new Date(), status: 7 }, { seen: true, note }), /status must be a string/);
    assert.equal((await journal.resolve(lost, { orderId, note })).orderId, orderId);
  }),
);

test(
  'a signal ends a wait, and the journal goes on',
  withSandbox(async (sandbox) => {
    const journal = await Journal.open(sandbox.client(), place(), SETTINGS);
    await journal.pay('order-2', { ...ORDER, customerAccount: 'stays-pending' });
    const controller = new AbortController();
    const waiting = journal.wait('order-2', { until: 'final', timeoutMs: 600_000, signal: controller.signal });
    waiting.catch(() => {});
    await until(async () => (await sandbox.requests('getStatus')) > 0);
    controller.abort();
    await assert.rejects(waiting, { code: 'cancelled' });
    assert.equal((await journal.find('order-2')).standing, 'open');
    assert.equal((await journal.settle({ limit: 5 })).done >= 0, true);
  }),
);

test(
  'a place that cannot be opened is an error of the journal',
  withSandbox(async (sandbox) => {
    const client = sandbox.client();
    await assert.rejects(Journal.open(client, '/nowhere/journal.db', SETTINGS), StorageError);
    await assert.rejects(Journal.open(client, 'journal.db', SETTINGS), { code: 'invalid_argument' });
    await assert.rejects(Journal.open(client, place(), { ...SETTINGS, callbackURL: 'x' }), /has no callbackURL/);
    await assert.rejects(Journal.open(sandbox, place(), SETTINGS), TypeError);
    assert.throws(() => new Journal(client, undefined), { message: /place/ });
    const [closed, slow] = [sandbox.client(), client.newPayment(SLOW)];
    closed.close();
    await assert.rejects(Promise.race([Journal.open(closed, place(), SETTINGS), slow]), { message: 'the client is closed' });
    client.interrupt();
    await assert.rejects(slow, { code: 'cancelled' });
  }),
);
