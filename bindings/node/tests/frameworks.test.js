'use strict';

// The recipes of docs/web-node.md, each as a real server to which the sandbox sends its webhooks.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { test } = require('node:test');
const ts = require('typescript');

const { Client, Journal } = require('merchantpay');
const { withSandbox } = require('merchantpay/testing');
const { ORDER, listening, port, until } = require('./helpers.js');

const EXAMPLES = process.env.MERCHANTPAY_EXAMPLES;
const BIN = join(__dirname, 'node_modules/.bin');

function program(file, place) {
  const to = join(place, file.split('/').pop());
  cpSync(join(EXAMPLES, file), to);
  return to;
}

const SERVERS = {
  express: (place) => [process.execPath, [program('express.mjs', place)]],
  fastify: (place) => [process.execPath, [program('fastify.mjs', place)]],
  nest(place) {
    const options = {
      module: 'commonjs',
      target: 'es2022',
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      esModuleInterop: true,
    };
    const { outputText } = ts.transpileModule(readFileSync(join(EXAMPLES, 'nest.ts'), 'utf8'), {
      compilerOptions: { ...options, module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(place, 'nest.js'), outputText);
    return [process.execPath, [join(place, 'nest.js')]];
  },
  next(place, free) {
    cpSync(join(EXAMPLES, 'next'), place, { recursive: true });
    return [join(BIN, 'next'), ['dev', '--port', String(free)]];
  },
};

for (const [framework, command] of Object.entries(SERVERS)) {
  test(
    `${framework} takes a payment and its webhook`,
    { timeout: 180_000 },
    withSandbox(async (sandbox, context) => {
      // Here the packages are found.
      const [place, free] = [mkdtempSync(join(__dirname, `${framework}-`)), await port()];
      const url = `http://127.0.0.1:${free}`;
      const shop = { MERCHANTPAY_JOURNAL: join(place, 'journal.db'), SHOP_URL: url, PORT: String(free), NEXT_TELEMETRY_DISABLED: '1' };
      execFileSync(process.env.MERCHANTPAY_PROGRAM, ['journal', 'init', '--journal', shop.MERCHANTPAY_JOURNAL]);
      const [file, words] = command(place, free);
      const stop = await listening(file, words, { cwd: place, env: { ...process.env, ...shop } });
      try {
        const post = (path, body, headers) =>
          fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
        const order = JSON.stringify({ order: 'order-7', sum: '1500.50', account: ORDER.customerAccount });
        const paid = await (await post('/pay', order)).json();
        assert.match(paid.payTo, /^\d+$/);
        assert.deepEqual(await (await post('/pay', order)).json(), paid);
        const [{ orderId }] = await sandbox.payments();
        if (framework === 'express') assert.equal((await post('/paid', order)).status, 200);
        else await sandbox.client().confirm(orderId);

        // The sandbox delivers the webhook to the framework's server, and the shop's journal stores it.
        const journal = await Journal.open(Client.fromEnv(), shop.MERCHANTPAY_JOURNAL);
        const entry = await until(async () => {
          const found = await journal.find('order-7');
          return found.standing === 'final' && (found.acknowledged || framework !== 'express') && found;
        });
        assert.equal(entry.succeeded, true);
        journal.close();

        const webhook = await sandbox.webhook(orderId);
        const again = await post(webhook.path, webhook.body, webhook.headers);
        assert.equal(again.status, 200);
        const changed = await post(webhook.path, `${webhook.body} `, webhook.headers);
        assert.equal(changed.status, 400);
      } finally {
        context.diagnostic(await stop());
      }
    }),
  );
}
