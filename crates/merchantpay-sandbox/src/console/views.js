// The views of the console's page. Each reads the control API and returns the page's title and elements.

import {
  act,
  address,
  answer,
  api,
  asked,
  bdi,
  bytes,
  calls,
  card,
  choice,
  clearing,
  delivery,
  fact,
  facts,
  field,
  fields,
  form,
  group,
  h,
  headerLines,
  hint,
  list,
  message,
  moment,
  orderLink,
  paging,
  payments,
  quiet,
  standing,
  table,
  webhooks,
} from "./parts.js";

// The answer to the last form, for views that show it.
export const last = { answer: null };

// The URL of the last webhook, or the sandbox's own receiver.
async function webhookUrl(sandbox) {
  const last = await api("/sandbox/webhooks?limit=1");
  const url = last.webhooks[0]?.url ?? "";
  // A URL that a merchant wrote is proposed only if it has only harmless characters.
  return /^[\x21-\x7e]+$/.test(url) ? url : sandbox.receiver;
}

const urlField = (name, label, id, value) => field(name, label, { id, size: "wide", type: "url", value });

async function start() {
  const [sandbox, settings] = await Promise.all([api("/sandbox"), api("/sandbox/settings")]);
  const url = await webhookUrl(sandbox);
  const format = settings.formats.find((one) => one.name === asked.get("format")) ?? settings.formats[0];
  const tab = ({ name }) => h("a", { href: `?format=${name}`, "aria-current": name === format.name && "true" }, name);
  const story = ({ name, title, events }) =>
    h("li", {}, act(`/sandbox/stories/${name}`, title, { id: `story-${name}`, then: "/payments/{orderId}" }), h("span", {}, events));
  return ["Quick start",
    h("h1", {}, "Quick start"),
    card("settings", "1. Copy the settings of your client",
      h("nav", { class: "tabs", "aria-label": "Formats" }, settings.formats.map(tab)),
      hint(format.description, "."),
      !settings.hasPrivateKey && h("p", {}, "The private key is yours. The sandbox verifies with the public key ", h("code", {}, settings.publicKey), "."),
      // Browsers have no clipboard object if the page comes neither over TLS nor from this machine.
      navigator.clipboard && h("button", { type: "button", "data-copies": "settings-text" }, "Copy"),
      h("pre", { id: "settings-text", tabindex: 0, role: "region", "aria-label": "Settings of a client" }, format.text),
      h("details", {}, h("summary", {}, "Use another key"),
        hint("As at the service: you register a public key, and only requests that its private key signs are accepted from then on."),
        form("/sandbox/keys", {}, fields(field("publicKey", "Your public key, in base64", { size: "wide", required: true }), h("button", {}, "Use this public key"))))),
    card("stories", "2. Play a story",
      h("p", {}, "The sandbox plays the merchant and the customer; your receiver gets the webhooks. ", h("a", { href: "/receiver" }, "Check your receiver"), " first, or leave the sandbox's own one."),
      h("form", {}, urlField("webhookUrl", "Webhook URL", "story-url", url), h("ul", { class: "stories" }, sandbox.stories.map(story)))),
    card("payment", "3. Create a payment",
      form("/sandbox/payments", { then: "/payments/{orderId}" }, fields(
        field("sum", "Sum, RUB", { size: "small", inputmode: "decimal", required: true, value: "1500.50" }),
        choice("paymentMethod", "Method", ["sbp", "card"], { chosen: "sbp" }),
        field("customerAccount", "Customer account", { list: "accounts", required: true, value: "79001234567" }),
        h("datalist", { id: "accounts" }, sandbox.testAccounts.map(({ account, effect }) => h("option", { value: account }, effect))),
        field("merchantId", "merchantId"),
        urlField("statusWebhookUrl", "Webhook URL", "payment-url", url),
        h("label", { class: "choice" }, h("input", { type: "checkbox", name: "asynchronous", value: "true" }), "newPaymentAsync"),
        h("button", { class: "main", id: "create" }, "Create"))),
      hint("Or let your program create one: it appears under ", h("a", { href: "/payments" }, "Payments"), "."),
      h("details", {}, h("summary", {}, "Customer accounts with an effect"),
        facts(sandbox.testAccounts.map(({ account, effect }) => [h("code", {}, account), effect])))),
  ];
}

