// The views of the console's page. Each reads the control API and returns the page's title and elements.

import {
  act, address, answer, api, bdi, bytes, calls, card, choice, clearing, code, delivery, facts, field, fields, filter, form, group, h, hint,
  list, mark, message, moment, orderLink, paging, payments, quiet, standing, table, tick, webhooks, words,
} from "./parts.js";

// The answer to the last form, for views that show it.
export const last = { answer: null };

// The URL of the last webhook, or the sandbox's own receiver.
async function webhookUrl(sandbox) {
  const { webhooks: [newest] } = await api("/sandbox/webhooks?limit=1");
  // A URL that a merchant wrote is proposed only if it has only harmless characters.
  return newest && /^[\x21-\x7e]+$/.test(newest.url) ? newest.url : sandbox.receiver;
}

const urlField = (name, label, id, value) => field(name, label, { id, size: "wide", type: "url", value });
const small = (name, label, placeholder, more) => field(name, label, { size: "small", inputmode: "numeric", placeholder, ...more });

async function start() {
  const [sandbox, settings] = await Promise.all([api("/sandbox"), api("/sandbox/settings")]);
  const url = await webhookUrl(sandbox);
  const format = settings.formats.find(({ name }) => name === filter("format")) ?? settings.formats[0];
  const tab = ({ name }) => h("a", { href: `?format=${name}`, "aria-current": name === format.name && "true" }, name);
  const story = ({ name, title, events }) =>
    h("li", {}, act(`/sandbox/stories/${name}`, title, { id: `story-${name}`, then: "/payments/{orderId}" }), h("span", {}, events));
  return ["Quick start",
    h("h1", {}, "Quick start"),
    card("settings", "1. Copy the settings of your client",
      h("nav", { class: "tabs", "aria-label": "Formats" }, settings.formats.map(tab), quiet(format.description, ".")),
      !settings.hasPrivateKey && h("p", {}, "The private key is yours. The sandbox verifies with the public key ", code(settings.publicKey), "."),
      h("pre", { id: "settings-text", tabindex: 0, role: "region", "aria-label": "Settings of a client" }, format.text),
      // Browsers have no clipboard object if the page comes neither over TLS nor from this machine.
      navigator.clipboard && h("p", {}, h("button", { type: "button", "data-copies": "settings-text" }, "Copy")),
      h("details", {}, h("summary", {}, "Use another key"),
        hint("As at the service: you register a public key, and only requests that its private key signs are accepted from then on."),
        form("/sandbox/keys", {}, fields(field("publicKey", "Your public key, in base64", { size: "wide", required: true }), h("button", {}, "Use this public key"))))),
    card("stories", "2. Play a story",
      h("p", {}, "The sandbox plays the merchant and the customer; your receiver gets the webhooks. ", h("a", { href: "/receiver" }, "Check your receiver"), " first, or leave the sandbox's own one."),
      h("form", {}, urlField("webhookUrl", "Webhook URL", "story-url", url), h("ul", { class: "stories" }, sandbox.stories.map(story)))),
    card("payment", "3. Create a payment",
      form("/sandbox/payments", { then: "/payments/{orderId}" }, fields(
        small("sum", "Sum, RUB", null, { inputmode: "decimal", required: true, value: "1500.50" }),
        choice("paymentMethod", "Method", ["sbp", "card"]),
        field("customerAccount", "Customer account", { list: "accounts", required: true, value: "79001234567" }),
        h("datalist", { id: "accounts" }, sandbox.testAccounts.map(({ account, effect }) => h("option", { value: account }, effect))),
        field("merchantId", "merchantId"),
        urlField("statusWebhookUrl", "Webhook URL", "payment-url", url),
        tick("asynchronous", "newPaymentAsync"),
        h("button", { class: "main", id: "create" }, "Create"))),
      hint("Or let your program create one: it appears under ", h("a", { href: "/payments" }, "Payments"), "."),
      h("details", {}, h("summary", {}, "Customer accounts with an effect"), facts(sandbox.testAccounts.map(({ account, effect }) => [code(account), effect])))),
  ];
}

