'use strict';

function camel(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function hex(digits) {
  return Buffer.from(digits, 'hex');
}

/** The present values of an object by their names in snake case. */
function plain(object) {
  const present = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [snake(name), value instanceof Date ? value.getTime() : value]));
}

/** Whether a setting has this type. */
function isNumber(name) {
  return /_ms$|^max_|^connections$/.test(name);
}

module.exports = { camel, hex, isNumber, plain, snake };
