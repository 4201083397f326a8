'use strict';

const { MerchantPayError } = require('./src/errors.js');
const { CLASSES, ...errors } = require('./src/generated/errors.js');
const { FINAL, ...words } = require('./src/generated/words.js');
const { Client, Protocol, generateKeypair, toBalance } = require('./src/client.js');
const { HttpRequest } = require('./src/http-request.js');
const { Journal } = require('./src/journal.js');
const { AvailableAmounts, Entry, Keypair, Payment, WebhookEvent } = require('./src/results.js');
const { WebhookVerifier } = require('./src/webhooks.js');
const { version } = require('./package.json');

module.exports = {
  AvailableAmounts,
  Client,
  Entry,
  HttpRequest,
  Journal,
  Keypair,
  MerchantPayError,
  Payment,
  Protocol,
  WebhookEvent,
  WebhookVerifier,
  generateKeypair,
  toBalance,
  version,
  ...errors,
  ...words,
};