function clock(time) {
  if (time.mode !== "manual") return null;
  const advance = ([advanceMs, label]) => act("/sandbox/clock", label, { body: { advanceMs } });
  return card("clock", "The clock stands still",
    h("p", {}, "It is ", moment(time.now), `. Waiting: ${time.timers}.`, time.nextTimerAt && [" Next: ", moment(time.nextTimerAt), "."]),
    group([[1000, "+ 1 second"], [10000, "+ 10 seconds"], [60000, "+ 1 minute"]].map(advance)),
    form("/sandbox/clock", { numbers: "advanceMs" }, fields(field("advanceMs", "Milliseconds", { size: "small", inputmode: "numeric", required: true }), h("button", {}, "Advance"))));
}

const STATUSES = ["free", "pending", "receiptRequired", "doneSuccess", "doneFail", "arbitrageCancelledByMerchant"];

async function paymentList() {
  const names = ["search", "status"];
  const [found, time] = await Promise.all([list("/sandbox/payments", names), api("/sandbox/clock")]);
  const none = names.some((name) => asked.get(name)) ? "None like this." : "None yet. One appears here by itself.";
  return ["Payments",
    h("h1", {}, "Payments"),
    clock(time),
    card("list", "As they come in",
      h("form", { action: "/payments" }, fields(
        field("search", "Order id, account or merchantId", { type: "search", value: asked.get("search") }),
        choice("status", "Status", STATUSES, { chosen: asked.get("status"), any: true }),
        h("button", {}, "Find"))),
      payments(found.payments, none),
      paging(found.next, names),
      clearing(found.payments.filter((one) => one.final), "/sandbox/payments", "Clear the final ones")),
  ];
}

const PAYS = { exactly: "Pay exactly", less: "Pay less", more: "Pay more", nothing: "Do not pay" };
const CALLS = { confirm: "Confirm", cancel: "Cancel", attachReceipt: "Attach a receipt", getStatus: "Ask for the status" };
const MOVES = { approve: "Approve", fail: "Fail", arbitration: "Send to arbitration", requireReceipt: "Ask for a receipt", hold: "Hold", release: "Release" };

function customer(payment) {
  const possible = payment.actions.customer;
  const path = `/sandbox/payments/${payment.orderId}/customer`;
  const paid = payment.timeline.findLast((change) => change.by === "customer");
  return [
    paid && h("p", { class: "note" }, paid.cause === "nothing" ? "Not paid." : `Paid: ${paid.sum} ${payment.currency}.`,
      possible.length > 0 && " It goes on when the merchant confirms it; until then it can be paid otherwise."),
    possible.length === 0
      ? hint(payment.state === "searching" ? "There is no payee yet." : "The customer has nothing left to do.")
      : h("div", { class: "choices" },
        group(possible.map((pays) => act(path, PAYS[pays], { id: `pays-${pays}`, main: pays === "exactly", body: { pays } }))),
        form(path, {}, fields(field("sum", "Another sum, RUB", { inputmode: "decimal", required: true, placeholder: "1400.00" }), h("button", {}, "Pay this")))),
  ];
}

function timeline(changes) {
  const change = (one) => h("li", {}, moment(one.at), h("br"), one.by, ": ", h("strong", {}, one.cause), ` → ${one.state} `,
    quiet(`(${one.status}, `, h("span", { class: "number" }, one.sum), ")"));
  return h("ol", { class: "timeline" }, changes.map(change));
}

function receipt(one) {
  const url = `${one.url}?view=1`;
  return h("li", {},
    one.kept && one.contentType.startsWith("image/") && h("img", { src: url, alt: "", loading: "lazy" }),
    one.kept ? h("a", { href: url }, "View ", bdi(one.name)) : [bdi(one.name), " (no longer kept)"],
    h("br"), quiet(`${one.contentType}, ${one.size} bytes`));
}

function nextWebhooks(payment, sandbox) {
  const planned = payment.nextWebhooks;
  if (payment.final && planned.length === 0) return null;
  const path = `/sandbox/payments/${payment.orderId}/webhooks`;
  const plan = (one) => h("li", {}, h("strong", {}, one.action), one.delayMs && ` by ${one.delayMs} ms`, one.times > 1 && `, ${one.times} times`);
  return [h("h3", {}, "The next ones"),
    planned.length > 0 && [h("ul", {}, planned.map(plan)), group(act(path, "Forget these", { method: "DELETE" }))],
    form(path, { numbers: "delayMs times" }, fields(
      choice("action", "Do to the next", sandbox.webhookActions.filter((action) => action !== "resend")),
      field("delayMs", "Delay, ms", { size: "small", inputmode: "numeric", placeholder: "for delay" }),
      field("times", "How many", { size: "small", inputmode: "numeric", value: 1 }),
      h("button", {}, "Plan")))];
}