function clock({ mode, now, timers, nextTimerAt }) {
  if (mode !== "manual") return null;
  const advance = ([advanceMs, label]) => act("/sandbox/clock", label, { body: { advanceMs } });
  return card("clock", "The clock stands still",
    h("p", {}, "It is ", moment(now), `. Waiting: ${timers}.`, nextTimerAt && [" Next: ", moment(nextTimerAt), "."]),
    group([[1000, "+ 1 second"], [10000, "+ 10 seconds"], [60000, "+ 1 minute"]].map(advance)),
    form("/sandbox/clock", { numbers: "advanceMs" }, fields(small("advanceMs", "Milliseconds", null, { required: true }), h("button", {}, "Advance"))));
}

async function paymentList() {
  const names = ["search", "status"];
  const [found, time] = await Promise.all([list("/sandbox/payments", names), api("/sandbox/clock")]);
  return ["Payments",
    h("h1", {}, "Payments"),
    clock(time),
    card("list", "As they come in",
      h("form", { action: "/payments" }, fields(
        field("search", "Order id, account or merchantId", { type: "search", value: filter("search") }),
        choice("status", "Status", ["free", "pending", "receiptRequired", "doneSuccess", "doneFail", "arbitrageCancelledByMerchant"], true),
        h("button", {}, "Find"))),
      payments(found.payments, names.some(filter) ? "None like this." : "None yet. One appears here by itself."),
      paging(found.next, names),
      clearing(found.payments.filter((one) => one.final), "/sandbox/payments", "Clear the final ones")),
  ];
}

function customer({ orderId, actions, timeline, currency, state }) {
  const path = `/sandbox/payments/${orderId}/customer`;
  const paid = timeline.findLast((change) => change.by === "customer");
  return [
    paid && h("p", { class: "note" }, paid.cause === "nothing" ? "Not paid." : `Paid: ${paid.sum} ${currency}.`,
      actions.customer.length > 0 && " It goes on when the merchant confirms it; until then it can be paid otherwise."),
    actions.customer.length === 0
      ? hint(state === "searching" ? "There is no payee yet." : "The customer has nothing left to do.")
      : h("div", { class: "choices" },
        group(actions.customer.map((pays) => act(path, `Pay ${pays}`, { id: `pays-${pays}`, main: pays === "exactly", body: { pays } }))),
        form(path, {}, fields(field("sum", "Another sum, RUB", { inputmode: "decimal", required: true, placeholder: "1400.00" }), h("button", {}, "Pay this")))),
  ];
}

const change = (one) => h("li", {}, moment(one.at), " ", one.by, ": ", h("strong", {}, one.cause), ` → ${one.state} `, quiet(`(${one.status}, ${one.sum})`));

function receipt({ url, kept, name, contentType, size }) {
  const link = `${url}?view=1`;
  return h("li", {},
    kept && contentType.startsWith("image/") && h("img", { src: link, alt: "", loading: "lazy" }),
    kept ? h("a", { href: link }, "View ", bdi(name)) : [bdi(name), " (no longer kept)"],
    h("br"), quiet(`${contentType}, ${size} bytes`));
}

function nextWebhooks({ orderId, final, nextWebhooks: planned }, sandbox) {
  if (final && planned.length === 0) return null;
  const path = `/sandbox/payments/${orderId}/webhooks`;
  const plan = (one) => h("li", {}, h("strong", {}, one.action), one.delayMs && ` by ${one.delayMs} ms`, one.times > 1 && `, ${one.times} times`);
  return [h("h3", {}, "The next ones"),
    planned.length > 0 && [h("ul", {}, planned.map(plan)), group(act(path, "Forget these", { method: "DELETE" }))],
    form(path, { numbers: "delayMs times" }, fields(
      choice("action", "Do to the next", sandbox.webhookActions.filter((action) => action !== "resend")),
      small("delayMs", "Delay, ms", "for delay"), small("times", "How many", "1"), h("button", {}, "Plan")))];
}

const CREDENTIALS = ["payeeAccount", "payeeAccountBank", "payeeName", "dealSum", "dealCurrency", "dealRate"];

