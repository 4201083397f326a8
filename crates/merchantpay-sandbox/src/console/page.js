// The console: one page over the control API. What the API reports as changed is read again, and only the
// elements that differ are replaced, so that the keyboard's focus, typed text and opened details stay.

import { Unreachable, api, h, visible } from "./parts.js";
import { VIEWS, last } from "./views.js";

// A merchant's page may show the customer's page in a frame. It links nowhere else.
const FRAMED = location.pathname.startsWith("/pay/");
const main = document.getElementById("content");
const say = (id, text) => (document.getElementById(id).textContent = visible(text));

function bodyOf(form, submitter) {
  const body = JSON.parse(submitter?.dataset.body ?? "{}");
  const numbers = (form.dataset.numbers ?? "").split(" ");
  for (const [name, text] of new FormData(form)) {
    const typed = text.trim();
    // What is no number stays a text, and the API says so.
    if (typed) body[name] = numbers.includes(name) && !Number.isNaN(Number(typed)) ? Number(typed) : typed;
  }
  if (body.asynchronous) body.credentialsWebhookUrl = body.statusWebhookUrl;
  delete body.asynchronous;
  return body;
}

async function submit(event) {
  const { submitter, target: form } = event;
  const { path, then, method } = { ...form.dataset, ...submitter?.dataset };
  if (!path) return;
  event.preventDefault();
  try {
    last.answer = await api(path, method ?? "POST", bodyOf(form, submitter));
    say("problem", "");
    if (!then) return refresh();
    const of = (_, names) => encodeURIComponent(names.split(".").reduce((value, name) => value[name], last.answer));
    location.assign(then.replace(/\{([\w.]+)\}/g, of));
  } catch (error) {
    say("problem", error.message);
  }
}

function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  // The reader opens details: they stay open.
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.localName === "select" && old.contains(document.activeElement)) return;
  const same = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id || "") === (other.id || "");
  let place = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = child.id ? [...old.children].find((one) => one.id === child.id) : place;
    if (known && same(known, child)) {
      // An element is moved only if necessary, because a moved element loses the focus.
      if (known === place) place = place.nextSibling;
      else old.insertBefore(known, place);
      morph(known, child);
    } else {
      if (child.id) child.classList.add("fresh");
      old.insertBefore(child, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

async function render() {
  const route = VIEWS.map(([pattern, view]) => [pattern.exec(location.pathname), view]).find(([found]) => found);
  try {
    if (!route) throw new Error("There is no such page.");
    const [title, ...content] = await route[1](route[0][1]);
    document.title = `${title} - merchantpay sandbox`;
    const within = main.contains(document.activeElement);
    const fresh = main.cloneNode(false);
    fresh.append(...content.flat(Infinity).filter(Boolean));
    morph(main, fresh);
    // If the focused button disappears, the focus moves to its surroundings.
    if (within && document.activeElement === document.body) main.focus({ preventScroll: true });
  } catch (error) {
    // This says nothing of the page: the event stream reports when the sandbox is back.
    if (error instanceof Unreachable) return;
    main.replaceChildren(h("h1", {}, "Not here"), h("p", { class: "error" }, error.message), ...(FRAMED ? [] : [h("p", {}, h("a", { href: "/payments" }, "To the payments"))]));
  }
}

// One read at a time, and only a few a second. Changes during a read cause one more.
const PAUSE = 250;
let reading = false;
let again = false;

async function refresh() {
  again = reading;
  if (reading) return;
  reading = true;
  await render();
  setTimeout(() => {
    reading = false;
    if (again) refresh();
  }, PAUSE);
}

// Announces new payments as text, for screen readers.
const announced = new Set();
function announce(event) {
  const { orderId, state, sum, currency } = JSON.parse(event.data);
  if (location.pathname !== "/payments" || state !== "searching" || announced.has(orderId)) return;
  announced.add(orderId);
  say("news", `New payment: ${sum} ${currency}, ${orderId}`);
}

let stream = null;
// A browser allows few connections to one server, so only visible pages keep one.
function follow() {
  stream?.close();
  stream = document.hidden ? null : new EventSource("/sandbox/events");
  stream?.addEventListener("open", () => say("connection", "live"));
  stream?.addEventListener("error", () => say("connection", "not connected, so this page may be old"));
  stream?.addEventListener("payment", announce);
  // The first event of a connection is `hello`, which also shows what changed before.
  for (const name of ["hello", "payment", "exchange", "webhook", "faults", "clock", "cleared", "missed"]) stream?.addEventListener(name, refresh);
}

document.body.classList.toggle("frame", FRAMED);
document.querySelector(".top").hidden = FRAMED;
if (FRAMED) document.getElementById("foot").prepend("This page stands in for the one where a customer would pay. ");
for (const link of document.querySelectorAll(".top a")) {
  const at = link.getAttribute("href");
  if (at === location.pathname || (at !== "/" && location.pathname.startsWith(`${at}/`))) link.setAttribute("aria-current", "page");
}
document.addEventListener("submit", submit);
document.addEventListener("click", async ({ target }) => {
  const { copies } = target.dataset;
  if (!copies) return;
  await navigator.clipboard.writeText(document.getElementById(copies).textContent);
  say("news", "Copied.");
});
document.addEventListener("visibilitychange", follow);
window.addEventListener("pagehide", () => stream?.close());
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
refresh();
follow();
