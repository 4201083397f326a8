'use strict';

const { spawn } = require('node:child_process');
const { sign } = require('node:crypto');
const { once } = require('node:events');
const { createInterface } = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');

const { Client, Entry, AvailableAmounts, Payment, WebhookVerifier, generateKeypair } = require('./index.js');
const { amount } = require('./src/arguments.js');
const records = require('./src/generated/records.js');
const { AMOUNTS, FINAL } = require('./src/generated/kit.js');
const { CLIENT } = require('./src/generated/settings.js');

// A test may replace it.
const { fetch } = globalThis;

const PATIENCE_MS = 30_000;

/** The library's variables, without those that name what is installed. */
const variables = () => Object.entries(process.env).filter(([name]) => /^MERCHANTPAY_(?!(LIBRARY|PROGRAM)$)/.test(name));

function replaceVariables(others) {
  for (const [name] of variables()) delete process.env[name];
  Object.assign(process.env, others);
}

class Sandbox {
  #process;
  #replaced;

  constructor(process, environment) {
    this.#process = process;
    this.environment = environment;
    this.url = environment.MERCHANTPAY_BASE_URL;
  }

  static async start({ program, clock = 'real', stepMs = 0, hold = false, seed } = {}) {
    const path = program ?? process.env.MERCHANTPAY_PROGRAM ?? 'merchantpay';
    const options = ['--port', '0', '--format', 'json', '--exit-with-stdin', '--clock', clock, '--pace', `${stepMs}ms`];
    const more = [...(hold ? ['--hold'] : []), ...(seed === undefined ? [] : ['--seed', String(seed)])];
    const child = spawn(path, ['sandbox', ...options, ...more]);
    const printed = { text: '' };
    child.stderr.on('data', (text) => (printed.text += text));
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'close').then(([status]) => Promise.reject(new Error(`exit status ${status}: ${printed.text.trim()}`))),
    ]).catch((cause) => {
      throw new Error(`the sandbox did not start: ${cause.message}. Set MERCHANTPAY_PROGRAM to the path of the program merchantpay`, {
        cause,
      });
    });
    // It ends with its standard input, which ends with this process, however that ends.
    for (const it of [child, child.stdin, child.stdout, child.stderr]) it.unref?.(); // Bun has some without
    return new Sandbox(child, JSON.parse(line[0]).environment);
  }

  async stop() {
    this.restoreEnvironment();
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.ref();
    this.#process.kill('SIGKILL');
    await ended;
  }

  setEnvironment() {
    this.#replaced ??= Object.fromEntries(variables());
    replaceVariables(this.environment);
  }

  restoreEnvironment() {
    if (this.#replaced) replaceVariables(this.#replaced);
    this.#replaced = undefined;
  }

  get settings() {
    const its = Object.entries(CLIENT).map(([name, [known]]) => [name, this.environment[`MERCHANTPAY_${known.toUpperCase()}`]]);
    return Object.fromEntries(its.filter(([, value]) => value !== undefined));
  }

  client(settings) {
    return new Client({ ...this.settings, ...settings });
  }

  async control(method, path, body) {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${this.url}/sandbox${path}`, { method, headers, signal, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox refused ${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  async payments(filters = {}) {
    return (await this.control('GET', `/payments?${new URLSearchParams(filters)}`)).payments;
  }

  async requests(operation) {
    return (await this.control('GET', '')).requests[operation] ?? 0;
  }

  async pay(orderId, pays = 'exactly') {
    await this.control('POST', `/payments/${orderId}/customer`, { pays });
  }

  async operate(orderId, action) {
    await this.control('POST', `/payments/${orderId}/operator`, { action });
  }

  async fault(kind, { operation, times = 1, ...more } = {}) {
    await this.control('POST', '/faults', { kind, operation, times, ...more });
  }

  async clearFaults() {
    await this.control('DELETE', '/faults');
  }

  async advance(milliseconds) {
    await this.control('POST', '/clock', { advanceMs: milliseconds });
  }

  async webhook(orderId, kind = 'status') {
    // Counted, because a test may have stopped the clock: 30 s at least.
    for (let asked = 0; asked < 3000; asked += 1) {
      const { webhooks } = await this.control('GET', `/webhooks?${new URLSearchParams({ orderId })}`);
      const found = webhooks.find((one) => one.kind === kind);
      if (found) {
        const { request, url } = await this.control('GET', `/webhooks/${found.id}`);
        const body = Buffer.from(request.body.base64, 'base64');
        return new SignedWebhook(body, request.signature, request.keyId, this.settings.serverPublicKey, new URL(url).pathname);
      }
      await sleep(10);
    }
    throw new Error(`the payment has no webhook of the kind ${kind}`);
  }
}

let isTesting = false;

/** A test with a sandbox of its own and its variables. It takes no parameter, because Jest takes one for a callback. */
function withSandbox(...given) {
  const [options, test] = given.length === 1 ? [{}, given[0]] : given;
  return async (...context) => {
    if (isTesting) throw new Error('tests that run at once share the environment: use Sandbox.start and the client of the sandbox');
    isTesting = true;
    let sandbox;
    try {
      sandbox = await Sandbox.start(options);
      sandbox.setEnvironment();
      await test(sandbox, ...context);
    } finally {
      isTesting = false;
      await sandbox?.stop();
    }
  };
}

/** A webhook as a handler receives it, and the key that verifies it. */
class SignedWebhook {
  constructor(body, signature, keyId, serverPublicKey, path) {
    Object.assign(this, { body, signature, keyId, serverPublicKey, path });
  }

  get headers() {
    return { 'content-type': 'application/json', 'x-signature': this.signature, 'x-keyid': this.keyId };
  }

  verifier() {
    return new WebhookVerifier({ serverPublicKey: this.serverPublicKey, serverKeyId: this.keyId });
  }
}

let ownKeys;

/** A webhook that is signed as the service signs it, without a sandbox. Amounts keep their digits. */
function signedWebhook({ success = true, keys = (ownKeys ??= generateKeypair()), keyId = 'sandbox-server', path = '/', ...fields } = {}) {
  const named = Object.entries({ orderId: 'order-1', ...fields }).filter(([, value]) => value !== undefined);
  const written = named.map(
    ([name, value]) => `${JSON.stringify(name)}:${AMOUNTS.includes(name) ? amount(name, value) : JSON.stringify(value)}`,
  );
  const body = Buffer.from(`{${[`"success":${success}`, ...written].join(',')}}`);
  const pair = Buffer.from(keys.privateKey, 'base64');
  const key = { kty: 'OKP', crv: 'Ed25519', d: pair.toString('base64url', 0, 32), x: pair.toString('base64url', 32) };
  const signature = sign(null, body, { key, format: 'jwk' }).toString('base64');
  return new SignedWebhook(body, signature, keyId, keys.publicKey, path);
}

/** Fields of which those that are not given are absent. */
function filled(record, fields) {
  const absent = Object.entries(records[record]([])).map(([name, value]) => [name, value ?? null]);
  return { ...Object.fromEntries(absent), ...fields };
}

function payment(fields) {
  return new Payment(filled('payment', { orderId: 'order-1', json: '', isFinal: FINAL.includes(fields?.status), ...fields }));
}

function availableAmounts(amounts, { otherAmountsPossible = true } = {}) {
  return new AvailableAmounts({ otherAmountsPossible, json: '', availableAmounts: amounts });
}

function entry(fields) {
  const now = new Date();
  const own = { reference: 'order-1', attempt: 1, standing: 'open', sumAsked: '1500.50', news: 1, attention: [], json: '' };
  return new Entry(filled('entry', { ...own, createdAt: now, updatedAt: now, ...fields }));
}

module.exports = { Sandbox, SignedWebhook, availableAmounts, entry, payment, signedWebhook, withSandbox };
