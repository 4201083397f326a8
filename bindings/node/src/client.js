'use strict';

const { amount, decimal, given, number, text } = require('./arguments.js');
const { call, callNow, derive, handle, interrupt, open, opening } = require('./call.js');
const { Operations, PreparedOperations } = require('./generated/operations.js');
const { CLIENT } = require('./generated/settings.js');
const { read } = require('./results.js');
const { WebhookVerifier } = require('./webhooks.js');

class Client extends Operations {
  #verifier;

  /** `own` are those of the library's own callers. */
  constructor(settings, own = openClient(settings)) {
    super(own.handle, own);
    this.#verifier = own.verifier;
  }

  static fromEnv(settings) {
    return new Client(null, openClient(settings, true));
  }

  connect(options) {
    return call(this, 18, [], options);
  }

  async wait(orderId, options) {
    const { signal, timeoutMs } = given('options', options, ['signal', 'timeoutMs']);
    const values = [text('orderId', orderId), number('timeoutMs', timeoutMs)];
    return read.payment(await call(this, 17, values, { signal }, orderId));
  }

  derive(options) {
    const { timeoutMs } = given('options', options, ['timeoutMs']);
    const { logger, signer } = this;
    return new Client(null, { handle: derive(this, timeoutMs), logger, signer, verifier: this.#verifier });
  }

  interrupt() {
    interrupt([handle(this)]);
  }

  get timeoutMs() {
    return derive(this).timeoutMs;
  }

  webhookVerifier() {
    return new WebhookVerifier(null, derive(this.#verifier));
  }
}

class Protocol extends PreparedOperations {
  constructor(settings, fromEnvironment = false) {
    super(open('protocol', opening(CLIENT, settings, ['logger', 'signer'], fromEnvironment)), settings ?? {});
  }

  static fromEnv(settings) {
    return new Protocol(settings, true);
  }
}

function openClient(settings, fromEnvironment) {
  const values = opening(CLIENT, settings, ['logger', 'signer'], fromEnvironment);
  const { logger, signer } = settings ?? {};
  return { handle: open('client', values), verifier: new WebhookVerifier(null, open('verifier', values)), logger, signer };
}

function generateKeypair() {
  return read.keypair(callNow(null, 1, []));
}

function toBalance(sum, rate, options) {
  const { balance, scale, rounding } = given('options', options, ['balance', 'scale', 'rounding']);
  const values = [amount('sum', sum), decimal('rate', rate), text('balance', balance), number('scale', scale), text('rounding', rounding)];
  return callNow(null, 2, values);
}

module.exports = { Client, Protocol, generateKeypair, toBalance };
