// Keeps an open page current. Every page works without it; it only saves the reader from reloading.
// The control API reports a change; the page is then requested again, and what differs is put in place, so that
// the keyboard's focus, typed text and opened details stay.
"use strict";

(() => {
  const live = () => document.querySelectorAll("[data-live]");
  const news = document.getElementById("news");

  for (const button of document.querySelectorAll("[data-copies]")) {
    // Absent where the page comes neither over TLS nor from this machine.
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
      news.textContent = "Copied.";
    });
  }

  // A page that says what went wrong stays as it is.
  if (live().length === 0 || !window.EventSource) return;

  // What the reader has opened, typed or chosen is his own; what works with this script alone stays visible.
  const kept = new Set(["open", "hidden"]);

  function attributes(old, fresh) {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !kept.has(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value && !kept.has(name)) old.setAttribute(name, value);
    }
  }

  function same(old, fresh) {
    return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id || "") === (fresh.id || "");
  }

  function morph(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = fresh.nodeValue;
      return;
    }
    attributes(old, fresh);
    if (old.localName === "select" && old.contains(document.activeElement)) return;
    let place = old.firstChild;
    for (const child of [...fresh.childNodes]) {
      const known = child.id ? [...old.children].find((one) => one.id === child.id) : null;
      if (known && same(known, child)) {
        // Moved only where it has to be: a moved element loses the focus.
        if (known === place) place = place.nextSibling;
        else old.insertBefore(known, place);
        morph(known, child);
      } else if (!child.id && place && same(place, child)) {
        const next = place.nextSibling;
        morph(place, child);
        place = next;
      } else {
        const added = document.importNode(child, true);
        if (child.id && added.classList) added.classList.add("fresh");
        old.insertBefore(added, place);
      }
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  // One question at a time, and not more than a few in a second: what changes meanwhile is asked for once more at its end.
  const PAUSE = 250;
  let asking = false;
  let again = false;

  async function refresh() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    again = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store", redirect: "error" });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of live()) {
          const other = fresh.getElementById(part.id);
          const within = part.contains(document.activeElement);
          if (other) morph(part, other);
          // A button that is gone takes the focus with it: it stays near.
          if (within && document.activeElement === document.body) part.focus({ preventScroll: true });
        }
      }
    } catch {
      // The stream says when the sandbox is back.
    }
    setTimeout(() => {
      asking = false;
      if (again) refresh();
    }, PAUSE);
  }

  // New payments are announced as text, for screen readers.
  const announced = new Set();
  function announce(event) {
    const payment = JSON.parse(event.data);
    if (location.pathname !== "/payments" || payment.state !== "searching" || announced.has(payment.orderId)) return;
    announced.add(payment.orderId);
    news.textContent = `New payment: ${payment.sum} ${payment.currency}, ${payment.orderId}`;
  }

  const connection = document.getElementById("connection");
  const say = (text) => {
    if (connection) connection.textContent = text;
  };
  let stream = null;
  function connect() {
    stream = new EventSource("/sandbox/events");
    stream.addEventListener("open", () => say("live"));
    stream.addEventListener("error", () => say("not connected, so this page may be old"));
    stream.addEventListener("payment", announce);
    // The first of a connection is `hello`: what happened before it is asked for too.
    for (const name of ["hello", "payment", "exchange", "webhook", "faults", "clock", "cleared", "missed"]) stream.addEventListener(name, refresh);
  }

  // A browser has few connections to one server: only pages that are seen keep one.
  function follow() {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else if (!stream) {
      connect();
    }
  }
  follow();
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", () => stream?.close());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
})();
