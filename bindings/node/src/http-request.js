'use strict';

const { inspect } = require('node:util');

const { bytes, number } = require('./arguments.js');
const { Owner, now } = require('./call.js');
const records = require('./generated/records.js');
const { flat } = require('./headers.js');

class HttpRequest extends Owner {
  #read;

  constructor({ handle, result }, read) {
    super(handle);
    const { url, headers } = records.prepared(result);
    Object.assign(this, { method: 'POST', url, headers });
    this.#read = read;
  }

  get body() {
    return now(this, 40, []);
  }

  open(status, headers, body) {
    return this.#read(now(this, 41, [number('status', status), flat(headers), bytes('body', body)]));
  }

  [inspect.custom]() {
    return `HttpRequest { url: '${this.url}' }`;
  }
}

module.exports = { HttpRequest };
