'use strict';

const { spawn } = require('node:child_process');
const { mkdtempSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { createInterface } = require('node:readline');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const ORDER = Object.freeze({ sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567' });
/** The service waits ten seconds before it answers. */
const SLOW = Object.freeze({ ...ORDER, customerAccount: 'no-credentials' });

function folder() {
  return mkdtempSync(join(tmpdir(), 'merchantpay-'));
}

/** A free port of this machine. */
async function port() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Repeats until the result is true. */
async function until(holds, milliseconds = 30_000) {
  for (const end = Date.now() + milliseconds; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const result = await holds();
    if (result) return result;
  }
  throw new Error(`it did not happen: ${holds}`);
}

/** Runs a program of Node.js to its end. */
async function run(text) {
  // Here it finds the package.
  const file = join(mkdtempSync(join(__dirname, 'program-')), 'program.js');
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file]);
  const printed = { out: '', err: '' };
  child.stdout.on('data', (data) => (printed.out += data));
  child.stderr.on('data', (data) => (printed.err += data));
  const [status, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
  return { status: signal ?? status, ...printed };
}

/** Starts a program that says that it listens, and returns what ends it. */
async function listening(command, words, options) {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const said = (text) => (printed += text);
  child.stderr.on('data', said);
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said(`${line}\n`);
      if (/listening|Ready in/.test(line)) resolve();
    });
    child.on('close', () => reject(new Error(`it has ended: ${printed}`)));
  });
  return async () => {
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill();
    await ended;
    return printed;
  };
}

module.exports = { ORDER, SLOW, folder, listening, port, run, until };
