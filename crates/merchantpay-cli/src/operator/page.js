// The operator's page. It reads the JSON that the commands of the journal print, and changes nothing.

import { bdi, card, facts, h, hint, mark, moment, quiet, region, table } from "./parts.js";

const query = new URLSearchParams(location.search).get("q") ?? "";

async function read(name, q) {
  const path = `/api/${name}${q === undefined ? "" : `?${new URLSearchParams({ q })}`}`;
  const answer = await fetch(path, { cache: "no-store", redirect: "error" }).catch(() => {
    throw new Error("The service does not answer.");
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.startsWith("{") ? JSON.parse(text).error.message : `HTTP ${answer.status}: ${text}`);
  // A sum keeps its digits: 1500.50 stays 1500.50.
  return JSON.parse(text, (key, value, context) => (key.startsWith("sum") && typeof value === "number" ? (context?.source ?? value) : value));
}

let words;

// ---- parts ----

const number = (value) => h("span", { class: "number" }, value);
const at = (ms) => moment(new Date(ms).toISOString().replace(/\.\d+Z$/, "Z"));
const after = (ms) => (ms === null ? "nothing is due" : `${Math.floor(ms / 1000)} s`);
const link = (reference) => h("a", { href: `/attempts?${new URLSearchParams({ q: reference })}` }, bdi(reference));
const reason = (name) => [mark("wait", name), " ", words.reason[name] ?? ""];

function standing(entry) {
  const kind = entry.succeeded ? "good" : ["unknown", "refused"].includes(entry.standing) ? "bad" : "";
  return mark(kind, entry.standing);
}

// A flag and its hyphens stay on one line.
const spelled = (command) => command.split(/( --[a-z-]+)/).map((part) => (part.startsWith(" --") ? [" ", h("span", { class: "word" }, part.slice(1))] : part));

const commands = (item) =>
  item.resolve.map((command, index) => {
    const box = region(`Command: ${command}`, "");
    box.append(h("code", {}, spelled(command)));
    return [h("p", { class: "case" }, `${item.cases[index]}:`), box];
  });

// A reference can have spaces, which an id cannot, so the rows have none.
const references = (rows, caption, none) =>
  table(rows, caption, ["Reference", "Standing", "Asked", "Order id", "Stored"], (one) => [
    [link(one.reference), `, attempt ${one.attempt}`],
    standing(one),
    number(one.sumAsked),
    one.orderId ? bdi(one.orderId) : quiet("no order"),
    at(one.createdAt),
  ], none, () => null);

// ---- views ----

function item(one) {
  if (one.orphan) {
    const { orderId, status, receivedAt, reference, attempt } = one.orphan;
    return [
      h("h3", {}, "Order ", bdi(orderId), ", a message without an attempt"),
      h("p", {}, mark("wait", "orphan"), " ",
        reference ? ["It came to the URL of ", link(reference), `, attempt ${attempt}, and is about another order. `] : "No attempt has its URL. ",
        status && ["Status ", bdi(status), ". "],
        "Received ", at(receivedAt), "."),
      commands(one),
    ];
  }
  if (one.unreadable) {
    const { reference, attempt, column } = one.unreadable;
    return [
      h("h3", {}, bdi(reference), `, attempt ${attempt}`),
      h("p", {}, mark("wait", "unreadable"), ` This version cannot read its ${column}: update the program.`),
    ];
  }
  return [
    h("h3", {}, link(one.reference), `, attempt ${one.attempt}`),
    h("p", {}, one.attention.map((name, index) => [mark("wait", name), " ", bdi(one.details[index]), ". "]), "Since ", at(one.updatedAt), "."),
    commands(one),
  ];
}

async function overview() {
  const [stats, settle, attention, entries] = await Promise.all(["stats", "settle", "attention", "list"].map((name) => read(name)));
  return ["Overview",
    h("h1", {}, "Journal"),
    stats.pause !== null && h("p", { class: "error" }, "Paused: ", bdi(stats.pause)),
    settle.failure && h("p", { class: "error" }, "settle fails: ", bdi(settle.failure)),
    card("attention", `Needs attention: ${stats.attention}`,
      attention.length === 0 ? hint("Nothing.") : attention.map(item),
      attention.length < stats.attention && hint("The first of each kind are shown.")),
    h("div", { class: "columns" },
      card("settle", "settle",
        h("p", {}, settle.well ? mark("good", "runs") : mark("bad", "does not succeed")),
        facts([
          ["Settled since the start", number(settle.done)],
          ["Failed runs", number(settle.failed)],
          ["Last success", settle.lastSuccessAt && at(settle.lastSuccessAt)],
          ["Next due in", after(settle.nextDueMs)],
        ])),
      card("attempts", "Attempts",
        facts([
          ["sending", number(stats.standings.sending)],
          ["unknown", number(stats.standings.unknown)],
          ["open", number(stats.standings.open)],
          ["not acknowledged", number(stats.news)],
          ["due", number(stats.due)],
          ["oldest due for", after(stats.overdueMs)],
        ]))),
    card("newest", "Newest references", references(entries, "Newest first, each with its last attempt.", "None."))];
}

// The journal keeps the time of the first and of the last event only.
function events(one) {
  return [
    [at(one.createdAt), " Stored: ", one.sumAsked, " asked."],
    one.orderId && ["The service made the order ", h("code", {}, bdi(one.orderId)), "."],
    one.intent && [`Instruction ${one.intent}: ${one.intentState}. `, words.intentState[one.intentState] ?? ""],
    one.status && ["The service's status: ", bdi(one.status), ".", one.sumPaid !== null && [" Paid: ", one.sumPaid, "."]],
    one.error && `The last call failed: ${one.error.code}, outcome ${one.error.outcome}.`,
    one.news > 0 && `News ${one.news}, ${one.acknowledged ? "acknowledged" : "not acknowledged yet"}.`,
    ...one.attention.map((name) => ["Needs attention: ", reason(name)]),
    [at(one.updatedAt), " Last written."],
  ].filter(Boolean);
}

async function attempts() {
  const found = await read("attempts", query);
  if (found.length === 0) throw new Error("The journal has no such reference.");
  return ["Reference",
    h("h1", {}, bdi(query)),
    found.map((one) =>
      card(`attempt-${one.attempt}`, ["Attempt ", one.attempt, " ", standing(one)],
        hint(words.standing[one.standing] ?? ""),
        h("ol", { class: "timeline" }, events(one).map((event) => h("li", {}, event))),
        one.resolve.length > 0 && [h("h3", {}, "What decides it"), commands(one)]))];
}

async function search() {
  const found = query ? await read("find", query) : [];
  return ["Search",
    h("h1", {}, "Search"),
    card("found", ["Found for ", bdi(query), `: ${found.length}`],
      references(found, "The reference first, then the newest.", "No reference, order id or sum is equal to it."),
      hint("An order id or a sum is searched for in the newest 1000 references."))];
}

const searching = () =>
  card("search", "Search",
    h("form", { method: "get", action: "/search", role: "search" },
      h("div", { class: "fields" },
        h("div", { class: "field" },
          h("label", { for: "q" }, "Reference, order id, or sum"),
          h("input", { id: "q", name: "q", value: location.pathname === "/search" && query, autocomplete: "off", spellcheck: "false", required: true })),
        h("button", {}, "Search"))));

async function render() {
  const main = document.getElementById("content");
  const view = { "/": overview, "/attempts": attempts, "/search": search }[location.pathname];
  let title, content;
  try {
    words = await read("words");
    document.getElementById("foot").prepend(`merchantpay ${words.version}. `);
    [title, ...content] = await view();
  } catch (error) {
    [title, ...content] = ["Not here", h("h1", {}, "Not here"), h("p", { class: "error" }, error.message)];
  }
  document.title = `${title} - merchantpay journal`;
  main.replaceChildren(...content.flat(Infinity).filter(Boolean), searching());
}

if (location.pathname === "/") document.querySelector('.top a[href="/"]').setAttribute("aria-current", "page");
render();
