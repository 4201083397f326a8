'use strict';

const { amount, flag, given, header, number, text, texts } = require('./arguments.js');
const { call, handle, open, openLater, opening } = require('./call.js');
const { Client } = require('./client.js');
const { JournalMethods } = require('./generated/journal.js');
const { JOURNAL } = require('./generated/settings.js');
const { InvalidArgumentError, UnverifiedError } = require('./generated/errors.js');
const { keyOf, read } = require('./results.js');
const { signed, webhook } = require('./webhooks.js');

class Journal extends JournalMethods {
  /** `opened` is a handle that `open` has made. */
  constructor(client, place, settings, opened = open(...journal(client, place, settings))) {
    super(opened, client);
  }

  static async open(client, place, settings) {
    return new Journal(client, place, settings, await openLater(...journal(client, place, settings)));
  }

  async receive(path, body, signature, keyId, options) {
    const { signal } = given('options', options, ['signal']);
    return read.received(await call(this, 78, [header('path', path), ...webhook(body, signature, keyId)], { signal }));
  }

  async receiveRequest(path, body, headers, options) {
    let found = [];
    try {
      found = signed(headers);
    } catch (error) {
      // Without a signature it does not verify, and the journal says so in its answer.
      if (!(error instanceof UnverifiedError)) throw error;
    }
    return this.receive(path, body, found[0], found[1], options);
  }

  async resolve(item, decision, options) {
    const { signal } = given('options', options, ['signal']);
    const [row, values] = resolution(item, decision);
    const entry = await call(this, row, values, { signal });
    return entry && read.entry(entry);
  }
}

function journal(client, place, settings) {
  if (!(client instanceof Client)) throw new TypeError('client must be a Client of this copy of merchantpay');
  return ['journal', opening(JOURNAL, { ...settings, place }), handle(client)];
}

function refused(message) {
  return new InvalidArgumentError(message, { outcome: 'not_sent' });
}

/** The call that stores a person's decision, and its arguments. */
function resolution(item, decision) {
  const names = ['orderId', 'sum', 'noPayment', 'seen', 'trusted', 'note'];
  const { orderId, sum, noPayment, seen, trusted, note } = given('decision', decision, names);
  const { reference, attempt, status, receivedAt, attention, orderId: orphan } = keyOf(item);
  // The text 'false' of a form is not a decision.
  const [isNoPayment, isTrusted] = [flag('noPayment', noPayment) === '1', flag('trusted', trusted) === '1'];
  const isSeen = Array.isArray(seen) || flag('seen', seen) === '1';
  const noted = text('note', note);
  const chosen = [orderId != null, isNoPayment, isSeen, isTrusted].filter(Boolean).length;
  if (chosen !== 1) throw refused('exactly one of orderId, noPayment, seen and trusted is required');
  if (sum != null && orderId == null) throw refused('sum is allowed only with orderId');
  if (receivedAt) {
    if (seen !== true) throw refused('an orphan accepts only seen: true');
    return [88, [text('orderId', orphan), text('status', status), noted]];
  }
  const key = [text('reference', reference), number('attempt', attempt)];
  if (orderId != null) return [84, [...key, text('orderId', orderId), noted, amount('sum', sum)]];
  if (isNoPayment) return [85, [...key, noted]];
  if (isTrusted) return [87, [...key, noted]];
  return [86, [...key, texts('seen', seen === true ? attention : seen), noted]];
}

module.exports = { Journal };
