'use strict';

const { given } = require('./arguments.js');

const VARIABLE = 'MERCHANTPAY_';

/** What opens an object with these settings: the waist reads the environment too if `environment` is set. */
function opening(of, table, settings, environment) {
  const { logger, signer, ...values } = given(of, settings, [...Object.keys(table), 'logger', 'signer']);
  for (const [name, callback] of Object.entries({ logger, signer })) {
    if (callback != null && typeof callback !== 'function') throw new TypeError(`${name} must be a function, not ${typeof callback}`);
  }
  const pairs = Object.entries(values).flatMap(([name, value]) => {
    const [known, convert] = table[name];
    return value == null ? [] : [known, convert(name, value)];
  });
  const variables = environment ? Object.entries(process.env).filter(([name]) => name.startsWith(VARIABLE)) : null;
  return ['camel', [...(logger ? ['log'] : []), ...(signer ? ['sign'] : [])], pairs, variables?.flat() ?? null];
}

module.exports = { opening };
