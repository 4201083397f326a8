import testing from './testing.js';

export const { Sandbox, SignedWebhook, availableAmounts, entry, payment, signedWebhook, withSandbox } = testing;
