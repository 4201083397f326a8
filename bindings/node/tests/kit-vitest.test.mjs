import { Client, RejectedError } from 'merchantpay';
import { withSandbox } from 'merchantpay/testing';
import { expect, test } from 'vitest';

const ORDER = { sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567' };

test(
  'a payment in a sandbox',
  withSandbox(async (sandbox) => {
    await Client.fromEnv().newPayment(ORDER);
    expect(await sandbox.payments()).toHaveLength(1);
  }),
);

test(
  'an error is of its class',
  withSandbox(async (sandbox) => {
    await expect(sandbox.client().confirm('o-1')).rejects.toBeInstanceOf(RejectedError);
  }),
);
