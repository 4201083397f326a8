'use strict';

const { camel, hex, isNumber, plain } = require('./values.js');

/** Settings and a request as JavaScript has them. */
function converted(values) {
  const value = (name, text) => (isNumber(name) ? Number(text) : name === 'create' ? text === '1' : text);
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [camel(name), value(name, text)]));
}

/** The commands of a journal: the open one, and the returned entries by number. */
class Journal {
  constructor(merchantpay, adapter) {
    Object.assign(this, { merchantpay, adapter, opened: [], entries: [], journal: null });
  }

  async run({ do: name, interrupt, ...values }) {
    if (values.entry !== undefined) values.entry = this.entries[values.entry];
    if (values.before !== undefined) values.before = this.entries[values.before];
    if (this[name]) return this[name](values, interrupt);
    const { entry, reference, attempt, request, ...options } = values;
    const first = request
      ? [reference, attempt, converted(request)]
      : [entry ?? (attempt === undefined ? reference : { reference, attempt })];
    const result = await this.call(
      interrupt,
      name,
      first.filter((one) => one !== undefined),
      options,
    );
    return Array.isArray(result) ? { entries: result.map((item) => this.shown(item)) } : { entry: this.shown(result) };
  }

  call(interrupt, name, first, options) {
    return this.adapter.interrupted(interrupt, (more) => this.journal[camel(name)](...first, { ...converted(options), ...more }));
  }

  async journal_open({ place, settings, client }) {
    const its = this.adapter.client(client);
    this.opened.push(its);
    this.journal = await this.merchantpay.Journal.open(its, place, converted(settings));
    this.opened.push(this.journal);
    return {};
  }

  journal_close() {
    this.opened
      .splice(0)
      .reverse()
      .forEach((one) => one.close());
    Object.assign(this, { journal: null, entries: [] });
    return {};
  }

  async acknowledge({ entry, ...key }) {
    return { changed: await this.journal.acknowledge(entry ?? key) };
  }

  acknowledge_sql({ entry, style }) {
    return entry.acknowledgeSql(style);
  }

  async resolve({ entry, ...decision }) {
    const fields = Object.entries(decision).map(([name, value]) => [camel(name), value]);
    return { entry: this.shown(await this.journal.resolve(entry, Object.fromEntries(fields))) };
  }

  async settle({ limit }, interrupt) {
    return plain(await this.call(interrupt, 'settle', [], limit === undefined ? {} : { limit }));
  }

  async stats() {
    return { stats: JSON.parse((await this.journal.stats()).json) };
  }

  async receive({ path, body, signature, key_id: keyId }) {
    const { httpStatus, entry, error } = await this.journal.receive(path, hex(body), signature, keyId);
    return {
      http_status: httpStatus,
      entry: this.shown(entry),
      ...(error && { error: this.adapter.failure(error) }),
    };
  }

  shown(item) {
    if (!item) return null;
    this.entries.push(item);
    const { json, credentials, error, receivedAt, column, ...values } = item;
    const fields = plain({
      ...values,
      ...(column && { unreadable: column }),
      ...(receivedAt && { isOrphan: true, createdAt: receivedAt }),
      credentials: credentials && this.adapter.payment(credentials),
      error: error && plain(error),
    });
    return { entry: this.entries.length - 1, fields, json };
  }
}

module.exports = { Journal };
