// Follows a cup: the server tells what changed, and this puts it where it belongs.
//
// A page says `data-events` on its body. Parts of it (`part-standings`, ...) are replaced as whole pieces of HTML that
// the server made; boards come in pieces of SVG that are put together here. Nothing is computed and nothing is lost:
// who comes back after a while is told everything anew.
import { dress } from "./dress.js";

const body = document.body;
const state = { source: null, epoch: null, wait: 1000, timer: null, hidden: 0, shape: "" };
const boards = new Map(); // by table: what was told of it, all its pieces, and what was said lately
const dirty = new Set();
const narrow = matchMedia("(max-aspect-ratio: 4/5)");

const shape = () => (body.classList.contains("show") ? "hall" : narrow.matches ? "tall" : "wide");

function address() {
  const asked = new URL(body.dataset.events, location.href);
  asked.searchParams.set("lang", document.documentElement.lang.replace("-", "_"));
  asked.searchParams.set("shape", state.shape);
  return asked;
}

// --- the line to the server --------------------------------------------------------------------------------------

function connect() {
  clearTimeout(state.timer);
  state.source?.close();
  state.shape = shape();
  const source = (state.source = new EventSource(address()));
  source.addEventListener("open", () => { state.wait = 1000; say("on"); });
  source.addEventListener("error", () => {
    say("lost");
    if (source.readyState !== EventSource.CLOSED || source !== state.source) return;
    // it was refused: the browser does not ask again by itself
    state.timer = setTimeout(connect, state.wait * (0.7 + 0.6 * Math.random()));
    state.wait = Math.min(2 * state.wait, 20000);
  });
  const on = (kind, take) => source.addEventListener(kind, (event) => {
    if (source === state.source) take(JSON.parse(event.data));
  });
  on("hello", hello);
  on("part", part);
  on("board", board);
  on("gone", gone);
}

function say(how) {
  const line = document.getElementById("line");
  if (line === null || body.dataset.line === how) return;
  const first = !body.dataset.line;
  body.dataset.line = how;
  line.textContent = how === "lost" ? line.dataset.lost : first ? "" : line.dataset.back;
  line.hidden = how !== "lost" && first;
  if (how === "on" && !first) setTimeout(() => { if (body.dataset.line === "on") line.hidden = true; }, 4000);
}

function hello(told) {
  // everything comes anew: what is not among it is gone
  for (const table of boards.keys()) if (!(table in (told.turns ?? {}))) gone({ table });
  state.epoch = told.epoch;
  document.documentElement.dataset.epoch = told.epoch;
}

// --- parts ---------------------------------------------------------------------------------------------------------

function part({ id, html }) {
  const place = document.getElementById(`part-${id}`);
  if (place === null) return;
  const kept = remember(place);
  place.innerHTML = html;
  restore(place, kept);
  dress(place);
  for (const figure of place.querySelectorAll("[data-table]")) dirty.add(figure.dataset.table);
  paintSoon();
  document.dispatchEvent(new CustomEvent("botequim:part", { detail: { id, place } }));
}

const called = (element) => element.id || element.getAttribute("href") || element.dataset.name || "";

function remember(place) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  return {
    focus: held && held !== place ? { kind: held.tagName, name: called(held) } : null,
    open: [...place.querySelectorAll("details[id]")].map((one) => [one.id, one.open]),
    scrolled: [...place.querySelectorAll(".wide")].map((one) => [one.scrollLeft, one.scrollTop]),
    stages: [...place.querySelectorAll("[data-table] .stage")].map((one) => [one.closest("[data-table]").dataset.table, one]),
  };
}

function restore(place, kept) {
  for (const [id, open] of kept.open) {
    const one = place.querySelector(`details[id="${CSS.escape(id)}"]`);
    if (one) one.open = open;
  }
  place.querySelectorAll(".wide").forEach((one, at) => {
    if (kept.scrolled[at]) [one.scrollLeft, one.scrollTop] = kept.scrolled[at];
  });
  // a board that is still there goes on: another table that starts or ends a game does not make it blink
  for (const [table, stage] of kept.stages) {
    place.querySelector(`[data-table="${CSS.escape(table)}"] .stage`)?.replaceWith(stage);
  }
  if (kept.focus) {
    const same = [...place.querySelectorAll(kept.focus.kind)].find((one) => called(one) === kept.focus.name);
    same?.focus({ preventScroll: true });
  }
}

// --- boards ----------------------------------------------------------------------------------------------------------

function board(told) {
  const before = boards.get(told.table);
  const known = before ?? { parts: {}, fresh: new Set(), heard: new Map() };
  if (before && before.size.join() !== told.size.join()) known.parts = {}; // it is drawn in another shape: everything is new
  boards.set(told.table, { ...known, ...told, parts: { ...known.parts, ...told.parts } });
  for (const name of Object.keys(told.parts)) known.fresh.add(name);
  // what is said stays for as long as it takes to read it, however fast the game goes on
  for (const said of told.says ?? []) known.heard.set(said.seat, { ...said, until: performance.now() + READING });
  if (told.says?.length) setTimeout(() => { dirty.add(told.table); paintSoon(); }, READING + 50);
  dirty.add(told.table);
  paintSoon();
}

function gone({ table }) {
  boards.delete(table);
  dirty.add(table);
  paintSoon();
}

