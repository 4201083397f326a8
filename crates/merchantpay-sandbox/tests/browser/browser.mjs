// A real Chromium that remembers whatever went wrong in its pages.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    /// Dialogs, console errors, broken scripts and violations of the policy, of every page.
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
      // Chromium's own viewer of images has styles and a script, which the policy of a receipt's file keeps from running.
      if (message.location().url.includes("/receipts/") || page.url().includes("/receipts/")) return;
      if (["error", "warning"].includes(message.type())) note(`console ${message.text()}`);
    });
    page.on("pageerror", (error) => note(`error ${error}`));
    // A binding, because a violation may be reported while its page is being left.
    await page.exposeFunction("noteViolation", (text) => note(`policy ${text}`));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        window.noteViolation(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    return page;
  }

  /// What went wrong since the last time.
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

/// What axe finds against WCAG 2.2 AA and its best practices.
export async function accessibility(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" | ")}`);
}

/// What reaches beyond the page's right edge and is not scrolled in a box of its own.
function tooWide(page) {
  return page.evaluate(() => {
    const edge = document.documentElement.clientWidth;
    const shown = [...document.querySelectorAll("main *")].filter((one) => !one.closest("pre"));
    const beyond = shown.filter((one) => one.getBoundingClientRect().right > edge + 0.5);
    return beyond.map((one) => one.outerHTML.slice(0, 200));
  });
}

/// Each page in both schemes, on a wide screen and on a phone, with its details open: axe has nothing to say, and nothing is wider
/// than the screen. Each scheme has a tab of its own, so that both are looked at side by side.
export async function inEveryLook(browser, url, pages, look = async () => {}) {
  const inScheme = async (colorScheme) => {
    const page = await browser.page();
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(url + path);
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

/// Presses Tab until the focus is on what the selector means; there must be a visible mark of it.
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
