'use strict';

const { Client } = require('merchantpay');
const { withSandbox } = require('merchantpay/testing');

const ORDER = { sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567' };

test(
  'a payment in a sandbox',
  withSandbox(async (sandbox) => {
    const payment = await Client.fromEnv().newPayment(ORDER);
    expect(await sandbox.payments()).toHaveLength(1);
    expect(payment.sum).toBe('1500.50');
  }),
);

test(
  'fake timers do not stop a call',
  withSandbox(async (sandbox) => {
    jest.useFakeTimers();
    const client = sandbox.client();
    await expect(client.confirm('o-1')).rejects.toMatchObject({ reason: 'order_not_found' });
    const { orderId } = await client.newPayment(ORDER);
    await client.confirm(orderId);
    expect((await client.wait(orderId, { timeoutMs: 20_000 })).isFinal).toBe(true);
    jest.useRealTimers();
  }),
);
