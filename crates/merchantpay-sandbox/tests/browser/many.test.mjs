// The console with a thousand payments, in a real Chromium.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, inEveryLook, tabTo } from "./browser.mjs";
import { start } from "./sandbox.mjs";

const PAYMENTS = 1000;
const ROWS = 25;
/// The largest height of a page of rows on a phone with 390 pixels, for a list of any length.
const TALLEST = 6000;
const ENDS = ["confirm", "cancel", null];

let sandbox, browser;

before(async () => {
  sandbox = await start();
  const { receiver } = await sandbox.control("");
  const create = async (number) => {
    const payment = {
      sum: `${number}.50`,
      paymentMethod: "sbp",
      customerAccount: number % 7 ? "79001234567" : "pays-less",
      merchantId: `invoice-${number}`,
      // Some payments have a webhook; enough of them fill more than one page.
      statusWebhookUrl: number % 10 ? null : receiver,
    };
    const { orderId } = await sandbox.control("/payments", payment);
    const action = ENDS[number % ENDS.length];
    if (action) await sandbox.control(`/payments/${orderId}/merchant`, { action });
  };
  const numbers = Array.from({ length: PAYMENTS }, (_, number) => number + 1).values();
  const one = async () => {
    for (const number of numbers) await create(number);
  };
  await Promise.all(Array.from({ length: 8 }, one));
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  sandbox?.stop();
});

const ids = (page) => page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.id));

test("the pages of a thousand payments list each once, by the keyboard too", async () => {
  const page = await browser.page();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${sandbox.url}/payments`);
  const first = await ids(page);
  await tabTo(page, "a[rel=next]");
  await page.keyboard.press("Enter");
  await page.locator("a[rel=prev]").waitFor();
  const all = [...first, ...(await ids(page))];
  assert.equal(all.length, 2 * ROWS);
  // The pages in between are read without being displayed, for speed.
  let next = await page.locator("a[rel=next]").getAttribute("href");
  let last = "";
  while (next) {
    last = `${sandbox.url}/payments${next}`;
    const text = await (await fetch(last)).text();
    all.push(...[...text.matchAll(/<tr id="(payment-[^"]+)"/g)].map((found) => found[1]));
    next = /href="(\?before=\d+)" rel="next"/.exec(text)?.[1];
  }
  assert.equal(all.length, PAYMENTS);
  assert.equal(new Set(all).size, PAYMENTS);
  await page.goto(last);
  assert.equal((await ids(page)).length, ROWS, "the last page is a full one");
  await page.locator("a[rel=prev]").click();
  await page.locator(`#${first[0]}`).waitFor();
  await page.getByLabel("Order id, account or merchantId").fill("invoice-777");
  await page.keyboard.press("Enter");
  await page.locator("tbody tr", { hasText: "invoice-777" }).waitFor();
  assert.equal((await ids(page)).length, 1);
  assert.deepEqual(browser.takeTroubles(), []);
  await page.close();
});

test("each list stays short and readable, in both schemes and on a phone", async () => {
  const pages = {
    "many-start": "/",
    "many-payments": "/payments",
    "many-less": "/payments?search=pays-less&status=doneSuccess",
    "many-calls": "/calls",
    "many-webhooks": "/webhooks",
  };
  await inEveryLook(browser, sandbox.url, pages, async (page, width, where) => {
    const rows = await page.locator("table.rows tbody tr").count();
    assert.equal(rows, where.startsWith("many-start") ? 0 : ROWS, where);
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(tall <= TALLEST, `${where}: ${tall} pixels`);
  });
  assert.deepEqual(browser.takeTroubles(), []);
});
