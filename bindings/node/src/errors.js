'use strict';

const records = require('./generated/records.js');

// The service's texts can have personal data. They stay out of a log that shows an error with its properties.
const HIDDEN = ['description', 'excerpt', 'body'];
const TRANSIENT = ['transport', 'timeout', 'cancelled', 'storage', 'signer'];
const { number, message, ...NO_FIELDS } = records.error([]);

/** The base of all errors; each code has a class. A test makes one by its class: the fields have the values that are likely for the code. */
class MerchantPayError extends Error {
  static code = 'internal';

  constructor(message, { cause, ...fields } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    const { code } = this.constructor;
    const isOfProxy = code === 'unverified' && (fields.httpStatus === 429 || fields.httpStatus >= 500);
    const likely = { code, outcome: code === 'rejected' ? 'rejected' : 'unknown', isTransient: isOfProxy || TRANSIENT.includes(code) };
    for (const [name, value = null] of Object.entries({ ...NO_FIELDS, ...likely, ...fields })) {
      const enumerable = value !== null && !HIDDEN.includes(name);
      Object.defineProperty(this, name, { value, enumerable, configurable: true, writable: true });
    }
  }

  /** The error that `toJSON` has written. A clone, as between threads, would lose the class and the fields. */
  static from({ name, number, message, ...fields }) {
    const classes = Object.values(require('./generated/errors.js'));
    const Class = classes.find(({ code }) => code === fields.code) ?? MerchantPayError;
    return new Class(message, fields);
  }

  toJSON() {
    return { name: this.name, message: this.message, ...this };
  }
}

MerchantPayError.prototype.name = 'MerchantPayError';

module.exports = { MerchantPayError };
