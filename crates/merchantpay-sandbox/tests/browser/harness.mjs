// A real Chromium that records all errors of its pages, and the program under test: its sandbox, its commands, and a
// merchant's receiver of webhooks.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = process.env.CONSOLE_SHOTS ?? "shots";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

mkdirSync(SHOTS, { recursive: true });

export class Browser {
  static async start(options = {}) {
    const profile = mkdtempSync(join(tmpdir(), "console-test-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: FLAGS,
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    return new Browser(context, profile);
  }

  constructor(context, profile) {
    this.context = context;
    this.profile = profile;
    /// Dialogs, console errors, script errors and policy violations of every page.
    this.troubles = [];
  }

  async page() {
    const page = await this.context.newPage();
    page.setDefaultTimeout(20_000);
    const note = (what) => this.troubles.push(`${page.url()}: ${what}`);
    page.on("dialog", async (dialog) => {
      note(`dialog ${dialog.message()}`);
      await dialog.dismiss();
    });
    page.on("console", (message) => {
      // Chromium's image viewer has styles and a script, which the policy of a receipt's file blocks.
      if (message.location().url.includes("/receipts/") || page.url().includes("/receipts/")) return;
      if (["error", "warning"].includes(message.type())) note(`console ${message.text()}`);
    });
    page.on("pageerror", (error) => note(`error ${error}`));
    // The page calls a binding, because the browser may report a violation while it leaves the page.
    await page.exposeFunction("noteViolation", (text) => note(`policy ${text}`));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        window.noteViolation(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    return page;
  }

  /// Opens a page of the console and waits until it follows the event stream.
  async live(url) {
    const page = await this.page();
    await page.goto(url);
    await page.locator("main h1").waitFor();
    await page.locator("#connection", { hasText: "live" }).waitFor();
    // The mark is lost if the page is loaded again.
    await page.evaluate(() => (window.sameDocument = true));
    return page;
  }

  takeTroubles() {
    return this.troubles.splice(0);
  }

  async stop() {
    await this.context.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}

export async function shot(page, name) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/// The findings of the accessibility checker axe, for WCAG 2.2 AA and axe's best practices.
export async function accessibility(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" | ")}`);
}

/// Elements that extend past the page's right edge and are not in a scroll box.
function tooWide(page) {
  return page.evaluate(() => {
    const edge = document.documentElement.clientWidth;
    const shown = [...document.querySelectorAll("main *")].filter((one) => !one.closest("pre"));
    const beyond = shown.filter((one) => one.getBoundingClientRect().right > edge + 0.5);
    return beyond.map((one) => one.outerHTML.slice(0, 200));
  });
}

/// Light and dark, on a wide screen and a phone, with opened details: axe finds nothing, and nothing is wider than the
/// screen. Each colour scheme has its own tab, so that both are checked concurrently.
export async function inEveryLook(browser, url, pages, look = async () => {}) {
  const inScheme = async (colorScheme) => {
    const page = await browser.page();
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(url + path);
        await page.locator("main h1").waitFor();
        for (const summary of await page.locator("main summary").all()) await summary.click();
        await shot(page, `${name}-${colorScheme}-${width}`);
        const where = `${name}, ${colorScheme}, ${width}`;
        assert.deepEqual(await accessibility(page), [], where);
        assert.deepEqual(await tooWide(page), [], where);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${where}: scrolls sideways`);
        await look(page, width, where);
      }
    }
    await page.close();
  };
  await Promise.all(["light", "dark"].map(inScheme));
}

/// Presses Tab until the element has a visible focus.
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate((wanted) => {
      const active = document.activeElement;
      return active?.matches(wanted) ? getComputedStyle(active).outlineStyle : null;
    }, selector);
    if (focus === "none") throw new Error(`${selector} has the focus, but does not show it`);
    if (focus) return;
  }
  throw new Error(`${selector} cannot be reached by the keyboard`);
}

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

  /// `input` is for stdin.
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

  async call(...args) {
    const done = await this.run(args);
    if (done.status !== 0) throw new Error(`${args.join(" ")}: ${JSON.stringify(done.error)}`);
    return done.out;
  }

  create(account, ...more) {
    return this.call("new", ...payment(account), ...more);
  }

  /// The reply to the payment may be lost.
  pay(reference, account = "79001234567", ...more) {
    return this.run(["journal", "pay", "--reference", reference, ...payment(account), ...more]);
  }

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
