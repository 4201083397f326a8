// The parts of the console's page: the API's documents, elements, forms, tables and bytes.

const PAGE = 25;
const SHOWN_BYTES = 16 * 1024;
const asked = new URLSearchParams(location.search);
export const filter = (name) => asked.get(name) ?? "";

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

// The filters of the page's own URL that a list has, and the start of one of its pages.
function query(names, before) {
  const named = [...names.map((name) => [name, filter(name)]), ["before", before]];
  return new URLSearchParams(named.filter(([, value]) => value));
}

export const list = (path, names) => api(`${path}?limit=${PAGE}&${query(names, filter("before"))}`);

export function paging(next, names) {
  const link = (rel, label, before) => h("a", { href: `?${query(names, before)}`, rel }, label);
  const links = [filter("before") && link("prev", "Newest"), next && link("next", "Older", next)];
  return links.some(Boolean) && h("nav", { class: "paging", "aria-label": "Pages of the list" }, links);
}

// ---- elements ----

// Shows characters that would mislead the reader as their code points.
export function visible(text, lines = false) {
  const marks = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const code = (one) => `\\u{${one.codePointAt(0).toString(16)}}`;
  return text.replace(marks, (one) => (lines && "\n\t".includes(one) ? one : code(one)));
}

// Texts become text nodes, never markup.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  const is = (value) => value !== null && value !== undefined && value !== false;
  for (const [key, value] of Object.entries(attributes)) if (is(value)) element.setAttribute(key, value === true ? "" : value);
  const shown = children.flat(Infinity).filter(is);
  element.append(...shown.map((child) => (child instanceof Node ? child : visible(String(child), name === "pre"))));
  return element;
}

// A text from outside, with its own writing direction.
export const bdi = (text) => h("bdi", {}, text);
export const code = (...children) => h("code", {}, ...children);
export const quiet = (...children) => h("span", { class: "quiet" }, ...children);
export const hint = (...children) => h("p", { class: "quiet" }, ...children);
export const card = (id, title, ...children) => h("section", { class: "card", "aria-labelledby": id }, h("h2", { id }, title), ...children);
export const facts = (pairs) =>
  h("dl", { class: "facts" }, pairs.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, typeof value === "string" ? bdi(value) : value)]));
export const mark = (kind, ...children) => h("span", { class: `status ${kind}` }, ...children);
// An API's name as words: `requireReceipt` is "Require receipt".
export const words = (name) => name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`);

export function moment(at) {
  const [day, time] = at.split("T");
  return h("time", { datetime: at }, h("span", {}, day), " ", h("span", {}, time.replace("Z", " UTC")));
}

// A link, if a browser may safely follow it.
export const address = (url) => url && (/^https?:\/\//i.test(url) ? h("a", { href: url, rel: "noopener noreferrer nofollow" }, url) : bdi(url));

const STATUSES = { doneSuccess: "good", doneFail: "bad", arbitrageCancelledByMerchant: "bad", receiptRequired: "wait" };

export const standing = ({ status, state, held, final }) => [
  mark(STATUSES[status] ?? "", status),
  STATUSES[status] === undefined && [" ", quiet(words(state).toLowerCase())],
  held && !final && [" ", mark("wait", "held")],
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

export function choice(name, label, values, any = false) {
  const option = (value) => h("option", { selected: value === filter(name) }, value);
  return h("div", { class: "field" }, h("label", { for: name }, label), h("select", { id: name, name }, any && h("option", { value: "" }, "any"), values.map(option)));
}

export const tick = (name, label, checked = false) =>
  h("label", { class: "choice" }, h("input", { type: "checkbox", name, value: "true", checked }), label);
export const clearing = (rows, path, label) => rows.length > 0 && group(act(path, label, { method: "DELETE" }));

// ---- tables ----

const rowId = (one) => `row-${one.createdAt ? one.orderId : (one.id ?? one.kind)}`;

export function table(rows, caption, columns, row, none, id = rowId) {
  if (rows.length === 0) return hint(none);
  const line = (one) => h("tr", { id: id(one) }, row(one).filter(Boolean).map((cell) => h("td", {}, cell)));
  const head = columns.filter(Boolean).map((column) => h("th", { scope: "col" }, column));
  return h("table", { class: "rows" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.map(line)));
}

export const orderLink = ({ orderId, orderExists }) => {
  if (!orderId) return quiet("none");
  if (orderExists === false) return [code(bdi(orderId)), " ", quiet("(not here)")];
  return h("a", { href: `/payments/${encodeURIComponent(orderId)}` }, code(orderId));
};

const merchantId = (one) => one.merchantId && [h("br"), quiet("merchantId ", bdi(one.merchantId))];

export const payments = (rows, none) =>
  table(rows, "Newest first.", ["Payment", "Status", "Sum", "Account", "Created"], (one) => [
    [orderLink(one), merchantId(one)],
    [standing(one)],
    h("span", { class: "number" }, one.sum, " ", one.currency),
    bdi(one.customerAccount),
    moment(one.createdAt),
  ], none);

export const answer = (one) => [
  one.httpStatus === null ? mark("bad", "no reply") : mark(one.httpStatus < 300 ? "good" : "bad", `HTTP ${one.httpStatus}`),
  one.verified === false && [" ", mark("bad", "signature refused")],
  one.fault && [" ", mark("wait", "fault: ", one.fault)],
];

export const calls = (rows, none, withOrder = true) =>
  table(rows, "Newest first. Open one to see its bytes.", ["Call", "Answer", "Took", "At", withOrder && "Payment"], (one) => [
    h("a", { href: `/calls/${one.id}` }, one.operation ?? bdi(one.path), ` #${one.id}`),
    answer(one),
    h("span", { class: "number" }, `${one.durationMs} ms`),
    moment(one.at),
    withOrder && orderLink(one),
  ], none);

const DELIVERIES = { delivered: "good", givenUp: "bad" };

export const delivery = ({ state, attempts, httpStatus }) => [
  mark(DELIVERIES[state] ?? "", words(state).toLowerCase()),
  attempts > 0 && [" ", quiet(attempts, attempts === 1 ? " attempt" : " attempts", httpStatus && `, HTTP ${httpStatus}`)],
];

export const webhooks = (rows, none, withOrder = true) =>
  table(rows, "Newest first. Open one to see its bytes and to send it again.", ["Webhook", "Delivery", "To", "At", withOrder && "Payment"], (one) => [
    [h("a", { href: `/webhooks/${one.id}` }, `${one.kind} #${one.id}`), one.status && [" ", h("span", { class: "quiet word" }, one.status)], one.action && [" ", mark("wait", one.action)]],
    delivery(one),
    bdi(one.url),
    moment(one.at),
    withOrder && [orderLink(one), merchantId(one)],
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
    h("details", {}, h("summary", {}, "Byte by byte ", quiet(`(${size} bytes)`)), region(`${what} byte by byte`, dump(known), false)),
    known.length < size && hint(`The first ${known.length} of ${size} bytes are shown.`),
  ];
}

export const message = ({ headers, body }, what) => [
  region(`${what}: headers`, headers.map(([name, value]) => `${visible(name)}: ${visible(value)}\n`).join("")),
  bytes(body, `${what}: body`),
];
