/// <reference types="node" />

import type { AvailableAmounts, Client, Entry, Keypair, Payment, Settings, Sum, WebhookVerifier } from './index.js';

/** How a sandbox is started. */
export interface SandboxOptions {
  /** The path of the program `merchantpay`, in place of the variable `MERCHANTPAY_PROGRAM` and the `PATH`. */
  program?: string | undefined;
  /** A manual clock moves only by `advance`. */
  clock?: 'real' | 'manual' | undefined;
  /** The duration of a simulated step. */
  stepMs?: number | undefined;
  /** Every payment waits until `operate` decides about it. */
  hold?: boolean | undefined;
  /** All runs with the same seed make the same ids. */
  seed?: number | undefined;
}

/** The service of the contract on a port of its own. It ends with `stop`, and when this process ends or is killed. */
export declare class Sandbox {
  private constructor();
  static start(options?: SandboxOptions): Promise<Sandbox>;
  readonly url: string;
  /** The variables `MERCHANTPAY_…` of this sandbox. */
  readonly environment: Record<string, string>;
  /** The settings of a client or a protocol. */
  readonly settings: Settings;
  stop(): Promise<void>;
  /** Sets the variables in `process.env`, and unsets the library's others; `stop` restores them. */
  setEnvironment(): void;
  restoreEnvironment(): void;
  /** A client of this sandbox, with further settings. */
  client(settings?: Settings): Client;
  /** Calls the sandbox's control API, as `control('GET', '/payments')`. */
  control(method: string, path: string, body?: unknown): Promise<any>;
  /** The payments, newest first; `status`, `merchantId` and `search` filter them. */
  payments(filters?: Record<string, string>): Promise<any[]>;
  /** How many requests of an operation, such as `newPayment`, have come. */
  requests(operation: string): Promise<number>;
  /** Plays the customer. */
  pay(orderId: string, pays?: 'exactly' | 'less' | 'more' | 'nothing'): Promise<void>;
  /** Plays the service's operator. */
  operate(orderId: string, action: 'approve' | 'fail' | 'arbitration' | 'requireReceipt' | 'hold' | 'release'): Promise<void>;
  /** Makes the next `times` calls fail: with `dropAfterCommit` the payment exists, and its reply is lost. */
  fault(kind: string, options?: { operation?: string; times?: number; latencyMs?: number; bytes?: number }): Promise<void>;
  clearFaults(): Promise<void>;
  /** Advances a manual clock. */
  advance(milliseconds: number): Promise<void>;
  /** Waits for a payment's newest webhook of a kind. */
  webhook(orderId: string, kind?: 'credentials' | 'credentials_failed' | 'status'): Promise<SignedWebhook>;
}

/** The body of a test with a sandbox; further arguments are those of the runner. */
export type SandboxTest = (sandbox: Sandbox, ...context: any[]) => unknown;

/**
 * A test for node:test, Jest or Vitest with a sandbox of its own, whose variables it has: `test('…', withSandbox(async (sandbox) => …))`. Tests that
 * run at once in one process share its environment: for them use `Sandbox.start` and the sandbox's `client`.
 */
export declare function withSandbox(test: SandboxTest): (...context: any[]) => Promise<void>;
export declare function withSandbox(options: SandboxOptions, test: SandboxTest): (...context: any[]) => Promise<void>;

/** A webhook as a handler receives it, and the key that verifies it. */
export declare class SignedWebhook {
  private constructor();
  readonly body: Buffer;
  readonly signature: string;
  readonly keyId: string;
  readonly serverPublicKey: string;
  /** The path of the webhook's URL. */
  readonly path: string;
  /** The headers, for a test client of any framework. */
  readonly headers: Record<string, string>;
  /** A verifier that trusts the key of this webhook. */
  verifier(): WebhookVerifier;
}

/** A webhook that is signed as the service signs it, without a sandbox. `success: false` says that no credentials were found. */
export declare function signedWebhook(
  fields?: Partial<
    Omit<Payment, 'paid' | 'isFinal' | 'json' | 'sum'> & { sum: Sum; success: boolean; keys: Keypair; keyId: string; path: string }
  >,
): SignedWebhook;

/** Results as a call returns them, with these fields. They are not verified. */
export declare function payment(fields?: Partial<Omit<Payment, 'paid'>>): Payment;
export declare function availableAmounts(amounts: string[], options?: { otherAmountsPossible?: boolean }): AvailableAmounts;
export declare function entry(fields?: Partial<Omit<Entry, 'acknowledgeSql'>>): Entry;
