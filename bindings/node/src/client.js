'use strict';

const { amount, decimal, given, number, text } = require('./arguments.js');
const { Owner, ask, derived, handle, now, open } = require('./call.js');
const { Operations, PreparedOperations } = require('./generated/operations.js');
const { CLIENT } = require('./generated/settings.js');
const { read } = require('./results.js');
const { opening } = require('./settings.js');
const { WebhookVerifier } = require('./webhooks.js');

class Client extends Operations {
  static DERIVE = 19;

  #verifier;

  /** `own` are those of the library's own callers. */
  constructor(settings, own = opened('client', settings)) {
    super(own.handle, own);
    this.#verifier = own.verifier;
  }

  static fromEnv(settings) {
    return new Client(settings, opened('client', settings, true));
  }

  connect(options) {
    return ask(this, 18, [], options);
  }

  async wait(orderId, options) {
    const { signal, timeoutMs } = given('options', options, ['signal', 'timeoutMs']);
    return read.payment(await ask(this, 17, [text('orderId', orderId), number('timeoutMs', timeoutMs)], { signal }));
  }

  derive(options) {
    const { timeoutMs } = given('options', options, ['timeoutMs']);
    const { logger, signer } = this;
    return new Client(null, { handle: derived(this, timeoutMs), logger, signer, verifier: this.#verifier });
  }

  interrupt() {
    handle(this).interrupt();
  }

  get timeoutMs() {
    return handle(this).timeoutMs;
  }

  webhookVerifier() {
    return this.#verifier;
  }
}

class Protocol extends PreparedOperations {
  constructor(settings, own = opened('protocol', settings)) {
    super(own.handle, own);
  }

  static fromEnv(settings) {
    return new Protocol(settings, opened('protocol', settings, true));
  }
}

/** The object of these settings, and their callbacks. */
function opened(kind, settings, fromEnvironment) {
  const { signer, logger } = settings ?? {};
  const values = opening(kind, CLIENT, settings, fromEnvironment);
  const handle = open(kind, values);
  const verifier = kind === 'client' ? new WebhookVerifier(null, open('verifier', values)) : null;
  return { handle, verifier, signer, logger };
}

function generateKeypair() {
  return read.keypair(now(null, 1, []));
}

function toBalance(sum, rate, { balance, scale, rounding }) {
  const values = [amount('sum', sum), decimal('rate', rate), text('balance', balance), number('scale', scale), text('rounding', rounding)];
  return now(null, 2, values);
}

module.exports = { Client, Protocol, generateKeypair, toBalance };
