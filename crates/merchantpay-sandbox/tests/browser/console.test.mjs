// The console in a real Chromium, with the program's sandbox and payments that the program makes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Browser, inEveryLook, shot, tabTo } from "./browser.mjs";
import { merchant, start } from "./sandbox.mjs";

const LABEL = "Sandbox: no money moves here";
/// A PNG with one red dot.
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC", "base64");
const HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>\u202e";

let sandbox, shop, browser;

before(async () => {
  sandbox = await start();
  shop = await merchant();
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  shop?.stop();
  sandbox?.stop();
});

afterEach(() => assert.deepEqual(browser.takeTroubles(), [], "no dialog, no error, no violation of the policy"));

/// Opens a page and waits until it is connected to the event stream.
async function open(path) {
  const page = await browser.page();
  await page.goto(sandbox.url + path);
  await page.locator("#connection", { hasText: "live" }).waitFor();
  // The mark is lost if the page is loaded again.
  await page.evaluate(() => (window.sameDocument = true));
  return page;
}

async function wasNotReloaded(page) {
  assert.equal(await page.evaluate(() => window.sameDocument), true, "the page has followed by itself");
}

const operator = (page, action) => page.locator(`#operator-${action}`);
const status = (page, text) => page.locator("main .status", { hasText: text }).first().waitFor();

/// The stories, with the final status and the webhooks that the list shows.
const STORIES = {
  paid: ["doneSuccess", /delivered 1 attempt, HTTP 200/],
  "paid-less": ["doneSuccess", /delivered 1 attempt, HTTP 200/],
  "no-credentials": ["doneFail", /credentials_failed #\d+/],
  arbitration: ["doneSuccess", /receiptRequired/],
  "lost-response": ["doneSuccess", /delivered 1 attempt, HTTP 200/],
  "late-webhook": ["doneSuccess", /delay/],
  "forged-webhook": ["pending", /wrongKey[^]*HTTP 400/],
  "repeated-webhook": ["doneSuccess", /duplicate[^]*duplicate/],
};

test("each story is played by its button, with what it teaches", async () => {
  const page = await open("/");
  const buttons = await page.locator("button[name=story]").evaluateAll((all) => all.map((one) => one.value));
  assert.deepEqual(buttons, Object.keys(STORIES));
  for (const [name, [ends, webhooks]] of Object.entries(STORIES)) {
    await page.goto(`${sandbox.url}/`);
    await page.locator(`#story-${name}`).click();
    await page.getByRole("heading", { name: /^Story: / }).waitFor();
    await page.getByText("Your program:").waitFor();
    await status(page, ends);
    await page.locator("section[aria-labelledby=webhooks]", { hasText: webhooks }).waitFor();
  }
  await shot(page, "story-repeated-webhook");
  const lost = await sandbox.call("sandbox", "control", "payments", "--merchant-id", "story-lost-response");
  await page.goto(`${sandbox.url}/payments/${lost.payments[0].orderId}`);
  await page.locator("tr", { hasText: "confirm" }).getByText("no reply").waitFor();
  await shot(page, "story-lost-response");
  await page.close();
});

test("the settings are copied in a language's form, and a payment is created and confirmed by buttons", async () => {
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: sandbox.url });
  const page = await open("/");
  await page.getByRole("link", { name: "python", exact: true }).click();
  const text = page.getByRole("region", { name: "Settings of a client" });
  await text.getByText("client = Client(").waitFor();
  assert.match(await text.innerText(), new RegExp(sandbox.url));
  await page.getByRole("button", { name: "Copy" }).click();
  await page.locator("#news", { hasText: "Copied." }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await text.evaluate((one) => one.textContent));

  await page.getByLabel("Sum, RUB").fill("77.70");
  await page.locator("#create").click();
  await page.locator("#merchant-confirm").click();
  await status(page, "doneSuccess");
  await page.locator("tr", { hasText: "confirm" }).getByText("200").waitFor();
  assert.equal(await page.locator("#merchant-confirm").count(), 0, "what is not possible has no button");
  await page.close();
});

