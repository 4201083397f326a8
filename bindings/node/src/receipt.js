'use strict';

const { bytes, path, text } = require('./arguments.js');
const { now, onThread } = require('./call.js');

/** A receipt with these files. Those on disk are read on a thread. */
async function receipt(orderId, files) {
  if (!Array.isArray(files)) throw new TypeError('files must be an array of paths and of objects with name, contentType and data');
  const made = now(null, 4, [text('orderId', orderId)]);
  for (const file of files) {
    if (typeof file === 'string' || file instanceof URL) {
      await onThread({}, (ticket) => made.call(ticket, 60, [path('path', file)]));
    } else {
      const { name, contentType, data } = file;
      const values = [text('name', name), text('contentType', contentType), bytes('data', data)];
      await onThread({}, (ticket) => made.call(ticket, 61, values));
    }
  }
  return made;
}

module.exports = { receipt };
