// Compiled as an ES module, and not run.
import merchantpay, { Client, InvalidKeyError, type CallOptions, type Settings } from 'merchantpay';
import { signedWebhook, withSandbox } from 'merchantpay/testing';
// @ts-expect-error what clients and journals have in common is no value
import { Owner } from 'merchantpay';

export async function connect(settings: Settings, signal: CallOptions['signal']): Promise<boolean> {
  const client = new merchantpay.Client({ ...settings, caPem: undefined, logger: undefined });
  await client.connect({ signal, timeoutMs: undefined });
  return client instanceof Client && !(Owner instanceof InvalidKeyError);
}

export const test = withSandbox({ seed: undefined }, async (sandbox) => {
  const { body, headers } = signedWebhook({ sum: 150050n });
  return sandbox.client().webhookVerifier().verifyRequest(body, headers).orderId;
});
