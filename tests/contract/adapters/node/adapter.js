'use strict';

// The adapter in JavaScript: reads one command per line from stdin, and writes one result per line to stdout. See ../../README.md.

const { createInterface } = require('node:readline');
const { createRequire } = require('node:module');

const merchantpay = createRequire(`${process.argv[2]}/`)('merchantpay');
const { Journal } = require('./journal.js');
const { camel, hex, isNumber, plain } = require('./values.js');

const KINDS = { client: merchantpay.Client, protocol: merchantpay.Protocol, verifier: merchantpay.WebhookVerifier };
const ERROR = ['code', 'outcome', 'isTransient', 'message', 'description', 'reason', 'httpStatus', 'orderId', 'contentType', 'excerpt'];

/** A protocol, a verifier or a client, by its settings or the environment. */
function made(kind, settings, callbacks, fromEnvironment) {
  const own = Object.entries(settings ?? {}).map(([name, value]) => [camel(name), isNumber(name) ? BigInt(value) : value]);
  const options = { ...Object.fromEntries(own), ...callbacks };
  return fromEnvironment ? KINDS[kind].fromEnv(options) : new KINDS[kind](options);
}

/** The arguments of an operation. */
function given({ operation, arguments: { order_id: orderId, files, ...fields } }) {
  if (files) {
    const file = ({ path, name, content_type: contentType, data }) => path ?? { name, contentType, data: hex(data) };
    return [orderId, files.map(file)];
  }
  return orderId === undefined && !['confirm', 'cancel', 'get_status'].includes(operation)
    ? [Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]))]
    : [orderId];
}

function payment(of) {
  const { isFinal, json, ...fields } = of;
  return plain(fields);
}

function shown(result) {
  if (result instanceof merchantpay.AvailableAmounts) {
    return {
      amounts: result.availableAmounts,
      other_amounts_possible: result.otherAmountsPossible,
      json: result.json,
    };
  }
  const known = Object.values(merchantpay.Status).includes(result.status);
  return { payment: payment(result), final: result.isFinal, known, json: result.json };
}

function failure(error) {
  const fields = Object.fromEntries(ERROR.map((name) => [name, error[name]]));
  const { code } = error.constructor;
  return plain({ ...fields, code, retryAfterMs: error.retryAfter, body: error.body?.toString('hex') });
}

/** Callbacks of the program for one command, and what they have got. */
function callbacks({ signer, logger }) {
  const got = {};
  const own = {};
  if (signer) {
    got.signed = [];
    own.signer = async (message) => {
      got.signed.push(message.toString('hex'));
      if (signer.fails !== undefined) throw new Error(signer.fails);
      return hex(signer.returns);
    };
  }
  if (logger) {
    got.log = [];
    own.logger = ({ line, elapsedMs, number, ...event }) => {
      got.log.push(plain({ ...event, number: String(number), httpStatus: event.httpStatus && String(event.httpStatus) }));
      if (logger === 'fails') throw new Error('the disk is full');
    };
  }
  return [own, got];
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Makes the call, which is interrupted before it begins, or when the next line of the input comes. */
async function interrupted(how, call) {
  const controller = new AbortController();
  if (how === 'before') controller.abort();
  if (how !== 'during') return call(how && { signal: controller.signal });
  const running = call({ signal: controller.signal });
  running.catch(() => {});
  await lines.next();
  controller.abort();
  return running;
}

const journal = new Journal(merchantpay, {
  client: (settings) => made('client', settings),
  payment,
  failure,
  interrupted,
});

async function prepared(command, own) {
  const protocol = made('protocol', command.settings, own, command.from_environment);
  return protocol[camel(`prepare_${command.operation}`)](...given(command));
}

const COMMANDS = {
  settings({ makes, settings, from_environment: fromEnvironment }, own) {
    made(makes, settings, own, fromEnvironment);
    return {};
  },
  async prepare(command, own) {
    const { url, headers, body } = await prepared(command, own);
    return { url, headers: Object.entries(headers), body: body.toString('hex') };
  },
  async open(command) {
    const { status, headers, body } = command.reply;
    return shown((await prepared(command)).open(status, headers, hex(body)));
  },
  verify({ settings, from_environment: fromEnvironment, body, signature, key_id: keyId }) {
    const event = made('verifier', settings, {}, fromEnvironment).verify(hex(body), signature, keyId);
    return { kind: event.kind, ...shown(event.payment) };
  },
  async explain({ settings, body, signature, key_id: keyId }) {
    return (await made('verifier', settings).explain(hex(body), signature, keyId)) ?? { cause: '' };
  },
  async call(command, own) {
    const client = made('client', command.settings, own, command.from_environment);
    try {
      let result;
      for (let left = command.times ?? 1; left > 0; left -= 1) {
        result = await interrupted(command.interrupt, (options) => client[camel(command.operation)](...given(command), options));
      }
      return shown(result);
    } finally {
      client.close();
    }
  },
};

async function answered(command) {
  // Node.js replaces the bytes of a variable that is not UTF-8.
  if (command.from_environment && Object.values(process.env).some((text) => text.includes('\ufffd'))) {
    return { cannot: 'a text that is not UTF-8' };
  }
  const [own, got] = callbacks(command);
  try {
    const run = COMMANDS[command.do];
    return { ok: { ...(await (run ? run(command, own) : journal.run(command))), ...got } };
  } catch (error) {
    if (error instanceof merchantpay.MerchantPayError) return { error: { ...failure(error), ...got } };
    return { crash: error.stack };
  }
}

async function main() {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    process.stdout.write(`${JSON.stringify(await answered(JSON.parse(line.value)))}\n`);
  }
}

main();