let asked = false;
function paintSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; paint(); }); // of a page that nobody sees: when it is seen again
}

function paint() {
  for (const table of dirty) {
    for (const figure of document.querySelectorAll(`[data-table="${CSS.escape(table)}"]`)) {
      paintOne(figure, boards.get(table));
      document.dispatchEvent(new CustomEvent("botequim:board", { detail: { figure } }));
    }
    boards.get(table)?.fresh.clear();
  }
  dirty.clear();
  hear();
}

const READING = 5000;
const SVG = "http://www.w3.org/2000/svg";

function paintOne(figure, known) {
  const stage = figure.querySelector(".stage");
  if (stage === null) return;
  figure.classList.toggle("waiting", known === undefined);
  if (known === undefined || known.parts.felt === undefined) return stage.replaceChildren();
  let picture = stage.querySelector("svg");
  const order = ["felt", "table", ...Object.keys(known.parts).filter((name) => /^\d+$/.test(name)).sort((a, b) => a - b)];
  const size = known.size.join(" ");
  if (picture === null || picture.dataset.size !== size || picture.childElementCount !== order.length) {
    picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("class", "bq");
    picture.setAttribute("viewBox", `0 0 ${size}`);
    picture.setAttribute("role", "img");
    picture.dataset.size = size;
    for (const name of order) {
      const piece = document.createElementNS(SVG, "g");
      piece.innerHTML = known.parts[name] ?? "";
      picture.append(piece);
    }
    stage.replaceChildren(picture);
  } else {
    order.forEach((name, at) => { if (known.fresh.has(name)) renew(picture.children[at], known.parts[name]); });
  }
  picture.setAttribute("aria-label", known.told ?? "");
  figure.dataset.turn = known.turn;
  write(figure.querySelector(".told"), known.told ?? "");
  sides(figure, known.sides ?? []);
  lines(figure.querySelector(".moves"), known.moves ?? []);
  for (const [seat, said] of known.heard) if (said.until < performance.now()) known.heard.delete(seat);
  bubbles(figure.querySelector(".bubbles"), newestFirst([...known.heard.values()]));
}

/** A portrait that stays is not loaded again: it would blink. A drawing that becomes smaller or moves does so smoothly. */
function renew(piece, drawing) {
  const before = piece.querySelector("image");
  const placed = piece.firstElementChild?.getAttribute("transform");
  piece.innerHTML = drawing;
  const now = piece.querySelector("image");
  if (before && now?.isEqualNode(before)) now.replaceWith(before);
  glide(piece.firstElementChild, placed);
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
const css = (transform) => transform.replace(/translate\(([-\d.e]+) ([-\d.e]+)\)/, "translate($1px,$2px)");

function glide(group, placed) {
  const to = group?.getAttribute("transform");
  if (!placed || !to || placed === to || still.matches || !placed.includes("scale") || !to.includes("scale")) return;
  group.animate([{ transform: css(placed) }, { transform: css(to) }], { duration: 350, easing: "ease-out" });
}

/** Who is to move, and the time and the faults of each player. */
function sides(figure, all) {
  figure.querySelectorAll(".sides > li").forEach((entry, at) => {
    entry.classList.toggle("acts", all[at]?.acts === true);
    write(entry.querySelector(".clock"), all[at]?.clock ?? "");
    write(entry.querySelector(".failed"), all[at]?.faults ?? "");
  });
}

function lines(list, all) {
  if (list === null || list.dataset.lines === JSON.stringify(all)) return;
  list.dataset.lines = JSON.stringify(all);
  list.replaceChildren(...all.map((words) => {
    const entry = document.createElement("li");
    entry.textContent = words;
    return entry;
  }));
}

const write = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };

/** Partners may be one bot, which says the same from both seats. */
function newestFirst(says) {
  const once = new Map(says.map((one) => [`${one.name}\n${one.text}`, one]));
  return [...once.values()].sort((one, other) => other.until - one.until);
}

function bubbles(list, says) {
  if (list === null) return;
  const heard = JSON.stringify(says.map((one) => [one.seat, one.text]));
  if (list.dataset.heard === heard) return;
  list.dataset.heard = heard;
  list.replaceChildren(...says.map((one) => {
    const entry = document.createElement("li");
    const who = document.createElement("bdi");
    const words = document.createElement("bdi");
    who.className = "who";
    who.textContent = one.name;
    words.textContent = one.text;
    entry.append(who, " ", words);
    return entry;
  }));
}

// For ears: what happened last at the first table, and not more often than can be listened to.
let spoken = 0;
function hear() {
  const place = document.getElementById("heard");
  const first = document.querySelector("[data-table] .told");
  if (place === null || first === null || performance.now() - spoken < 5000) return;
  if (first.textContent && place.textContent !== first.textContent) {
    spoken = performance.now();
    place.textContent = first.textContent;
  }
}

// --- a page that sleeps, turns or comes back ------------------------------------------------------------------------

export function follow() {
  if (!body.dataset.events) return;
  connect();
  narrow.addEventListener("change", () => { if (state.shape !== shape()) { boards.clear(); connect(); } });
  addEventListener("online", connect);
  addEventListener("offline", () => say("lost"));
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) state.hidden = Date.now();
    else if (Date.now() - state.hidden > 30000) connect(); // a phone that slept may not know that its line is dead
    else paintSoon();
  });
}

follow();