async function onePayment(id) {
  const [payment, sandbox] = await Promise.all([api(`/sandbox/payments/${id}`), api("/sandbox")]);
  const story = sandbox.stories.find(({ name }) => payment.merchantId === `story-${name}`);
  const { credentials, actions } = payment;
  const moves = (part, names, labels) => group(names.map((action) => act(`/sandbox/payments/${id}/${part}`, labels[action], { id: `${part}-${action}`, main: action === "confirm", body: { action } })));
  const reported = payment.statusWebhookUrl || payment.credentialsWebhookUrl;
  return [`Payment ${id}`,
    h("p", {}, h("a", { href: "/payments" }, "All payments")),
    h("h1", {}, "Payment ", h("code", {}, id)),
    h("p", {}, h("span", { class: "sum" }, payment.sum, " ", payment.currency), " ", standing(payment)),
    clock(sandbox.clock),
    story && card("story", `Story: ${story.title}`, h("p", {}, story.events), h("p", {}, h("strong", {}, "Your program: "), story.advice)),
    h("div", { class: "columns" },
      card("merchant", "Play the merchant", moves("merchant", [...actions.merchant, "getStatus"], CALLS), hint("Each button is a signed call, which appears below.")),
      card("customer", "Play the customer", customer(payment), credentials?.deeplink && h("p", {}, h("a", { href: `/pay/${id}` }, "Open the customer's page"))),
      card("operator", "Play the operator",
        actions.operator.length === 0 ? hint("Nothing is left to do: the payment is final.") : moves("operator", actions.operator, MOVES),
        payment.held && !payment.final && hint("Held: nothing happens by itself until you decide or release it.")),
      card("order", "What the merchant asked for", facts([
        ["sum", `${payment.requestedSum} ${payment.currency}`],
        ...["paymentMethod", "customerAccount", "payerBank", "merchantId"].map((name) => fact(name, payment[name])),
        ...["statusWebhookUrl", "credentialsWebhookUrl"].map((name) => [name, address(payment[name])]),
        ["created by", payment.createdBy], ["created", moment(payment.createdAt)], ["changed", moment(payment.changedAt)],
        fact("testAccount", payment.testAccount)])),
      card("credentials", "Credentials", credentials
        ? facts(Object.entries(credentials).map(([name, value]) => [name, name === "deeplink" ? address(value) : value && bdi(value)]))
        : hint("None yet.")),
      card("timeline", "Timeline", timeline(payment.timeline)),
      card("receipts", "Receipts", payment.receiptList.length === 0 ? hint("None attached.") : h("ul", { class: "receipts" }, payment.receiptList.map(receipt)))),
    card("exchanges", "Signed exchanges", calls(payment.exchangeList, "None.", false)),
    card("webhooks", "Webhooks",
      webhooks(payment.webhookList, reported ? "None yet: nothing has happened that is reported." : "None: the payment has no webhook URL.", false),
      nextWebhooks(payment, sandbox)),
  ];
}

async function callList() {
  const names = ["operation", "refused"];
  const [found, sandbox] = await Promise.all([list("/sandbox/exchanges", names), api("/sandbox")]);
  return ["Calls",
    h("h1", {}, "Calls"),
    card("list", "Signed exchanges",
      h("form", { action: "/calls" }, fields(
        choice("operation", "Operation", sandbox.operations, { chosen: asked.get("operation"), any: true }),
        h("label", { class: "choice" }, h("input", { type: "checkbox", name: "refused", value: "true", checked: asked.has("refused") }), "Only refused ones"),
        h("button", {}, "Find"))),
      calls(found.exchanges, names.some((name) => asked.get(name)) ? "None like this." : "None yet."),
      paging(found.next, names),
      clearing(found.exchanges, "/sandbox/exchanges", "Clear the list")),
  ];
}

async function oneCall(id) {
  const call = await api(`/sandbox/exchanges/${id}`);
  const { explanation: why, request, reply } = call;
  const name = call.operation ?? "Call";
  return [`${name} #${id}`,
    h("p", {}, h("a", { href: "/calls" }, "All calls")),
    h("h1", {}, `${name} #${id}`),
    h("p", {}, answer(call)),
    card("about", "The call", facts([
      ["payment", orderLink(call)], ["at", moment(call.at)], ["took", `${call.durationMs} ms`],
      ["merchant's signature", { true: "holds", false: "does not hold, or is missing" }[call.verified] ?? "not checked"]])),
    why && card("cause", "Why the signature was refused",
      h("p", { class: "error" }, h("code", {}, why.cause), ": ", why.hint),
      why.signed && [h("h3", {}, "The bytes that were signed"), hint(`The first difference is at byte ${why.firstDifference}.`), bytes(why.signed, "Signed")]),
    card("request", "Request", h("p", {}, h("code", {}, request.method, " ", bdi(request.path))), message(request, "Request", `/sandbox/exchanges/${id}/request`)),
    card("reply", "Reply", reply
      ? [h("p", {}, h("code", {}, `HTTP ${reply.httpStatus}`)), message(reply, "Reply", `/sandbox/exchanges/${id}/reply`)]
      : hint("None: the connection was closed.")),
  ];
}

