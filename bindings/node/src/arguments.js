'use strict';

const { fileURLToPath } = require('node:url');

const { InvalidArgumentError } = require('./generated/errors.js');

// Arguments as the native half takes them: texts, bytes and lists of them. `null` and `undefined` are absent, and the waist names what must
// not be. A wrong type is a TypeError here; a wrong value is refused by the waist.

const isText = (value) => typeof value === 'string';
const isBytes = (value) => value instanceof Uint8Array || value instanceof ArrayBuffer;

function wrong(name, wanted, value, why = '') {
  const found = value === null ? 'null' : typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value;
  return new TypeError(`${name} must be ${wanted}, not ${found}${why}`);
}

/** A converter of a value that may be absent. */
function kind(wanted, fits, convert = (value) => value) {
  return (name, value) => {
    if (value == null) return null;
    if (!fits(value)) throw wrong(name, wanted, value);
    return convert(value, name);
  };
}

function valid(value, name) {
  if (/\p{Surrogate}/u.test(value)) {
    throw new InvalidArgumentError(`${name} is not valid Unicode`, { argument: name, outcome: 'not_sent' });
  }
  return value;
}

const text = kind('a string', isText, valid);

/** Any sender can write a header that is not valid Unicode. It verifies nothing, and is no error of the program. */
const header = kind('a string', isText);

const flag = kind(
  'a boolean',
  (value) => typeof value === 'boolean',
  (value) => (value ? '1' : '0'),
);

const number = kind('a number', (value) => typeof value === 'number' || typeof value === 'bigint', String);

/** A deadline. The waist takes 0 as "no other than before", which is not what is meant by time that has run out. */
const timeout = kind('a number of milliseconds, at least 1', (value) => value >= 1, String);

const time = kind(
  'a Date',
  (value) => value instanceof Date,
  (value) => String(value.getTime()),
);

const bytes = kind('a Buffer or Uint8Array', isBytes, (value) => (value instanceof Uint8Array ? value : new Uint8Array(value)));

/** The body of a webhook, which a framework has perhaps not kept. */
function rawBody(value) {
  if (value == null || !isBytes(value)) {
    throw wrong('body', 'a Buffer or Uint8Array', value, ': pass the bytes as they came, because exactly these were signed');
  }
  return bytes('body', value);
}

const path = kind(
  'a string or a URL',
  (value) => isText(value) || value instanceof URL,
  (value, name) => valid(isText(value) ? value : fileURLToPath(value), name),
);

const pem = kind(
  'a string or a Buffer',
  (value) => isText(value) || isBytes(value),
  (value, name) => (isText(value) ? valid(value, name) : bytes(name, value)),
);

const texts = kind(
  'a string or an array of strings',
  (value) => isText(value) || Array.isArray(value),
  (value, name) => [value].flat().map((one) => text(name, one)),
);

/** An exact decimal, which no number is. */
function decimal(name, value, wanted = "a string such as '95.50'") {
  const why = typeof value === 'number' ? ': most fractions have no exact number' : '';
  if (value != null && !isText(value)) throw wrong(name, wanted, value, why);
  return text(name, value);
}

/** A sum: a decimal in roubles, or a bigint of kopecks. */
function amount(name, value) {
  return typeof value === 'bigint' ? roubles(value) : decimal(name, value, "a string such as '1500.50' or a bigint of kopecks");
}

function roubles(kopecks) {
  const digits = String(kopecks < 0n ? -kopecks : kopecks).padStart(3, '0');
  return `${kopecks < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** An object whose properties have these names alone: nobody would notice a misspelled one. */
function given(of, object, names) {
  if (object == null) return {};
  if (typeof object !== 'object') throw wrong(of, 'an object', object);
  for (const name of Object.keys(object)) {
    if (!names.includes(name)) throw new TypeError(`${of} has no ${name}: it has ${names.join(', ')}`);
  }
  return object;
}

/** The values of a record; `kinds` are the names and the converters of its fields. */
function fields(of, object, kinds) {
  const values = given(
    of,
    object,
    kinds.map(([name]) => name),
  );
  return kinds.map(([name, convert]) => convert(name, values[name]));
}

module.exports = { amount, bytes, decimal, fields, flag, given, header, number, path, pem, rawBody, text, texts, time, timeout };