test("a receiver is checked, and each wrong answer is explained", async () => {
  const page = await open("/receiver");
  // The receiver answers 200 to everything.
  await page.getByLabel("URL of the receiver").fill(`${shop.url}/hook`);
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByText("does not give every answer").waitFor();
  assert.equal(await page.locator("#results ~ table .status.good").count(), 4);
  await page.locator("#check-wrongKey").getByText("The receiver accepts a forged webhook").waitFor();
  await shot(page, "receiver-gullible");
  await page.getByLabel("URL of the receiver").fill(`${sandbox.url}/sandbox/receiver`);
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByText("gives every answer that is expected").waitFor();
  await page.locator("#check-unsigned").getByText("HTTP 400").waitFor();
  await page.close();
});

test("a payment appears by itself and is announced, and is opened by the keyboard", async () => {
  const page = await open("/payments");
  const payment = await sandbox.create("79001234567", "--merchant-id", "invoice-17");
  const row = page.locator(`#payment-${payment.orderId}`);
  await row.waitFor();
  assert.match(await row.innerText(), /1500\.50 RUB/);
  assert.match(await row.innerText(), /invoice-17/);
  await page.locator("#news", { hasText: payment.orderId }).waitFor();
  await wasNotReloaded(page);
  await shot(page, "payments-live");

  await tabTo(page, `#payment-${payment.orderId} a`);
  // Events that arrive now must not take the focus away.
  const other = await sandbox.create("79007654321");
  await page.locator(`#payment-${other.orderId}`).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: payment.orderId }).waitFor();
  assert.equal(await page.locator("main").getByText(payment.payeeAccount).count(), 1);
  await page.close();
});

test("the customer pays in the frame behind the deeplink, and the merchant's side follows", async () => {
  const payment = await sandbox.create("79001234567", "--status-webhook-url", `${shop.url}/status`);
  const page = await open(`/payments/${payment.orderId}`);
  const frame = await browser.page();
  await frame.goto(payment.deeplink);
  assert.equal(await frame.getByRole("img", { name: "QR code" }).count(), 1);
  await shot(frame, "frame");

  await tabTo(frame, "#pays-less");
  await frame.keyboard.press("Enter");
  await frame.getByText("Paid: 1350.45 RUB").waitFor();
  await page.locator("ol.timeline li", { hasText: "customer: less" }).waitFor();

  await sandbox.call("confirm", payment.orderId);
  await page.locator("ol.timeline li", { hasText: "merchant: confirm" }).waitFor();
  await status(page, "doneSuccess");
  await page.locator("tr", { hasText: "doneSuccess" }).getByText("delivered").waitFor();
  const paid = JSON.parse(shop.taken.at(-1).body).sum;
  assert.match(await page.locator("main .sum").innerText(), new RegExp(`^${paid}\\b`));
  assert.ok(paid < 1500.5);
  await shot(page, "payment-done");
  await frame.close();
  await page.close();
});

test("arbitration is played to its end, with a receipt that can be seen", async () => {
  const payment = await sandbox.create("79001234567", "--status-webhook-url", `${shop.url}/status`);
  const page = await open(`/payments/${payment.orderId}`);
  await operator(page, "arbitration").click();
  await page.locator("main").getByText("in arbitration").first().waitFor();
  await operator(page, "requireReceipt").click();
  await status(page, "receiptRequired");
  await page.locator("#connection", { hasText: "live" }).waitFor();

  const receipt = join(process.cwd(), "receipt.png");
  writeFileSync(receipt, PNG);
  await sandbox.call("receipt", "attach", payment.orderId, receipt);
  const image = page.locator(".receipts img");
  await image.waitFor();
  await page.waitForFunction(() => document.querySelector(".receipts img").naturalWidth === 1);
  const [shown] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/receipts/") && response.request().isNavigationRequest()),
    page.getByRole("link", { name: "View receipt.png" }).click(),
  ]);
  assert.equal(shown.headers()["content-type"], "image/png");
  assert.match(shown.headers()["content-security-policy"], /sandbox/);
  await page.goBack();
  await operator(page, "approve").click();
  await status(page, "doneSuccess");
  await shot(page, "arbitration-done");
  await page.close();
});