async function webhookList() {
  const found = await list("/sandbox/webhooks", []);
  return ["Webhooks",
    h("h1", {}, "Webhooks"),
    card("list", "Sent to the merchant",
      webhooks(found.webhooks, "None yet. They are sent to the addresses that a payment was created with."),
      paging(found.next, []),
      clearing(found.webhooks, "/sandbox/webhooks", "Clear the list")),
  ];
}

const AGAIN = { resend: "Send again to this URL", duplicate: "Send twice", tamper: "Send changed after signing", wrongKey: "Sign with a wrong key", unsigned: "Send unsigned" };

async function oneWebhook(id) {
  const webhook = await api(`/sandbox/webhooks/${id}`);
  const path = `/sandbox/webhooks/${id}`;
  const then = "/webhooks/{webhooks.0.id}";
  const attempt = (one) => h("details", { id: `attempt-${one.attempt}` },
    h("summary", {}, `Attempt ${one.attempt}: `, one.httpStatus ? `HTTP ${one.httpStatus}` : bdi(one.error), " ", h("span", { class: "number" }, `(${one.durationMs} ms, `, moment(one.at), ")")),
    one.httpStatus && [h("h3", {}, "Headers"), headerLines(one.headers, `Attempt ${one.attempt}: headers`), h("h3", {}, "Body"), bytes(one.body, `Attempt ${one.attempt}: body`)]);
  return [`Webhook #${id}`,
    h("p", {}, h("a", { href: "/webhooks" }, "All webhooks")),
    h("h1", {}, `Webhook ${webhook.kind} #${id}`),
    h("p", {}, delivery(webhook)),
    card("about", "The webhook", facts([
      ["payment", orderLink(webhook)], fact("merchantId", webhook.merchantId), ["to", address(webhook.url)], ["at", moment(webhook.at)],
      fact("done to it", webhook.action), ["copy of", webhook.copyOf && h("a", { href: `/webhooks/${webhook.copyOf}` }, `#${webhook.copyOf}`)]])),
    card("again", "Send it once more",
      group(Object.entries(AGAIN).map(([action, label]) => act(path, label, { then, body: { action } }))),
      h("form", { "data-numbers": "delayMs" }, fields(
        field("delayMs", "Delay, ms", { size: "small", inputmode: "numeric", required: true, value: 1000 }),
        act(path, "Send delayed", { then, body: { action: "delay" } }))),
      hint("To reorder webhooks, plan it on the page of a payment that is not final.")),
    card("request", "Request", message(webhook.request, "Request")),
    card("attempts", "Attempts", webhook.attemptList.length === 0 ? hint("None yet.") : webhook.attemptList.map(attempt)),
  ];
}

const EFFECTS = {
  latency: "the reply comes later, by the milliseconds given",
  dropBeforeCommit: "the connection closes without a reply, and nothing took effect",
  dropAfterCommit: "it took effect, and the connection closes without a reply",
  unsigned: "the reply is not signed",
  malformedSignature: "the signature is not base64",
  wrongKey: "the reply is signed with another key (forged)",
  tampered: "the body is changed after it was signed",
  reflected: "the request's own key id and signature come back",
  htmlBadGateway: "502 and a proxy's page",
  redirect: "307 to somewhere else",
  wrongOrder: "a signed reply about another order",
  duplicateKeys: "a signed reply with a duplicate name",
  oversized: "a signed reply of at least the bytes given",
  stallBeforeCommit: "nothing took effect, and no reply comes",
  stallAfterCommit: "it took effect, and no reply comes",
};

