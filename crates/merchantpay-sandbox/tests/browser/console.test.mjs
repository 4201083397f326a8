// The console in a real Chromium, with the program's sandbox and payments that the program makes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Browser, inEveryLook, merchant, start, tabTo } from "./harness.mjs";

const RECEIPT = join(process.cwd(), "receipt.png");
/// A PNG with one red dot.
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC", "base64");
const HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>\u202e";

let sandbox, shop, browser;

before(async () => {
  writeFileSync(RECEIPT, PNG);
  sandbox = await start();
  shop = await merchant();
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  shop?.stop();
  sandbox?.stop();
});

afterEach(async () => {
  await Promise.all(browser.context.pages().slice(1).map((page) => page.close()));
  assert.deepEqual(browser.takeTroubles(), [], "no dialog, no error, no violation of the policy");
});

const open = (path, at = sandbox) => browser.live(at.url + path);
const stayed = async (page) => assert.equal(await page.evaluate(() => window.sameDocument), true, "the page has followed by itself");
const status = (page, text) => page.locator("main .status", { hasText: text }).first().waitFor();
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const paid = (...more) => sandbox.create("79001234567", ...more);
const expect = (pattern) => assert.deepEqual(browser.takeTroubles().filter((trouble) => !pattern.test(trouble)), []);

test("stories, settings and a payment start from the first page", async () => {
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: sandbox.url });
  const page = await open("/");
  await page.getByRole("link", { name: "env-file", exact: true }).click();
  const text = page.getByRole("region", { name: "Settings of a client" });
  await text.getByText("MERCHANTPAY_BASE_URL=").waitFor();
  await press(page, "Copy");
  await page.locator("#news", { hasText: "Copied." }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await text.evaluate((one) => one.textContent));

  await page.locator("#story-forged-webhook").click();
  await page.getByRole("heading", { name: "Story: Forged webhook" }).waitFor();
  await page.locator("tr", { hasText: "wrongKey" }).getByText("HTTP 400").waitFor();
  await page.goto(sandbox.url);
  await page.getByLabel("Sum, RUB").fill("77.70");
  await page.locator("#create").click();
  await page.locator("#merchant-confirm").click();
  await status(page, "doneSuccess");
  assert.equal(await page.locator("#merchant-confirm").count(), 0, "what is not possible has no button");
});

test("a merchant registers its own public key", async () => {
  const own = await start();
  const { out: pair } = await own.run(["keygen"]);
  const tried = async (key) => (await own.run(["available", "--sum", "1000", "--payment-method", "sbp"], "", { ...own.settings, MERCHANTPAY_PRIVATE_KEY: key })).status;
  const page = await open("/", own);
  await page.getByText("Use another key").click();
  await page.getByLabel("Your public key, in base64").fill(pair.publicKey);
  await press(page, "Use this public key");
  await page.getByText("The private key is yours.").waitFor();
  assert.deepEqual([await tried(pair.privateKey), await tried(own.settings.MERCHANTPAY_PRIVATE_KEY)], [0, 1]);
  await page.close();
  own.stop();
});

test("a receiver is checked, and each wrong answer is explained", async () => {
  const page = await open("/receiver");
  const check = async (url) => {
    await page.getByLabel("URL of the receiver").fill(url);
    await press(page, "Check");
  };
  await check(`${shop.url}/hook`);
  await page.locator("#row-wrongKey").getByText("The receiver accepts a forged webhook").waitFor();
  assert.equal(await page.locator("tbody .status.good").count(), 4);
  await check(`${sandbox.url}/sandbox/receiver`);
  await page.getByText("gives every answer that is expected").waitFor();
});

test("a payment appears by itself and is announced, and is opened by the keyboard", async () => {
  const page = await open("/payments");
  const payment = await paid("--merchant-id", "invoice-17");
  const row = page.locator(`#row-${payment.orderId}`);
  await row.getByText("invoice-17").waitFor();
  await page.locator("#news", { hasText: payment.orderId }).waitFor();
  await tabTo(page, `#row-${payment.orderId} a`);
  // What arrives now must not take the focus away.
  await page.locator(`#row-${(await paid()).orderId}`).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: payment.orderId }).waitFor();
});

