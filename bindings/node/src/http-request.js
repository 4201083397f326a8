'use strict';

const { inspect } = require('node:util');

const { neededBytes, number } = require('./arguments.js');
const { Owner, callNow } = require('./call.js');
const records = require('./generated/records.js');
const { flat } = require('./webhooks.js');

class HttpRequest extends Owner {
  #read;

  constructor({ handle, result }, read) {
    super(handle);
    const { url, headers } = records.prepared(result);
    Object.assign(this, { method: 'POST', url, headers });
    this.#read = read;
  }

  get body() {
    return callNow(this, 40, []);
  }

  open(status, headers, body) {
    return this.#read(callNow(this, 41, [number('status', status), flat(headers), neededBytes('body', body)]));
  }

  [inspect.custom]() {
    return `HttpRequest { url: '${this.url}' }`;
  }
}

module.exports = { HttpRequest };