async function faultList() {
  const [sandbox, found] = await Promise.all([api("/sandbox"), api("/sandbox/faults")]);
  const when = (one) => [one.left === null ? "until it is cleared" : `the next ${one.left}`,
    one.probability !== null && `, with probability ${one.probability}, seed ${one.seed}`];
  const small = (name, label, placeholder, inputmode = "numeric") => field(name, label, { size: "small", placeholder, inputmode });
  return ["Faults",
    h("h1", {}, "Faults"),
    card("to-come", "To come",
      table(found.faults, "In this order, one for a call.", ["Fault", "Operation", "When", "Happened", "Action"], (one) => [
        [h("strong", {}, one.kind), one.latencyMs && ` ${one.latencyMs} ms`, one.bytes && ` ${one.bytes} bytes`],
        one.operation ?? "any", when(one), `${one.happened} times`,
        h("form", {}, h("button", { "data-path": `/sandbox/faults/${one.id}`, "data-method": "DELETE", "aria-label": `Clear fault ${one.id}` }, "Clear")),
      ], "None: every call is answered as it should be."),
      clearing(found.faults, "/sandbox/faults", "Clear all")),
    card("add", "Make calls fail",
      form("/sandbox/faults", { numbers: "times probability seed latencyMs bytes" }, fields(
        choice("kind", "Fault", sandbox.faultKinds),
        choice("operation", "Operation", sandbox.operations, { any: true }),
        small("times", "How many", "1"), small("probability", "Probability", "always", "decimal"), small("seed", "Seed", "its own"),
        small("latencyMs", "Latency, ms", "for latency"), small("bytes", "Bytes", "for oversized"),
        h("button", { class: "main" }, "Add")))),
    card("kinds", "What each does", facts(sandbox.faultKinds.map((kind) => [h("code", {}, kind), EFFECTS[kind] ?? "–"]))),
  ];
}

async function receiver() {
  const answered = last.answer;
  const url = await webhookUrl(await api("/sandbox"));
  const result = (one) => {
    if (one.passed) return h("span", { class: "status good" }, "as expected");
    return one.webhook === null ? quiet("unknown") : [h("span", { class: "status bad" }, "wrong"), h("br"), one.advice];
  };
  const results = answered && card("results", "Results",
    answered.passed ? h("p", { class: "note" }, "The receiver gives every answer that is expected.") : h("p", { class: "error" }, "The receiver does not give every answer that is expected."),
    table(answered.checks, "In the order in which they were sent.", ["Webhook", "Expected", "Answer", "Result"], (one) => [
      one.webhook === null ? one.content : h("a", { href: `/webhooks/${one.webhook}` }, one.content),
      one.expected,
      one.httpStatus ? `HTTP ${one.httpStatus}, ${one.durationMs} ms` : one.error ? bdi(one.error) : quiet("not sent"),
      result(one),
    ]),
    h("p", {}, "The webhooks are about ", orderLink(answered), "."));
  return ["Check my receiver",
    h("h1", {}, "Check my receiver"),
    h("p", {}, "The sandbox sends seven webhooks to a URL, each once: four that a receiver must accept with a 2xx, and three forged ones that it must refuse with a 4xx."),
    card("check", "Send the webhooks",
      form("/sandbox/receiver-checks", {}, fields(
        urlField("url", "URL of the receiver", "url", answered?.url ?? url),
        field("orderId", "Order id (a new payment unless given)"),
        h("button", { class: "main" }, "Check"))),
      hint("A payment of your own must be final. From a shell: ", h("code", {}, "merchantpay check-receiver URL"), ".")),
    results,
  ];
}

async function pay(id) {
  const payment = await api(`/sandbox/payments/${id}`);
  const { payeeAccount, payeeAccountBank, payeeName, deeplink } = payment.credentials ?? {};
  return [`Payment ${id}`,
    h("h1", {}, "Payment ", h("code", {}, id)),
    h("div", { class: "card" },
      h("p", { class: "sum" }, payment.sum, " ", payment.currency),
      facts([fact("Pay to", payeeAccount), fact("Bank", payeeAccountBank), fact("Name", payeeName), ["Status", standing(payment)]])),
    card("choices", "Pay", customer(payment)),
    deeplink && card("phone", "On a phone",
      h("img", { class: "qr", src: `/pay/${id}/qr.svg`, alt: "QR code of this page's address" }),
      h("p", {}, address(deeplink)),
      /^http:\/\/(127\.|\[::1\])/.test(deeplink) && hint("Another device reaches it only if the sandbox listens on your network: ", h("code", {}, "--host"), " and ", h("code", {}, "--allow-remote"), ".")),
  ];
}

export const VIEWS = [
  [/^\/$/, start], [/^\/payments$/, paymentList], [/^\/payments\/([\w-]+)$/, onePayment], [/^\/calls$/, callList], [/^\/calls\/(\d+)$/, oneCall],
  [/^\/webhooks$/, webhookList], [/^\/webhooks\/(\d+)$/, oneWebhook], [/^\/faults$/, faultList], [/^\/receiver$/, receiver], [/^\/pay\/([\w-]+)$/, pay],
];
