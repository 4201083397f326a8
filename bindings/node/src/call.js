'use strict';

const { AsyncResource } = require('node:async_hooks');
const { performance } = require('node:perf_hooks');
// Not the global functions, which a test may have replaced.
const { clearTimeout, setInterval, setTimeout } = require('node:timers');
const { inspect } = require('node:util');

const { given, neededBytes, typeError } = require('./arguments.js');
const { MerchantPayError } = require('./errors.js');
const records = require('./generated/records.js');
const native = require('./native.js');

/** How many calls of an event loop run at a time. */
const MAX_THREADS = 256;
const MAX_TIMER_MS = 0x7fffffff;

const clock = performance.now.bind(performance);

/** The jobs on threads, by their tickets. */
const running = new Map();
/** The jobs without a thread: those that wait for one, in their order, and those that pause between two requests. */
const queue = new Set();
const pausing = new Set();
let last = 0;
/** Keeps the process alive while jobs run. */
const alive = setInterval(() => {}, MAX_TIMER_MS).unref();

/** The calls that need no object. */
const LIBRARY = new native.Handle((message) => {
  const job = running.get(message.ticket);
  const asked = message.attempt ? log : message.unsigned && sign;
  // In the caller's context, so that a logger finds the request in its AsyncLocalStorage.
  if (asked) return job.context.runInAsyncScope(asked, null, job, message);
  running.delete(message.ticket);
  startQueued();
  if (running.size === 0) alive.unref();
  job.end(message);
});

/** What the program's logger throws does not change the call. */
async function log({ owner }, { attempt }) {
  try {
    await owner.logger(records.attempt(attempt));
  } catch {}
}

async function sign(job, { unsigned, reply }) {
  job.cause = new Error('the signer has not answered in time');
  try {
    const signature = neededBytes('signature', await job.owner.signer(unsigned));
    job.cause = undefined;
    reply.give(signature);
  } catch (error) {
    job.cause = error;
    reply.give(null);
  }
}

/** The answer of a job, which begins after a pause: `start` gets a ticket, and returns an answer at once if there is no thread. */
function onThread(job, pauseMs) {
  return new Promise((end) => {
    job.end = end;
    if (pauseMs == null) return enqueue(job);
    pausing.add(job);
    job.timer = setTimeout(enqueue, pauseMs, job);
    // It may have been interrupted while it left its thread.
    giveUp(job, false);
  });
}

function enqueue(job) {
  pausing.delete(job);
  queue.add(job);
  startQueued();
  if (!queue.has(job)) return;
  job.timer = setTimeout(giveUp, Math.min(job.own?.timeoutMs ?? MAX_TIMER_MS, MAX_TIMER_MS), job, true);
  giveUp(job, false);
}

function startQueued() {
  for (const job of queue) {
    if (running.size >= MAX_THREADS) return;
    const ticket = (last = (last + 1) >>> 0);
    const refused = job.start(ticket);
    // Those that run free their threads.
    if (refused && running.size > 0) return;
    queue.delete(job);
    clearTimeout(job.timer);
    if (refused) {
      job.end(refused);
    } else {
      running.set(ticket, job);
      alive.ref();
    }
  }
}

/** Ends a job without a thread, if it was interrupted or waited for too long. */
function giveUp(job, isOver) {
  const answer = job.own?.giveUp(job.row, isOver, job.orderId);
  if (!answer) return;
  queue.delete(job);
  pausing.delete(job);
  clearTimeout(job.timer);
  job.end(answer);
}

function interrupt(handles) {
  for (const handle of handles) handle.interrupt();
  for (const jobs of [queue, pausing]) for (const job of jobs) giveUp(job, false);
}

/** What interrupts the calls of a signal. One listener serves them all, because Node takes many for a leak. */
const listeners = new WeakMap();

function listen(signal, handle) {
  if (typeof signal.aborted !== 'boolean') throw typeError('signal', 'an AbortSignal', signal);
  const listener = listeners.get(signal) ?? { handles: new Set(), handleEvent: () => interrupt(listener.handles) };
  if (listener.handles.size === 0) signal.addEventListener('abort', listener);
  listeners.set(signal, listener);
  listener.handles.add(handle);
  if (signal.aborted) handle.interrupt();
  return () => {
    listener.handles.delete(handle);
    if (listener.handles.size === 0) signal.removeEventListener('abort', listener);
  };
}

/** The result of an answer; of a record with an object, both. */
function result({ failure, result = null, handle }, job) {
  if (failure) {
    const error = records.error(failure);
    throw MerchantPayError.from({ ...error, cause: error.code === 'cancelled' ? job?.signal?.reason : job?.cause });
  }
  return handle && result ? { handle, result } : (handle ?? result);
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

const VARIABLE = 'MERCHANTPAY_';
const CALLBACKS = { logger: 'log', signer: 'sign' };

/** What opens an object with these settings and `callbacks`: the waist reads the environment too if `environment` is set. */
function opening(table, settings, callbacks = [], environment = false) {
  const values = given('settings', settings, [...Object.keys(table), ...callbacks]);
  const named = callbacks.filter((name) => values[name] != null);
  for (const name of named) {
    if (typeof values[name] !== 'function') throw typeError(name, 'a function', values[name]);
  }
  const pairs = Object.entries(table)
    .filter(([name]) => values[name] != null)
    .flatMap(([name, [known, convert]]) => [known, convert(name, values[name])]);
  const variables = environment ? Object.entries(process.env).filter(([name]) => name.startsWith(VARIABLE)) : null;
  return ['camel', named.map((name) => CALLBACKS[name]), pairs, variables?.flat() ?? null];
}

function open(kind, values, parent = LIBRARY) {
  return result(parent.open(null, kind, values));
}

/** Opens an object on a thread. */
async function openLater(kind, values, parent) {
  return result(await onThread({ start: (ticket) => parent.open(ticket, kind, values) }));
}

/** A deadline. The waist takes 0 as "no other than before", which is not what is meant by time that has run out. */
function timeout(name, value) {
  if (typeof value === 'number' && value >= 1) return String(value);
  throw new TypeError(`${name} must be a number of milliseconds, at least 1, not ${inspect(value)}`);
}

/** Another handle of the owner's object. The calls on that of a client or a journal end apart, and perhaps earlier. */
function derive(owner, timeoutMs) {
  return result(handle(owner).derive(timeoutMs == null ? [] : [timeout('timeoutMs', timeoutMs)]));
}

/** Makes a call that waits for nothing. Without an owner it is one that needs no object. */
function callNow(owner, row, values) {
  return result((owner ? handle(owner) : LIBRARY).callNow(row, values));
}

/** Makes a call on a thread. A wait leaves it at each pause; its error then has the `orderId`. */
async function call(owner, row, values, options, orderId) {
  const { signal, timeoutMs } = given('options', options, ['signal', 'timeoutMs']);
  // A handle of its own, so that the program may close the owner meanwhile.
  const own = derive(owner, timeoutMs);
  const begun = clock();
  const start = (ticket) => own.call(ticket, row, values, job.timer ? clock() - begun : 0);
  const job = { owner, own, row, signal, start, context: owner.logger || owner.signer ? new AsyncResource('merchantpay') : null };
  let unlisten;
  try {
    unlisten = signal == null ? null : listen(signal, own);
    let answer = await onThread(job);
    while (answer.pauseMs != null) {
      job.orderId = orderId;
      answer = await onThread(job, answer.pauseMs);
    }
    return result(answer, job);
  } finally {
    unlisten?.();
    own.close();
  }
}

module.exports = { Owner, call, callNow, derive, handle, interrupt, open, openLater, opening };
