'use strict';

const { header, rawBody } = require('./arguments.js');
const { Owner, ask, now, open } = require('./call.js');
const records = require('./generated/records.js');
const { CLIENT } = require('./generated/settings.js');
const { signed } = require('./headers.js');
const { read } = require('./results.js');
const { opening } = require('./settings.js');

class WebhookVerifier extends Owner {
  constructor(settings, handle = open('verifier', opening('WebhookVerifier', CLIENT, settings))) {
    super(handle);
  }

  static fromEnv(settings) {
    return new WebhookVerifier(null, open('verifier', opening('WebhookVerifier', CLIENT, settings, true)));
  }

  verify(body, signature, keyId) {
    return read.event(now(this, 50, webhook(body, signature, keyId)));
  }

  verifyRequest(body, headers) {
    return this.verify(body, ...signed(headers));
  }

  async explain(body, signature, keyId) {
    const explanation = await ask(this, 51, webhook(body, signature, keyId));
    return explanation && records.explanation(explanation);
  }
}

/** A webhook as arguments. */
function webhook(body, signature, keyId) {
  return [rawBody(body), header('signature', signature), header('keyId', keyId)];
}

module.exports = { WebhookVerifier, webhook };