test("a fault that is set makes a call fail, and is cleared", async () => {
  const payment = await sandbox.create("79001234567");
  const page = await open("/faults");
  await page.getByLabel("Fault", { exact: true }).selectOption("unsigned");
  await page.getByLabel("Operation").selectOption("getStatus");
  await page.getByLabel("How many").fill("1");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator("tr", { hasText: "unsigned" }).getByText("the next 1").waitFor();
  await page.locator("#connection", { hasText: "live" }).waitFor();
  await page.evaluate(() => (window.sameDocument = true));
  await shot(page, "fault-set");
  await page.getByLabel("Seed").fill("42");
  const failed = await sandbox.run(["status", payment.orderId]);
  assert.equal(failed.error.error?.code, "unverified", JSON.stringify(failed));
  await page.getByText("None: every call is answered").waitFor();
  await wasNotReloaded(page);
  assert.equal(await page.getByLabel("Seed").inputValue(), "42", "what was typed stays");
  assert.ok(await page.getByLabel("Seed").evaluate((field) => field === document.activeElement), "and so does the focus");

  const calls = await open("/calls");
  await calls.locator("tr", { hasText: payment.orderId }).getByText("fault: unsigned").waitFor();
  await calls.getByRole("link", { name: /getStatus/ }).first().click();
  await calls.getByRole("heading", { name: "Reply" }).waitFor();
  await calls.getByText("Byte by byte").first().click();
  assert.match(await calls.getByLabel("Request: body byte by byte").innerText(), /^000000 {2}7b 22 6f 72 64 65 72 49 64/);
  await calls.close();

  await page.getByLabel("Fault", { exact: true }).selectOption("latency");
  await page.getByLabel("Latency, ms").fill("50");
  await page.getByLabel("Probability").fill("0.5");
  await page.getByLabel("Seed").fill("7");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator("tr", { hasText: "latency" }).getByText("probability 0.5, seed 7").waitFor();
  await page.getByRole("button", { name: /Clear fault/ }).click();
  await page.getByText("None: every call is answered").waitFor();

  // The page shows the error text of the sandbox.
  await page.getByLabel("How many").fill("soon");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator("p.error", { hasText: "times" }).waitFor();
  assert.deepEqual(browser.takeTroubles().filter((trouble) => !trouble.includes("status of 400")), []);
  await page.close();
});

test("a webhook is sent again, signed with a wrong key, and the merchant notices", async () => {
  const payment = await sandbox.create("79001234567", "--status-webhook-url", `${shop.url}/again`);
  const page = await open(`/payments/${payment.orderId}`);
  await operator(page, "fail").click();
  await status(page, "doneFail");
  await page.locator("tr", { hasText: "delivered" }).waitFor();
  await page.getByRole("link", { name: /^status #/ }).click();
  await page.getByRole("button", { name: "Sign with a wrong key" }).click();
  await page.getByText("copy of").waitFor();
  await page.locator("main .status", { hasText: "delivered" }).waitFor();
  await shot(page, "webhook-wrong-key");
  const [honest, forged] = shop.taken.slice(-2);
  const verify = (webhook) => sandbox.run(["webhook", "verify", "--signature", webhook.headers["x-signature"]], webhook.body);
  assert.equal((await verify(honest)).status, 0);
  assert.equal((await verify(forged)).status, 5);
  // The merchant's answer contains a script: it is shown, not run.
  await page.getByText("Attempt 1").click();
  await page.getByText("<script>alert('answer')</script>").waitFor();
  await page.close();
});

test("what a merchant sends never becomes a part of the page", async () => {
  const hostileUrl = `${shop.url}/%22%3E%3Cimg%20src=x%20onerror=alert(3)%3E`;
  const payment = await sandbox.create(HOSTILE, "--merchant-id", HOSTILE, "--payer-bank", HOSTILE, "--status-webhook-url", hostileUrl);
  const page = await open("/payments");
  await page.locator(`#payment-${payment.orderId}`).waitFor();
  await page.goto(`${sandbox.url}/payments/${payment.orderId}`);
  await operator(page, "fail").click();
  await page.locator("tr", { hasText: "delivered" }).waitFor();
  const its = [`/payments/${payment.orderId}`, `/pay/${payment.orderId}`];
  const paths = ["/", "/receiver", "/payments", "/calls", "/webhooks", "/faults", ...its, "/payments?search=" + encodeURIComponent(HOSTILE)];
  for (const path of [...paths, ...(await links(page, "/calls/")), ...(await links(page, "/webhooks/"))]) {
    await page.goto(sandbox.url + path);
    assert.equal(await page.locator("img[src=x], main script").count(), 0, path);
    assert.equal(await page.locator(".band").innerText(), LABEL, path);
  }
  await page.goto(`${sandbox.url}/payments/${payment.orderId}`);
  await shot(page, "hostile");
  await page.close();
});

async function links(page, prefix) {
  return page.locator(`main a[href^="${prefix}"]`).evaluateAll((found) => found.map((link) => link.getAttribute("href")));
}

test("every page is readable in both schemes and on a phone", async () => {
  const payment = await sandbox.create("a-very-long-account-".repeat(12), "--status-webhook-url", `${shop.url}/${"long".repeat(40)}`);
  const page = await browser.page();
  await page.goto(`${sandbox.url}/payments/${payment.orderId}`);
  await operator(page, "requireReceipt").click();
  await page.locator("tr", { hasText: "delivered" }).waitFor();
  await sandbox.call("receipt", "attach", payment.orderId, join(process.cwd(), "receipt.png"));
  await page.reload();
  await page.getByLabel("Do to the next").selectOption("reorder");
  await page.getByRole("button", { name: "Plan" }).click();
  await page.getByRole("button", { name: "Forget these" }).waitFor();
  const [call] = await links(page, "/calls/");
  const [webhook] = await links(page, "/webhooks/");
  // Plans a fault that affects no call of this test.
  await page.goto(`${sandbox.url}/faults`);
  await page.getByLabel("Operation").selectOption("cancel");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: /Clear fault/ }).waitFor();
  const pages = {
    start: "/",
    payments: "/payments",
    payment: `/payments/${payment.orderId}`,
    calls: "/calls",
    call,
    webhooks: "/webhooks",
    webhook,
    faults: "/faults",
    receiver: "/receiver",
    frame: `/pay/${payment.orderId}`,
    missing: "/payments/none",
  };
  await inEveryLook(browser, sandbox.url, pages);
  assert.deepEqual(browser.takeTroubles().filter((trouble) => !trouble.includes("status of 404")), []);
  await page.close();
});