async function onePayment(id) {
  const [payment, sandbox] = await Promise.all([api(`/sandbox/payments/${id}`), api("/sandbox")]);
  const story = sandbox.stories.find(({ name }) => payment.merchantId === `story-${name}`);
  const { credentials, actions, currency } = payment;
  const moves = (part, names) => group(names.map((action) => act(`/sandbox/payments/${id}/${part}`, words(action), { id: `${part}-${action}`, main: action === "confirm", body: { action } })));
  const reported = payment.statusWebhookUrl || payment.credentialsWebhookUrl;
  return [`Payment ${id}`,
    h("h1", {}, "Payment ", code(id)),
    h("p", {}, h("span", { class: "sum" }, payment.sum, " ", currency), " ", standing(payment)),
    clock(sandbox.clock),
    story && card("story", `Story: ${story.title}`, h("p", {}, story.events), h("p", {}, h("strong", {}, "Your program: "), story.advice)),
    h("div", { class: "columns" },
      card("merchant", "Play the merchant", moves("merchant", [...actions.merchant, "getStatus"]), hint("Each button is a signed call, which appears below.")),
      card("customer", "Play the customer", customer(payment), credentials?.deeplink && h("p", {}, h("a", { href: `/pay/${id}` }, "Open the customer's page"))),
      card("operator", "Play the operator",
        actions.operator.length === 0 ? hint("Nothing is left to do: the payment is final.") : moves("operator", actions.operator),
        payment.held && !payment.final && hint("Held: nothing happens by itself until you decide or release it.")),
      card("order", "What the merchant asked for", facts([
        ["sum", `${payment.requestedSum} ${currency}`],
        ...["paymentMethod", "customerAccount", "payerBank", "merchantId"].map((name) => [name, payment[name]]),
        ...["statusWebhookUrl", "credentialsWebhookUrl"].map((name) => [name, address(payment[name])]),
        ["created by", payment.createdBy], ["created", moment(payment.createdAt)], ["changed", moment(payment.changedAt)], ["test account", payment.testAccount]])),
      card("credentials", "Credentials", credentials
        ? facts([...CREDENTIALS.map((name) => [name, credentials[name]]), ["deeplink", address(credentials.deeplink)]])
        : hint("None yet.")),
      card("timeline", "Timeline", h("ol", { class: "timeline" }, payment.timeline.map(change))),
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
        choice("operation", "Operation", sandbox.operations, true),
        tick("refused", "Only refused ones", filter("refused") !== ""),
        h("button", {}, "Find"))),
      calls(found.exchanges, names.some(filter) ? "None like this." : "None yet."),
      paging(found.next, names),
      clearing(found.exchanges, "/sandbox/exchanges", "Clear the list")),
  ];
}

