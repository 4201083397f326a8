// The parts of the console's page: elements, forms, tables and bytes.

const PAGE = 25;
const SHOWN_BYTES = 16 * 1024;
export const asked = new URLSearchParams(location.search);

// The sandbox has ended, or the page is being left.
export class Unreachable extends Error {}

export async function api(path, method = "GET", body = null) {
  const json = method === "POST" && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { method, cache: "no-store", redirect: "error", ...json }).catch(() => {
    throw new Unreachable("The sandbox does not answer.");
  });
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.error?.message ?? `HTTP ${answer.status}`);
  return document;
}

// One page of a list. `names` are the filters that the page's own URL may have.
export function list(path, names) {
  const query = new URLSearchParams({ limit: PAGE });
  for (const name of [...names, "before"]) if (asked.get(name)) query.set(name, asked.get(name));
  return api(`${path}?${query}`);
}

// ---- elements ----

// Shows characters that would mislead the reader as their code points.
export function visible(text, lines = false) {
  const marks = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const code = (one) => `\\u{${one.codePointAt(0).toString(16)}}`;
  return text.replace(marks, (one) => {
    if (lines && one === "\r") return "\\r";
    return lines && (one === "\n" || one === "\t") ? one : code(one);
  });
}

// Makes an element. Texts become text nodes, never markup.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (child instanceof Node ? child : visible(String(child), name === "pre"))));
  return element;
}

// A text from outside, with its own writing direction.
export const bdi = (text) => h("bdi", {}, text);
export const quiet = (...children) => h("span", { class: "quiet" }, ...children);
export const hint = (...children) => h("p", { class: "quiet" }, ...children);
export const card = (id, title, ...children) => h("section", { class: "card", "aria-labelledby": id }, h("h2", { id }, title), ...children);
export const facts = (pairs, more = "") =>
  h("dl", { class: `facts ${more}` }, pairs.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
export const fact = (name, value) => [name, value && bdi(value)];

export function moment(at) {
  const [day, time] = at.split("T");
  return h("time", { datetime: at }, h("span", {}, day), " ", h("span", {}, time.replace("Z", " UTC")));
}

// A link, if a browser may safely follow it.
export const address = (url) => url && (/^https?:\/\//i.test(url) ? h("a", { href: url, rel: "noopener noreferrer nofollow" }, url) : bdi(url));

function status(word) {
  const good = { doneSuccess: "good", doneFail: "bad", arbitrageCancelledByMerchant: "bad", receiptRequired: "wait" };
  return h("span", { class: `status ${good[word] ?? ""}` }, word);
}

const STATES = {
  searching: "looking for a payee",
  awaitingPayment: "waiting for the customer",
  checking: "being checked",
  arbitration: "in arbitration",
};

export const standing = (payment) => [
  status(payment.status),
  STATES[payment.state] && [" ", quiet(STATES[payment.state])],
  payment.held && !payment.final && [" ", h("span", { class: "status wait" }, "held")],
];

// ---- forms: what a submitter or its form names is sent to the control API as JSON ----

// `then` is the page to open afterwards; a word in braces is a path into the answer.
export const act = (path, label, { body, then, method, main, id } = {}) =>
  h("button", { id, class: main && "main", "data-path": path, "data-body": body && JSON.stringify(body), "data-then": then, "data-method": method }, label);
export const form = (path, options, ...children) => h("form", { "data-path": path, "data-then": options.then, "data-numbers": options.numbers }, ...children);
export const group = (...buttons) => h("form", {}, h("div", { class: "buttons" }, ...buttons));
export const fields = (...children) => h("div", { class: "fields" }, ...children);

export function field(name, label, { size = "", id = name, ...attributes } = {}) {
  const input = h("input", { id, name, autocomplete: "off", spellcheck: "false", ...attributes });
  return h("div", { class: `field ${size}` }, h("label", { for: id }, label), input);
}

export function choice(name, label, values, { chosen = "", any = false, id = name } = {}) {
  const options = values.map((value) => h("option", { selected: value === chosen }, value));
  return h("div", { class: "field" }, h("label", { for: id }, label), h("select", { id, name }, any && h("option", { value: "" }, "any"), options));
}

export const clearing = (rows, path, label) => rows.length > 0 && group(act(path, label, { method: "DELETE" }));

// ---- tables ----

export function table(rows, caption, columns, row, none) {
  if (rows.length === 0) return hint(none);
  const cells = (one) => row(one).map((cell, index) => h("td", { "data-label": columns[index] }, h("div", {}, cell)));
  const id = (one) => `row-${one.orderId && one.createdAt ? one.orderId : (one.id ?? one.kind)}`;
  return h(
    "table",
    { class: "rows" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)))),
    h("tbody", {}, rows.map((one) => h("tr", { id: id(one) }, cells(one)))),
  );
}

