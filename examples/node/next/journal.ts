import { Client, Journal } from 'merchantpay';

const { MERCHANTPAY_JOURNAL, SHOP_URL } = process.env as Record<string, string>;

// `next dev` loads modules again after each change; the journal of before goes on.
const kept = globalThis as { journal?: Promise<Journal> | undefined };

/** The journal, opened by the first request: `next build` imports this module without the shop's variables. */
export function journal(): Promise<Journal> {
  const settings = { callbackUrl: `${SHOP_URL}/callback` };
  kept.journal ??= Journal.open(Client.fromEnv(), MERCHANTPAY_JOURNAL, settings).catch((error) => {
    kept.journal = undefined; // the next request tries again
    throw error;
  });
  return kept.journal;
}