async function oneCall(id) {
  const call = await api(`/sandbox/exchanges/${id}`);
  const { explanation: why, request, reply } = call;
  const name = call.operation ?? "Call";
  const side = (part, title, one, first) => card(part, title, h("p", {}, code(first)), message(one, title),
    h("p", {}, h("a", { href: `/sandbox/exchanges/${id}/${part}`, download: true }, "Download the body's bytes")));
  return [`${name} #${id}`,
    h("h1", {}, `${name} #${id}`),
    h("p", {}, answer(call)),
    card("about", "The call", facts([
      ["payment", orderLink(call)], ["at", moment(call.at)], ["took", `${call.durationMs} ms`],
      ["merchant's signature", { true: "holds", false: "does not hold, or is missing" }[call.verified] ?? "not checked"]])),
    why && card("cause", "Why the signature was refused",
      h("p", { class: "error" }, code(why.cause), ": ", why.hint),
      why.signed && [h("h3", {}, "The bytes that were signed"), hint(`The first difference is at byte ${why.firstDifference}.`), bytes(why.signed, "Signed")]),
    side("request", "Request", request, [request.method, " ", bdi(request.path)]),
    reply ? side("reply", "Reply", reply, `HTTP ${reply.httpStatus}`) : card("reply", "Reply", hint("None: the connection was closed.")),
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

async function oneWebhook(id) {
  const path = `/sandbox/webhooks/${id}`;
  const [webhook, sandbox] = await Promise.all([api(path), api("/sandbox")]);
  const then = "/webhooks/{webhooks.0.id}";
  const simple = sandbox.webhookActions.filter((action) => action !== "delay" && action !== "reorder");
  const attempt = (one) => h("details", { id: `attempt-${one.attempt}` },
    h("summary", {}, `Attempt ${one.attempt}: `, one.httpStatus ? `HTTP ${one.httpStatus}` : bdi(one.error), " ", quiet(`(${one.durationMs} ms, `, moment(one.at), ")")),
    one.httpStatus && message(one, `Attempt ${one.attempt}`));
  return [`Webhook #${id}`,
    h("h1", {}, `Webhook ${webhook.kind} #${id}`),
    h("p", {}, delivery(webhook)),
    card("about", "The webhook", facts([
      ["payment", orderLink(webhook)], ["merchantId", webhook.merchantId], ["to", address(webhook.url)], ["at", moment(webhook.at)],
      ["done to it", webhook.action], ["copy of", webhook.copyOf && h("a", { href: `/webhooks/${webhook.copyOf}` }, `#${webhook.copyOf}`)]])),
    card("again", "Send it once more to this URL",
      group(simple.map((action) => act(path, words(action), { then, body: { action } }))),
      h("form", { "data-numbers": "delayMs" }, fields(
        small("delayMs", "Delay, ms", null, { required: true, value: 1000 }), act(path, "Delay", { then, body: { action: "delay" } }))),
      hint("To reorder webhooks, plan it on the page of a payment that is not final.")),
    card("request", "Request", message(webhook.request, "Request")),
    card("attempts", "Attempts", webhook.attemptList.length === 0 ? hint("None yet.") : webhook.attemptList.map(attempt)),
  ];
}

async function faultList() {
  const [sandbox, found] = await Promise.all([api("/sandbox"), api("/sandbox/faults")]);
  const when = (one) => [one.left === null ? "until it is cleared" : `the next ${one.left}`,
    one.probability !== null && `, with probability ${one.probability}, seed ${one.seed}`];
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
        choice("kind", "Fault", sandbox.faultKinds), choice("operation", "Operation", sandbox.operations, true),
        small("times", "How many", "1"), small("probability", "Probability", "always", { inputmode: "decimal" }), small("seed", "Seed", "its own"),
        small("latencyMs", "Latency, ms", "for latency"), small("bytes", "Bytes", "for oversized"),
        h("button", { class: "main" }, "Add")))),
    card("kinds", "What each does", facts(sandbox.faultKinds.map((kind) => [code(kind), sandbox.faultEffects[kind]]))),
  ];
}

async function receiver() {
  const answered = last.answer;
  const url = await webhookUrl(await api("/sandbox"));
  const result = (one) => {
    if (one.passed) return mark("good", "as expected");
    return one.webhook === null ? quiet("unknown") : [mark("bad", "wrong"), h("br"), one.advice];
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
      hint("A payment of your own must be final. From a shell: ", code("merchantpay check-receiver URL"), ".")),
    results,
  ];
}

async function pay(id) {
  const payment = await api(`/sandbox/payments/${id}`);
  const { payeeAccount, payeeAccountBank, payeeName, deeplink } = payment.credentials ?? {};
  return [`Payment ${id}`,
    h("h1", {}, "Payment ", code(id)),
    h("div", { class: "card" },
      h("p", { class: "sum" }, payment.sum, " ", payment.currency),
      facts([["Pay to", payeeAccount], ["Bank", payeeAccountBank], ["Name", payeeName], ["Status", h("span", {}, standing(payment))]])),
    card("choices", "Pay", customer(payment)),
    deeplink && card("phone", "On a phone",
      h("img", { class: "qr", src: `/pay/${id}/qr.svg`, alt: "QR code of this page's address" }),
      h("p", {}, address(deeplink)),
      /^http:\/\/(127\.|\[::1\])/.test(deeplink) && hint("Another device reaches it only if the sandbox listens on your network: ", code("--host"), " and ", code("--allow-remote"), ".")),
  ];
}

export const VIEWS = [
  [/^\/$/, start], [/^\/payments$/, paymentList], [/^\/payments\/([\w-]+)$/, onePayment], [/^\/calls$/, callList], [/^\/calls\/(\d+)$/, oneCall],
  [/^\/webhooks$/, webhookList], [/^\/webhooks\/(\d+)$/, oneWebhook], [/^\/faults$/, faultList], [/^\/receiver$/, receiver], [/^\/pay\/([\w-]+)$/, pay],
];
