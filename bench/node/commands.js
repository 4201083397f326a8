'use strict';

// Executes the driver's commands. A command is a line with a task and a number; the program answers with one line.

const { createInterface } = require('node:readline');

const { env } = process;

module.exports = {
  URL: env.BENCH_URL,
  KEY_ID: 'merchant-1',
  PRIVATE_KEY: env.BENCH_PRIVATE_KEY,
  SERVER_PUBLIC_KEY: env.BENCH_SERVER_PUBLIC_KEY,
  ORDER_ID: env.BENCH_ORDER_ID,
  WEBHOOK: Buffer.from(env.BENCH_WEBHOOK),
  SIGNATURE: env.BENCH_SIGNATURE,

  async serve(tasks) {
    for await (const line of createInterface({ input: process.stdin })) {
      const [task, count] = line.split(' ');
      for (let left = Number(count); left > 0; left -= 1) await tasks[task]();
      console.log('ok');
    }
  },

  /** The checks of a peer on a verified body. */
  read(body) {
    const payment = JSON.parse(body);
    if (!payment.success) throw new Error(payment.errorDescription);
    if (payment.orderId !== module.exports.ORDER_ID) throw new Error('the reply is about another order');
    if (payment.status !== 'doneSuccess' || !payment.sum) throw new Error('the payment has not succeeded');
  },
};
