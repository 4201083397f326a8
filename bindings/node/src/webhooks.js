'use strict';

const { header, neededBytes, typeError } = require('./arguments.js');
const { Owner, call, callNow, open, opening } = require('./call.js');
const { UnverifiedError } = require('./generated/errors.js');
const records = require('./generated/records.js');
const { CLIENT } = require('./generated/settings.js');
const { read } = require('./results.js');

/** Names in lower case and values by turns, of the headers of any framework: an object with texts or lists of them, as Node's; a `Headers` or a
 * Map; pairs; or names and values by turns, as Node's `rawHeaders`. */
function flat(headers) {
  if (typeof headers !== 'object' || headers === null) throw typeError('headers', 'an object', headers);
  const isRaw = Array.isArray(headers) && !Array.isArray(headers[0]);
  const pairs = isRaw
    ? headers.flatMap((name, at) => (at % 2 ? [] : [[name, headers[at + 1]]]))
    : headers[Symbol.iterator]
      ? [...headers]
      : Object.entries(headers);
  return pairs.flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [String(name).toLowerCase(), String(one)]));
}

/** The signature and the key id of a webhook. */
function signed(headers) {
  const found = flat(headers);
  const only = (name) => {
    const values = found.filter((_, at) => at % 2 && found[at - 1] === name.toLowerCase());
    // Which of them was meant is the sender's choice.
    if (values.length > 1) throw new UnverifiedError(`the webhook has more than one ${name} header`);
    return values[0];
  };
  return [only('X-Signature'), only('X-KeyId')];
}

/** A webhook as arguments. */
function webhook(body, signature, keyId) {
  // A framework has perhaps not kept it.
  const bytes = neededBytes('body', body, ': pass the bytes as they came, because exactly these were signed');
  return [bytes, header('signature', signature), header('keyId', keyId)];
}

class WebhookVerifier extends Owner {
  constructor(settings, handle = open('verifier', opening(CLIENT, settings))) {
    super(handle);
  }

  static fromEnv(settings) {
    return new WebhookVerifier(null, open('verifier', opening(CLIENT, settings, [], true)));
  }

  verify(body, signature, keyId) {
    return read.event(callNow(this, 50, webhook(body, signature, keyId)));
  }

  verifyRequest(body, headers) {
    return this.verify(body, ...signed(headers));
  }

  async explain(body, signature, keyId) {
    const explanation = await call(this, 51, webhook(body, signature, keyId));
    return explanation && records.explanation(explanation);
  }
}

module.exports = { WebhookVerifier, flat, signed, webhook };
