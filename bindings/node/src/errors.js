'use strict';

// The service's texts can have personal data. They stay out of a log that shows an error with its properties.
const HIDDEN = ['description', 'excerpt', 'body'];
const TRANSIENT = ['transport', 'timeout', 'cancelled', 'storage', 'signer'];

/** The base of all errors; each code has a class. A test makes one by its class: the fields have the values that are likely for the code. */
class MerchantPayError extends Error {
  static code = 'internal';

  constructor(message, { cause, ...fields } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    const { code } = this.constructor;
    const isTransient = TRANSIENT.includes(code) || (code === 'unverified' && isOfProxy(fields.httpStatus));
    const likely = { code, outcome: code === 'rejected' ? 'rejected' : 'unknown', isTransient };
    for (const [name, value] of Object.entries({ ...EMPTY, ...likely, ...fields })) {
      Object.defineProperty(this, name, {
        value,
        enumerable: value !== null && !HIDDEN.includes(name),
        configurable: true,
        writable: true,
      });
    }
  }

  /** Programs know an aborted call by this name, as of `fetch`. */
  get name() {
    return this.constructor.code === 'cancelled' ? 'AbortError' : this.constructor.name;
  }
}

const EMPTY = {
  code: null,
  outcome: null,
  isTransient: false,
  httpStatus: null,
  argument: null,
  description: null,
  reason: null,
  orderId: null,
  contentType: null,
  excerpt: null,
  retryAfter: null,
  body: null,
};

function isOfProxy(httpStatus) {
  return httpStatus === 429 || httpStatus >= 500;
}

module.exports = { MerchantPayError };
