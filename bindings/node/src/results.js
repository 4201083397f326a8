'use strict';

const { inspect } = require('node:util');

const { amount, number, text, time, typeError } = require('./arguments.js');
const { callNow } = require('./call.js');
const { MerchantPayError } = require('./errors.js');
const records = require('./generated/records.js');

/** A value that does not change. `console.log` shows those fields that a log may have. */
class Result {
  static shown = [];

  constructor(fields) {
    Object.assign(this, fields);
  }

  [inspect.custom](depth, options, show) {
    const shown = this.constructor.shown.filter((name) => this[name] !== null);
    return `${this.constructor.name} ${show(Object.fromEntries(shown.map((name) => [name, this[name]])), options)}`;
  }
}

class Payment extends Result {
  static shown = ['orderId', 'sum', 'status'];

  paid(asked) {
    return this.sum === null ? null : callNow(null, 3, [this.sum, amount('asked', asked)]);
  }
}

class AvailableAmounts extends Result {
  static shown = ['availableAmounts', 'otherAmountsPossible'];
}

class WebhookEvent extends Result {
  static shown = ['kind', 'payment'];

  constructor({ kind, payment }) {
    super({ kind, payment: new Payment(payment) });
  }

  get orderId() {
    return this.payment.orderId;
  }
}

class Keypair extends Result {
  static shown = ['publicKey'];
}

class Entry extends Result {
  static shown = ['reference', 'attempt', 'standing', 'orderId', 'status', 'succeeded', 'news', 'acknowledged', 'attention', 'error'];

  constructor({ credentials, error, ...fields }) {
    super({ ...fields, credentials: credentials && new Payment(credentials), error: error && new Problem(error) });
  }

  acknowledgeSql(style) {
    const values = [text('reference', this.reference), number('attempt', this.attempt), number('news', this.news), text('style', style)];
    const { text: statement, ...parameters } = records.statement(callNow(null, 82, values));
    return {
      text: statement,
      parameters: ['colon', 'at'].includes(style) ? parameters : Object.values(parameters),
    };
  }
}

class Problem extends Result {
  static shown = ['code', 'outcome'];
}

/** The results by their records. */
const read = {
  ...records,
  payment: (values) => new Payment(records.payment(values)),
  amounts: (values) => new AvailableAmounts(records.amounts(values)),
  event: (values) => new WebhookEvent(records.event(values)),
  keypair: (values) => new Keypair(records.keypair(values)),
  entry: (values) => new Entry(records.entry(values)),
  received(values) {
    const { entry, error, ...received } = records.received(values);
    return { ...received, entry: entry && new Entry(entry), error: error && MerchantPayError.from(error) };
  },
  /** An entry, an orphan or a row that cannot be read. */
  attention(values) {
    const { entry, details, orphan, unreadable, json } = records.attention(values);
    return entry ? Object.assign(new Entry(entry), { details, json }) : { ...(orphan ?? unreadable), json };
  },
};

/** What names an attempt: an entry, or an object with the same properties. */
function keyOf(entry) {
  if (typeof entry !== 'object' || entry === null) throw typeError('entry', 'an Entry or an object with reference and attempt', entry);
  return entry;
}

/** The entry behind which a list goes on. */
function position(before) {
  return before == null ? null : [time('before.createdAt', before.createdAt), text('before.reference', before.reference)];
}

module.exports = { AvailableAmounts, Entry, Keypair, Payment, WebhookEvent, keyOf, position, read };
