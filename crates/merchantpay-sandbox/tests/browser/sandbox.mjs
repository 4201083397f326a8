// The program under test: its sandbox, its commands, and a merchant's receiver of webhooks.

import { execFile, spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const PROGRAM = process.env.MERCHANTPAY_PROGRAM;

/// Starts a sandbox on a free port, and reads its URL and keys from its output.
export async function start(...flags) {
  const child = spawn(PROGRAM, ["sandbox", "--port", "0", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const settings = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name) settings[name] = value.replace(/^'(.*)'$/, "$1");
    if (line.startsWith("# Stop")) break;
  }
  return new Sandbox(child, settings);
}

class Sandbox {
  constructor(child, settings) {
    this.child = child;
    this.settings = settings;
    this.url = settings.MERCHANTPAY_BASE_URL;
  }

  /// Runs a command of the program. `input` is its standard input.
  run(args, input = "", settings = this.settings) {
    return new Promise((resolve) => {
      const child = execFile(PROGRAM, args, { env: { ...process.env, ...settings } }, (error, stdout, stderr) => {
        const read = (text) => (text.trim().startsWith("{") ? JSON.parse(text.trim().split("\n").at(-1)) : text);
        resolve({ status: error ? error.code : 0, out: read(stdout), error: read(stderr), stdout });
      });
      // A command that reads nothing may end before its input is written.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }

  /// Runs a command that must succeed, and returns its reply.
  async call(...args) {
    const done = await this.run(args);
    if (done.status !== 0) throw new Error(`${args.join(" ")}: ${JSON.stringify(done.error)}`);
    return done.out;
  }

  create(account, ...more) {
    return this.call("new", ...payment(account), ...more);
  }

  /// Makes a payment with the journal. The response to the payment may be lost.
  pay(reference, account = "79001234567", ...more) {
    return this.run(["journal", "pay", "--reference", reference, ...payment(account), ...more]);
  }

  /// Makes a payment in place of an attempt.
  replace(reference, attempt) {
    return this.call("journal", "replace", reference, "--attempt", attempt, ...payment("79001234567"));
  }

  /// `settle` as a service, with the operator's page.
  async settle(...flags) {
    const args = ["journal", "settle", "--every", "100ms", "--listen", "127.0.0.1:0", ...flags];
    const child = spawn(PROGRAM, args, { env: { ...process.env, ...this.settings }, stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      // Later output of `settle` is ignored.
      child.stdout.resume();
      return { url: JSON.parse(line).listening.replace(/\/$/, ""), stop: () => child.kill() };
    }
  }

  /// Calls the control API, and returns its document.
  async control(path, body) {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}/sandbox${path}`, body && init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  }

  stop() {
    this.child.kill();
  }
}

function payment(account) {
  return ["--sum", "1500.50", "--payment-method", "sbp", "--customer-account", account];
}

/// A merchant's server: it accepts webhooks on any path, and serves the given pages.
export async function merchant(pages = {}) {
  const taken = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const page = pages[request.url];
      if (request.method === "POST" && !page) taken.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.setHeader("content-type", "text/html; charset=utf-8");
      // The console also shows the merchant's answer.
      response.end(page ?? "<script>alert('answer')</script>");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, taken, pages, stop: () => server.close() };
}
