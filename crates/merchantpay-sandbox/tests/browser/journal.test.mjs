// The operator's page of `settle` in a real Chromium, with a journal that has each kind of problem.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Browser, inEveryLook, merchant, start, tabTo } from "./harness.mjs";

const HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>";
const LOST = `lost-${"long".repeat(20)}`;

let sandbox, shop, folder, service, browser, paid;

before(async () => {
  sandbox = await start();
  shop = await merchant();
  folder = mkdtempSync(join(tmpdir(), "journal-page-"));
  sandbox.settings.MERCHANTPAY_JOURNAL = join(folder, "payments.db");
  sandbox.settings.MERCHANTPAY_CALLBACK_URL = `${shop.url}/callback`;
  await sandbox.call("journal", "init");
  paid = await succeeded("order-1");
  await lost(LOST);
  await lost(HOSTILE);
  await orphan();
  await succeeded("order-less", "pays-less");
  await sandbox.pay("order-replaced");
  await sandbox.call("journal", "cancel", "order-replaced");
  await sandbox.replace("order-replaced", "1");
  await sandbox.pay("order-refused", "no-credentials");
  // An attempt needs a person after it was unknown for two minutes.
  const older = "UPDATE merchantpay_attempts SET call_until = call_until - 180000 WHERE state = 'sent'";
  const age = `import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("${older}"); c.commit()`;
  execFileSync("python3", ["-c", age, sandbox.settings.MERCHANTPAY_JOURNAL]);
  service = await sandbox.settle();
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  service?.stop();
  shop?.stop();
  sandbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => assert.deepEqual(browser.takeTroubles(), [], "no dialog, no error, no violation of the policy"));

async function succeeded(reference, account) {
  const { out } = await sandbox.pay(reference, account);
  await sandbox.call("journal", "confirm", reference);
  await sandbox.run(["journal", "wait", reference]);
  return out.orderId;
}

/// The service loses the request, so that no webhook names an order.
async function lost(reference) {
  await sandbox.call("sandbox", "faults", "add", "drop-before-commit", "--operation", "newPayment");
  assert.equal((await sandbox.pay(reference)).status, 4);
}

/// A genuine webhook at a URL that belongs to no attempt, as after a restore.
async function orphan() {
  const order = await sandbox.create("payment-fails", "--status-webhook-url", `${shop.url}/other`);
  await sandbox.call("confirm", order.orderId);
  await sandbox.call("status", order.orderId, "--wait");
  const its = () => shop.taken.find((webhook) => webhook.body.includes(order.orderId));
  while (!its()) await new Promise((resolve) => setTimeout(resolve, 20));
  const { body, headers } = its();
  const args = ["journal", "receive", "--path", `/callback/${randomBytes(16).toString("hex")}`];
  await sandbox.run([...args, "--signature", headers["x-signature"], "--webhook-key-id", headers["x-keyid"]], body);
}

async function open(path) {
  const page = await browser.page();
  await page.goto(service.url + path);
  await page.locator("main h1").waitFor();
  while (path === "/" && !(await page.getByText("runs", { exact: true }).count())) {
    await page.reload();
    await page.locator("main h1").waitFor();
  }
  return page;
}

test("the overview shows the state of settle, and each trouble with the commands that decide it", async () => {
  const page = await open("/");
  await page.getByRole("heading", { name: "Needs attention: 4" }).waitFor();
  const unknown = page.getByRole("region", { name: new RegExp(`resolve ${LOST} --attempt 1 --no-payment`) });
  const command = await unknown.innerText();
  assert.equal(command, `merchantpay journal resolve ${LOST} --attempt 1 --no-payment --note NOTE`);
  const seen = page.getByRole("region", { name: /resolve order-less .*--seen sum_differs/ });
  assert.equal(await seen.count(), 1);
  assert.equal(await page.getByRole("region", { name: /resolve --orphan \S+ --seen doneFail/ }).count(), 1);
  await page.getByRole("heading", { name: "Newest references" }).waitFor();
  assert.equal(await page.locator("img, main script").count(), 0, "what a merchant sends never becomes a part of the page");

  // Runs the displayed command with a note in place of NOTE: this stores the operator's decision.
  const words = command.replace("merchantpay ", "").replace("NOTE", "support-has-none").split(" ");
  await sandbox.call(...words);
  await page.reload();
  await page.getByRole("heading", { name: "Needs attention: 3" }).waitFor();
  await page.close();
});

test("a reference, an order id and a sum are found by the keyboard, and lead to what happened in order", async () => {
  for (const [query, found] of [["order-1", 1], [paid, 1], ["1500.50", 6], ["absent", 0]]) {
    const page = await open("/");
    await tabTo(page, "#q");
    await page.keyboard.type(query);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: new RegExp(`^Found for .*: ${found}$`) }).waitFor();
    assert.equal(await page.locator("#q").inputValue(), query, "the search can be changed");
    assert.equal(await page.locator("tbody tr").count(), found);
    await page.close();
  }
  const page = await open("/search?q=order-replaced");
  await page.getByRole("link", { name: "order-replaced" }).click();
  await page.getByRole("heading", { level: 1, name: "order-replaced" }).waitFor();
  const headings = await page.getByRole("heading", { level: 2, name: /^Attempt/ }).allInnerTexts();
  assert.deepEqual(headings, ["Attempt 1 superseded", "Attempt 2 open"]);
  const events = await page.locator("ol.timeline").first().locator("li").allInnerTexts();
  assert.match(events[0], /Stored: 1500\.50 asked/);
  assert.match(events[1], /The service made the order/);
  assert.ok(events.some((event) => event.startsWith("Instruction cancel: accepted")), `${events}`);
  await page.close();
});

test("every page is readable in both schemes and on a phone", async () => {
  await sandbox.call("journal", "pause", "--note", "restored from last night's backup");
  const page = await open("/");
  await page.getByText("Paused: restored").waitFor();
  const attempt = (q) => `/attempts?${new URLSearchParams({ q })}`;
  await inEveryLook(browser, service.url, {
    "journal-start": "/",
    "journal-lost": attempt(LOST),
    "journal-hostile": attempt(HOSTILE),
    "journal-replaced": attempt("order-replaced"),
    "journal-paid": attempt("order-1"),
    "journal-search": "/search?q=1500.50",
    "journal-missing": attempt("absent"),
  });
  await sandbox.call("journal", "resume", "--note", "compared");
  await page.close();
});

test("no other site frames the page or reads its JSON", async () => {
  shop.pages["/embed"] = `<title>shop</title><iframe src="${service.url}/"></iframe>`;
  const frame = await browser.page();
  await frame.goto(`${shop.url}/embed`);
  assert.ok(frame.frames().some((one) => one.url().startsWith("chrome-error:")), "the frame stays empty");
  const read = (url) => fetch(url).then((answer) => answer.text(), () => "refused");
  assert.equal(await frame.evaluate(read, `${service.url}/api/list`), "refused");
  const expected = /frame-ancestors|X-Frame-Options|Framing|CORS|ERR_FAILED|status of 403/i;
  assert.deepEqual(browser.takeTroubles().filter((trouble) => !expected.test(trouble)), []);
  await frame.close();
});