export function paging(next, names) {
  const link = (rel, label, before) => {
    const query = new URLSearchParams(before && { before });
    for (const name of names) if (asked.get(name)) query.set(name, asked.get(name));
    return h("a", { href: `?${query}`, rel }, label);
  };
  const links = [asked.get("before") && link("prev", "Newest"), next && link("next", "Older", next)];
  return links.some(Boolean) && h("nav", { class: "paging", "aria-label": "Pages of the list" }, links);
}

export const orderLink = ({ orderId, orderExists }) => {
  if (!orderId) return quiet("none");
  if (orderExists === false) return [h("code", {}, bdi(orderId)), " ", quiet("(not here)")];
  return h("a", { href: `/payments/${encodeURIComponent(orderId)}` }, h("code", {}, orderId));
};

export const merchantId = (one) => one.merchantId && [h("br"), quiet("merchantId ", bdi(one.merchantId))];

export const payments = (rows, none) =>
  table(rows, "Newest first.", ["Payment", "Status", "Sum", "Account", "Created"], (one) => [
    [orderLink(one), merchantId(one)],
    standing(one),
    [h("span", { class: "number" }, one.sum, " ", one.currency), one.sum !== one.requestedSum && [" ", quiet("of ", one.requestedSum)]],
    bdi(one.customerAccount),
    moment(one.createdAt),
  ], none);

export const answer = (one) => [
  h("span", { class: `status ${one.httpStatus >= 200 && one.httpStatus < 300 ? "good" : "bad"}` }, one.httpStatus ?? "no reply"),
  one.verified === false && [" ", h("span", { class: "status bad" }, "signature refused")],
  one.fault && [" ", h("span", { class: "status wait" }, "fault: ", one.fault)],
];

export const calls = (rows, none, withOrder = true) =>
  table(rows, "Newest first. Open one to see its bytes.", ["Call", "Answer", "Took", "At", "Payment"].slice(0, withOrder ? 5 : 4), (one) => [
    h("a", { href: `/calls/${one.id}` }, one.operation ?? bdi(one.path), ` #${one.id}`),
    answer(one),
    h("span", { class: "number" }, `${one.durationMs} ms`),
    moment(one.at),
    ...(withOrder ? [orderLink(one)] : []),
  ], none);

export function delivery(one) {
  const [kind, word] = { delivered: ["good", "delivered"], givenUp: ["bad", "given up"] }[one.state] ?? ["", one.state];
  const attempts = `${one.attempts} ${one.attempts === 1 ? "attempt" : "attempts"}`;
  return [h("span", { class: `status ${kind}` }, word), one.attempts > 0 && [" ", quiet(attempts, one.httpStatus && `, HTTP ${one.httpStatus}`)]];
}

export const webhooks = (rows, none, withOrder = true) =>
  table(rows, "Newest first. Open one to see its bytes and to send it again.", ["Webhook", "Delivery", "To", "At", "Payment"].slice(0, withOrder ? 5 : 4), (one) => [
    [h("a", { href: `/webhooks/${one.id}` }, `${one.kind} #${one.id}`), one.status && [" ", quiet(one.status)], one.action && [" ", h("span", { class: "status wait" }, one.action)]],
    delivery(one),
    bdi(one.url),
    moment(one.at),
    ...(withOrder ? [[orderLink(one), merchantId(one)]] : []),
  ], none);

// ---- bytes ----

export const region = (label, text, wrap = true) => h("pre", { class: wrap && "wrap", tabindex: 0, role: "region", "aria-label": label }, text);

function dump(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.slice(at, at + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const ascii = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${ascii}\n`);
  }
  return lines.join("");
}

export function bytes({ size, base64 }, what) {
  if (size === 0) return hint("No body.");
  const known = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)).slice(0, SHOWN_BYTES);
  return [
    region(`${what} as text`, new TextDecoder().decode(known)),
    h("details", {}, h("summary", {}, "Byte by byte ", h("span", { class: "number" }, `(${size} bytes)`)), region(`${what} byte by byte`, dump(known), false)),
    known.length < size && hint(`The first ${known.length} of ${size} bytes are shown.`),
  ];
}

export const headerLines = (headers, what) => region(what, headers.map(([name, value]) => `${visible(name)}: ${visible(value)}\n`).join(""));

export const message = (one, what, download) => [
  facts([
    ["X-KeyId", one.keyId === null ? quiet("missing") : h("code", {}, bdi(one.keyId))],
    ["X-Signature", one.signature === null ? quiet("missing") : h("code", {}, bdi(one.signature))],
  ]),
  h("h3", {}, "Headers"),
  headerLines(one.headers, `${what}: headers`),
  h("h3", {}, "Body"),
  bytes(one.body, `${what}: body`),
  download && h("p", {}, h("a", { href: download, download: true }, "Download the body's bytes")),
];