test("no other site's page presses the buttons or frames the console; the customer's frame may be framed", async () => {
  const payment = await sandbox.create("79001234567");
  const action = `${sandbox.url}/payments/${payment.orderId}/operator`;
  shop.pages["/forge"] = `<form method="post" action="${action}"><button name="action" value="fail">x</button></form>`;
  shop.pages["/embed"] = `<title>shop</title><iframe src="${payment.deeplink}"></iframe><iframe src="${sandbox.url}/"></iframe>`;
  const page = await browser.page();
  await page.goto(`${shop.url}/forge`);
  const [refused] = await Promise.all([page.waitForResponse(action), page.getByRole("button").click()]);
  assert.equal(refused.status(), 403);
  assert.equal((await sandbox.call("status", payment.orderId)).status, "pending");

  await page.goto(`${shop.url}/embed`);
  const framed = page.frameLocator("iframe >> nth=0");
  await framed.locator("#pays-exactly").click();
  await framed.getByText("Paid: 1500.50 RUB").waitFor();
  const framedPages = page.frames().map((frame) => frame.url());
  assert.ok(framedPages.includes(payment.deeplink), `${framedPages}`);
  assert.ok(framedPages.some((url) => url.startsWith("chrome-error:")), `${framedPages}`);
  const expected = /status of 40[34]|frame-ancestors|X-Frame-Options|Framing/i;
  assert.deepEqual(browser.takeTroubles().filter((trouble) => !expected.test(trouble)), []);
  await page.close();
});

test("a clock that is moved by hand moves from the page, and everything works without a script", async () => {
  const still = await start("--clock", "manual");
  const plain = await Browser.start({ javaScriptEnabled: false });
  const page = await plain.context.newPage();
  try {
    const created = still.create("79001234567");
    await page.goto(`${still.url}/payments`);
    // Without a script nothing updates automatically: the reader reloads.
    while ((await page.locator("tbody tr").count()) === 0) await page.reload();
    await page.getByRole("button", { name: "+ 1 second" }).click();
    const payment = await created;
    await page.goto(`${still.url}/payments/${payment.orderId}`);
    assert.equal(await page.locator("#connection").innerText(), "by reloading");
    await shot(page, "clock");
    await page.getByRole("button", { name: "Pay exactly" }).click();
    await page.locator("ol.timeline li", { hasText: "customer: exactly" }).waitFor();
    await still.call("confirm", payment.orderId);
    await page.reload();
    await page.getByRole("button", { name: "+ 10 seconds" }).click();
    await page.locator("main .status", { hasText: "doneSuccess" }).first().waitFor();
  } finally {
    await plain.stop();
    still.stop();
  }
});
