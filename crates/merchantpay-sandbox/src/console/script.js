// Keeps an open page current. Every page works without this script, but then the reader must reload the page.
// When the control API reports a change, the script requests the page again and replaces only the elements
// that differ. So the keyboard's focus, typed text and opened details stay.
"use strict";

(() => {
  const live = () => document.querySelectorAll("[data-live]");
  const news = document.getElementById("news");

  for (const button of document.querySelectorAll("[data-copies]")) {
    // Browsers have no clipboard object if the page comes neither over TLS nor from this machine.
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
      news.textContent = "Copied.";
    });
  }

  // A page with an error stays unchanged.
  if (live().length === 0 || !window.EventSource) return;

  // Attributes that the reader changes are kept: opened, typed or chosen. Elements that need this script stay
  // visible.
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
        // An element is moved only if necessary, because a moved element loses the focus.
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

  // The script sends one request at a time, and only a few requests per second. Changes during a request
  // cause one more request.
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
          // If the focused button disappears, the focus moves to its surroundings.
          if (within && document.activeElement === document.body) part.focus({ preventScroll: true });
        }
      }
    } catch {
      // The event stream reports when the sandbox is back.
    }
    setTimeout(() => {
      asking = false;
      if (again) refresh();
    }, PAUSE);
  }

  // Announces new payments as text, for screen readers.
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
    // The first event of a connection is `hello`: it also causes a request, so that the page shows earlier
    // changes.
    for (const name of ["hello", "payment", "exchange", "webhook", "faults", "clock", "cleared", "missed"]) stream.addEventListener(name, refresh);
  }

  // A browser allows few connections to one server, so only visible pages keep a connection.
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
