'use strict';

const { AsyncResource } = require('node:async_hooks');
const { setMaxListeners } = require('node:events');
const timers = require('node:timers');

const { bytes, given, timeout } = require('./arguments.js');
const { MerchantPayError } = require('./errors.js');
const { CLASSES } = require('./generated/errors.js');
const records = require('./generated/records.js');
const native = require('./native.js');

/** The calls on threads, by their numbers. */
const running = new Map();
let last = 0;
/** Keeps the process alive while calls run. Not the global function, which a test may have replaced. */
const alive = timers.setInterval(() => {}, 0x7fffffff).unref();

const library = new native.Library(({ ticket, answer, ...asked }) => {
  const call = running.get(ticket);
  if (answer) {
    running.delete(ticket);
    if (running.size === 0) alive.unref();
    call.end(answer);
  } else {
    // In the caller's context, so that a logger finds the request in its AsyncLocalStorage.
    call.context.runInAsyncScope(asked.attempt ? log : sign, null, call, asked);
  }
});

/** What the program's logger throws does not change the call. */
async function log({ owner }, { attempt }) {
  try {
    await owner.logger(records.attempt(attempt));
  } catch {}
}

async function sign(call, { unsigned, reply }) {
  try {
    reply.give(bytes('signature', await call.owner.signer(unsigned)));
  } catch (error) {
    call.cause = error;
    reply.give(null);
  }
}

/** Runs a call of the native half on a thread: `start` gets the call's number. */
async function onThread(owner, start) {
  const ticket = (last = (last + 1) >>> 0);
  const context = owner.logger || owner.signer ? new AsyncResource('merchantpay') : null;
  const call = { owner, context };
  const ended = new Promise((resolve) => {
    call.end = resolve;
  });
  start(ticket);
  running.set(ticket, call);
  alive.ref();
  return result(await ended, call);
}

/** The result of an answer; of a record with an object, both. */
function result({ failure, result = null, handle }, call) {
  if (failure) throw errorOf(records.error(failure), call?.cause);
  return handle && result ? { handle, result } : (handle ?? result);
}

function errorOf({ number, message, ...fields }, cause) {
  const Class = CLASSES[fields.code] ?? MerchantPayError;
  return new Class(message, { ...fields, cause });
}

/** What clients, protocols, verifiers and journals have in common: each owns an object of the native half. */
class Owner {
  #handle;

  constructor(handle, { logger, signer } = {}) {
    this.#handle = handle;
    // Not to be seen when the program logs its client.
    Object.defineProperties(this, { logger: { value: logger }, signer: { value: signer } });
  }

  static handle(owner) {
    return owner.#handle;
  }

  get closed() {
    return this.#handle.isClosed;
  }

  close() {
    this.#handle.close();
  }
}

const { handle } = Owner;

function open(kind, values, parent) {
  return result(library.open(kind, values, parent));
}

/** Opens an object on a thread. */
function openLater(owner, kind, values, parent) {
  return onThread(owner, (ticket) => library.openLater(ticket, kind, values, parent));
}

/** Makes a call that waits for nothing. Without an owner it is one that needs no object. */
function now(owner, row, values) {
  return result((owner ? handle(owner) : library.handle).now(row, values));
}

/** A handle whose calls end apart from the owner's, and perhaps earlier. */
function derived(owner, timeoutMs) {
  return now(owner, owner.constructor.DERIVE, [timeout('timeoutMs', timeoutMs)]);
}

/** Makes a call on a thread. `receipt` is the handle of a receipt. */
async function ask(owner, row, values, options, receipt) {
  const { signal, timeoutMs } = given('options', options, ['signal', 'timeoutMs']);
  const own = signal || timeoutMs != null ? derived(owner, timeoutMs) : handle(owner);
  const interrupt = () => own.interrupt();
  // One signal may end any number of calls, which Node would take for a leak.
  if (signal) setMaxListeners(0, signal);
  if (signal?.aborted) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    return await onThread(owner, (ticket) => own.call(ticket, row, values, receipt));
  } catch (error) {
    if (signal?.aborted) error.cause ??= signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

module.exports = { Owner, ask, derived, errorOf, handle, now, onThread, open, openLater };
