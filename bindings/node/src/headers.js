'use strict';

const { UnverifiedError } = require('./generated/errors.js');

/** Names in lower case and values by turns, of the headers of any framework: an object with texts or lists of them, as Node's; a `Headers` or a
 * Map; pairs; or names and values by turns, as Node's `rawHeaders`. */
function flat(headers) {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError(`headers must be an object, not ${headers === null ? 'null' : typeof headers}`);
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

module.exports = { flat, signed };
