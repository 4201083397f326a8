// Compiled, and not run: what a program in TypeScript writes, and what its compiler refuses.
import { CancelledError, Client, Journal, MerchantPayError, Outcome, RejectedError, Status, WebhookVerifier } from 'merchantpay';
import { payment, signedWebhook, withSandbox } from 'merchantpay/testing';

export async function pay(client: Client): Promise<string> {
  const order = { sum: 150050n, paymentMethod: 'sbp', customerAccount: '79001234567' } as const;
  const made = await client.newPayment({ ...order, merchantId: 'order-7' }, { signal: AbortSignal.timeout(5000), timeoutMs: 4000 });
  // @ts-expect-error a number is no sum
  await client.newPayment({ ...order, sum: 1500.5 });
  // @ts-expect-error a misspelled field
  await client.newPayment({ ...order, paymentMetod: 'sbp' });
  // @ts-expect-error a field of newPaymentAsync
  await client.newPayment({ ...order, credentialsWebhookUrl: 'https://shop.example' });
  // @ts-expect-error an option that no call has
  await client.confirm(made.orderId, { timeout: 5 });
  const status: Status | null = made.status;
  return status === Status.DoneSuccess && made.paid('1500.50') === 'exactly' ? (made.sum ?? '') : made.orderId;
}

export async function ship(client: Client): Promise<void> {
  const journal = await Journal.open(client, '/srv/shop/journal.db', { callbackUrl: 'https://shop.example/callback' });
  const [entry] = await journal.list({ standing: 'final', limit: 1 });
  const { text, parameters } = entry.acknowledgeSql('dollar');
  const [reference, attempt, news]: [string, number, number] = parameters;
  await journal.confirm({ reference, attempt });
  // @ts-expect-error the number of the news is missing
  await journal.acknowledge({ reference, attempt });
  console.log(text, news, entry.createdAt.getTime(), entry.error?.description);
}

export function explain(error: unknown): boolean {
  if (error instanceof RejectedError) {
    const code: 'rejected' = error.code;
    return code.length > 0 && error.reason === 'order_not_found';
  }
  if (error instanceof CancelledError) return error.outcome === Outcome.NotSent;
  return error instanceof MerchantPayError && MerchantPayError.from(error.toJSON()).isTransient && (error.retryAfter ?? 0) < 1000;
}

export const test = withSandbox({ clock: 'manual' }, async (sandbox) => {
  const { body, headers } = signedWebhook({ orderId: 'order-7', status: 'doneSuccess', sum: '1500.50' });
  const event = new WebhookVerifier({ serverPublicKey: 'x' }).verifyRequest(body, headers);
  await pay(sandbox.client({ timeoutMs: 5000 }));
  return event.payment.orderId === payment({ sum: '1' }).orderId;
});