test("the customer pays on the page behind the deeplink, and the merchant's side follows", async () => {
  const payment = await paid("--status-webhook-url", `${shop.url}/status`);
  const page = await open(`/payments/${payment.orderId}`);
  const frame = await browser.page();
  await frame.goto(payment.deeplink);
  await frame.getByRole("img", { name: "QR code" }).waitFor();
  await frame.waitForFunction(() => document.querySelector(".qr").naturalWidth > 100);
  await tabTo(frame, "#pays-less");
  await frame.keyboard.press("Enter");
  await frame.getByText("Paid: 1350.45 RUB").waitFor();
  await page.locator("ol.timeline li", { hasText: "customer: less" }).waitFor();
  await sandbox.call("confirm", payment.orderId);
  await status(page, "doneSuccess");
  await page.locator("tr", { hasText: "doneSuccess" }).getByText("delivered").waitFor();
  await stayed(page);
});

test("arbitration is played to its end, with a receipt that can be seen", async () => {
  const payment = await paid();
  const page = await open(`/payments/${payment.orderId}`);
  await page.locator("#operator-requireReceipt").click();
  await status(page, "receiptRequired");
  await sandbox.call("attach-receipt", payment.orderId, RECEIPT);
  await page.waitForFunction(() => document.querySelector(".receipts img")?.naturalWidth === 1);
  await page.locator("#operator-approve").click();
  await status(page, "doneSuccess");
});

test("a fault is set, happens and is cleared, and an error is shown", async () => {
  const payment = await paid();
  const page = await open("/faults");
  await page.getByLabel("Fault", { exact: true }).selectOption("unsigned");
  await page.getByLabel("Operation").selectOption("getStatus");
  await page.getByLabel("How many").fill("1");
  await press(page, "Add");
  await page.locator("tr", { hasText: "unsigned" }).getByText("the next 1").waitFor();
  await page.getByLabel("Seed").fill("42");
  assert.equal((await sandbox.run(["status", payment.orderId])).error.error?.code, "unverified");
  await page.getByText("None: every call is answered").waitFor();
  await stayed(page);
  assert.equal(await page.getByLabel("Seed").inputValue(), "42", "what was typed stays");
  assert.ok(await page.getByLabel("Seed").evaluate((field) => field === document.activeElement), "and so does the focus");
  await page.getByLabel("Probability").fill("0.5");
  await page.getByLabel("How many").fill("");
  await press(page, "Add");
  await page.locator("tr", { hasText: "probability 0.5, seed 42" }).getByRole("button", { name: /Clear fault/ }).click();
  await page.getByLabel("How many").fill("soon");
  await press(page, "Add");
  await page.locator("#problem", { hasText: "times" }).waitFor();
  expect(/status of 400/);
});

test("a call is shown byte by byte, and why its signature was refused", async () => {
  const { orderId } = await paid();
  await sandbox.call("status", orderId);
  const { exchanges } = await sandbox.control(`/exchanges?orderId=${orderId}&operation=getStatus`);
  const { request } = await sandbox.control(`/exchanges/${exchanges[0].id}`);
  const headers = { "X-KeyId": request.keyId, "X-Signature": request.signature };
  const changed = request.body.text.replace(":", ": ");
  await fetch(sandbox.url + request.path, { method: "POST", headers, body: changed });
  const page = await open("/calls?refused=true");
  await page.getByRole("link", { name: /getStatus/ }).first().click();
  await page.getByText("body_changed: ").waitFor();
  await page.getByText("The first difference is at byte 11.").waitFor();
  assert.equal(await page.getByLabel("Signed as text").innerText(), request.body.text);
  await page.getByText("Byte by byte").last().click();
  assert.match(await page.getByLabel("Reply: body byte by byte").innerText(), /^000000 {2}7b 22 73 75 63 63 65 73 73/);
});

