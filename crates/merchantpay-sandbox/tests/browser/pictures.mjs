// Takes the pictures of the pages into the folder CONSOLE_SHOTS: a payment in the sandbox's console, and the operator's page of `settle`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, merchant, start } from "./harness.mjs";

const sandbox = await start();
const shop = await merchant();
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const browser = await Browser.start({ viewport: { width: 1000, height: 1040 } });

const picture = (name) => page.screenshot({ path: join(process.env.CONSOLE_SHOTS, `${name}.png`) });
const payment = await sandbox.create("79001234567", "--merchant-id", "order-1001", "--status-webhook-url", `${shop.url}/webhook`);
await sandbox.call("confirm", payment.orderId);
await sandbox.call("status", payment.orderId, "--wait");
const page = await browser.live(`${sandbox.url}/payments/${payment.orderId}`);
await page.locator("main .status", { hasText: "delivered" }).first().waitFor();
await picture("console");

sandbox.settings.MERCHANTPAY_JOURNAL = join(folder, "payments.db");
sandbox.settings.MERCHANTPAY_CALLBACK_URL = `${shop.url}/callback`;
await sandbox.call("journal", "init");
for (const [reference, account] of [["order-1001", "79001234567"], ["order-1002", "pays-less"], ["order-1003", "79001234567"]]) {
  await sandbox.pay(reference, account);
  if (reference === "order-1003") continue;
  await sandbox.call("journal", "confirm", reference);
  // The status 5 says that somebody must decide about it.
  await sandbox.run(["journal", "wait", reference]);
}
const service = await sandbox.settle();
await page.goto(service.url);
while (!(await page.getByText("runs", { exact: true }).count())) await page.reload();
await picture("operator");

await browser.stop();
service.stop();
shop.stop();
sandbox.stop();
rmSync(folder, { recursive: true, force: true });
