'use strict';

const { fileURLToPath } = require('node:url');
const { types } = require('node:util');

const { InvalidArgumentError } = require('./generated/errors.js');

// Arguments as the native half takes them: texts, bytes and lists of them. `null` and `undefined` are absent, and the waist names what must
// not be. A wrong type is a TypeError here; a wrong value is refused by the waist.

const isText = (value) => typeof value === 'string';
// Not `instanceof`: a value may come from another realm, as in Jest's jsdom.
const isBytes = (value) => types.isUint8Array(value) || types.isArrayBuffer(value);
const isPath = (value) => isText(value) || isText(value?.href);

function typeError(name, wanted, value, why = '') {
  const found = value === null ? 'null' : typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value;
  return new TypeError(`${name} must be ${wanted}, not ${found}${why}`);
}

/** A converter of a value that may be absent. */
function kind(wanted, fits, convert = (value) => value) {
  return (name, value) => {
    if (value == null) return null;
    if (!fits(value)) throw typeError(name, wanted, value);
    return convert(value, name);
  };
}

/** A value as the native half takes it. */
function plain(value, name) {
  if (isBytes(value)) return types.isUint8Array(value) ? value : new Uint8Array(value);
  const text = isText(value) ? value : fileURLToPath(value);
  if (/\p{Surrogate}/u.test(text)) {
    throw new InvalidArgumentError(`${name} is not valid Unicode`, { argument: name, outcome: 'not_sent' });
  }
  return text;
}

const text = kind('a string', isText, plain);
const bytes = kind('a Buffer or Uint8Array', isBytes, plain);
const path = kind('a string or a URL', isPath, plain);
const pem = kind('a string or a Buffer', (value) => isText(value) || isBytes(value), plain);

/** Any sender can write a header that is not valid Unicode. It verifies nothing, and is no error of the program. */
const header = kind('a string', isText);

const isFlag = (value) => typeof value === 'boolean';
const flag = kind('a boolean', isFlag, (value) => (value ? '1' : '0'));

const number = kind('a number', (value) => typeof value === 'number' || typeof value === 'bigint', String);

const time = kind('a Date', types.isDate, (value) => String(value.getTime()));

function neededBytes(name, value, why) {
  if (value == null || !isBytes(value)) throw typeError(name, 'a Buffer or Uint8Array', value, why);
  return bytes(name, value);
}

const isTexts = (value) => isText(value) || Array.isArray(value);
const texts = kind('a string or an array of strings', isTexts, (value, name) => [value].flat().map((one) => text(name, one)));

/** An exact decimal, which no number is. */
function decimal(name, value, wanted = "a string such as '95.50'") {
  const why = typeof value === 'number' ? ': most fractions have no exact number' : '';
  if (value != null && !isText(value)) throw typeError(name, wanted, value, why);
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
  if (typeof object !== 'object') throw typeError(of, 'an object', object);
  for (const name of Object.keys(object)) {
    if (!names.includes(name)) throw new TypeError(`${of} has no ${name}: it has ${names.join(', ')}`);
  }
  return object;
}

/** The values of a record; `kinds` are the names and the converters of its fields. */
function fields(of, object, kinds) {
  const names = kinds.map(([name]) => name);
  const values = given(of, object, names);
  return kinds.map(([name, convert]) => convert(name, values[name]));
}

const FILE = [
  ['name', text],
  ['contentType', text],
  ['data', bytes],
];

/** The order id and the files of a receipt. Those on disk are read on the call's thread. */
function receipt(orderId, files) {
  if (!Array.isArray(files)) throw typeError('files', 'an array of paths and of objects with name, contentType and data', files);
  return [text('orderId', orderId), ...files.map((file) => (isPath(file) ? [path('path', file)] : fields('file', file, FILE)))];
}

module.exports = { amount, decimal, fields, flag, given, header, neededBytes, number, path, pem, receipt, text, texts, time, typeError };