test("a webhook is sent again, signed with a wrong key, and the answer is shown as text", async () => {
  const payment = await paid("--status-webhook-url", `${shop.url}/again`);
  const page = await open(`/payments/${payment.orderId}`);
  await page.locator("#operator-fail").click();
  await page.locator("tr", { hasText: "delivered" }).waitFor();
  await page.getByRole("link", { name: /^status #/ }).click();
  await press(page, "Wrong key");
  await page.getByText("copy of").waitFor();
  await status(page, "delivered");
  const verify = (webhook) => sandbox.run(["webhook", "verify", "--signature", webhook.headers["x-signature"]], webhook.body);
  const [honest, forged] = await Promise.all(shop.taken.slice(-2).map(verify));
  assert.deepEqual([honest.status, forged.status], [0, 5]);
  await page.getByText("Attempt 1").click();
  await page.getByText("<script>alert('answer')</script>").waitFor();
});

test("every page is readable in both schemes and on a phone, and what a merchant sends stays text", async () => {
  const url = `${shop.url}/%22%3E%3Cimg%20src=x%20onerror=alert(3)%3E/${"long".repeat(40)}`;
  const payment = await sandbox.create(HOSTILE.repeat(4), "--merchant-id", HOSTILE, "--payer-bank", HOSTILE, "--status-webhook-url", url);
  const page = await open(`/payments/${payment.orderId}`);
  await page.locator("#operator-requireReceipt").click();
  await page.locator("tr", { hasText: "delivered" }).waitFor();
  await sandbox.call("attach-receipt", payment.orderId, RECEIPT);
  await page.getByLabel("Do to the next").selectOption("reorder");
  await press(page, "Plan");
  await press(page, "Forget these");
  const [call] = (await sandbox.control("/exchanges?refused=true")).exchanges;
  const [webhook] = (await sandbox.control("/webhooks")).webhooks;
  await sandbox.control("/faults", { kind: "latency", latencyMs: 1, operation: "cancel" });
  await Promise.all(Array.from({ length: 30 }, () => sandbox.control("/payments", { sum: "1", paymentMethod: "sbp", customerAccount: "1" })));
  const pages = { start: "/", payments: "/payments", payment: `/payments/${payment.orderId}`, calls: "/calls", call: `/calls/${call.id}`, webhooks: "/webhooks",
    webhook: `/webhooks/${webhook.id}`, faults: "/faults", receiver: "/receiver", frame: `/pay/${payment.orderId}`, missing: "/payments/none" };
  await inEveryLook(browser, sandbox.url, pages, async (one, _, where) => {
    assert.equal(await one.locator("img[src=x], main script").count(), 0, where);
    assert.equal(await one.locator(".band").innerText(), "Sandbox: no money moves here", where);
  });
  expect(/status of 404/);
  await page.goto(`${sandbox.url}/payments`);
  await page.locator("tbody tr").nth(24).waitFor();
  await tabTo(page, "a[rel=next]");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Newest" }).waitFor();
  await page.locator(`#row-${payment.orderId}`).waitFor();
});

test("no other site presses the buttons or frames the console; the customer's page may be framed", async () => {
  const payment = await paid();
  const path = `${sandbox.url}/sandbox/payments/${payment.orderId}/operator`;
  shop.pages["/forge"] = `<form method="post" enctype="text/plain" action="${path}"><button name='{"action":"fail","x":"' value='"}'>x</button></form>`;
  shop.pages["/embed"] = `<title>shop</title><iframe src="${payment.deeplink}"></iframe><iframe src="${sandbox.url}/"></iframe>`;
  const page = await browser.page();
  await page.goto(`${shop.url}/forge`);
  const [refused] = await Promise.all([page.waitForResponse(path), page.getByRole("button").click()]);
  assert.equal(refused.status(), 403);
  assert.equal((await sandbox.call("status", payment.orderId)).status, "pending");
  await page.goto(`${shop.url}/embed`);
  const framed = page.frameLocator("iframe >> nth=0");
  await framed.locator("#pays-exactly").click();
  await framed.getByText("Paid: 1500.50 RUB").waitFor();
  assert.equal(await framed.locator("a[href^='/']").filter({ visible: true }).count(), 0, "the frame leads to no other page");
  assert.ok(page.frames().some((frame) => frame.url().startsWith("chrome-error:")));
  expect(/status of 40[34]|frame-ancestors|X-Frame-Options|Framing/i);
});

test("a clock that is moved by hand moves from the page", async () => {
  const still = await start("--clock", "manual");
  const page = await open("/payments", still);
  const created = still.create("79001234567");
  await page.locator("tbody tr").waitFor();
  await press(page, "+ 1 second");
  const { orderId } = await created;
  await page.locator(`#row-${orderId}`, { hasText: "awaiting payment" }).waitFor();
  await page.close();
  still.stop();
});
