// The big screen: one slide after another, never a scroll bar. What a slide shows comes from `live.js`; this only turns
// them over, splits long ones into pages, and makes a moment of a result that was just revealed.
const root = document.documentElement;
const main = document.getElementById("main");
const asked = new URLSearchParams(location.search);
const SECONDS = Number(asked.get("seconds")) || 10;
const state = { at: "", key: "", paused: asked.get("paused") === "1", timer: null, between: null, newest: "", shownAt: -Infinity, podium: false };
const MOST_TABLES = 4;
const LEAST_NAMES = [24, 20]; // in pixels: at one or two tables, and at more
const LONG_NAME = 28; // in characters: a table with such a name has a wider column for names and moves
const LEAST_BELOW = [12.5, 4, 3, 3]; // in rem, by the number of tables: the room for moves beside or below the names

// --- which slides there are -----------------------------------------------------------------------------------------

const slides = () => [...main.querySelectorAll("[data-slide]")];
const kind = (slide) => slide.dataset.slide;
const tables = () => [...main.querySelectorAll("#part-tables .table")];

function worth(slide) {
  switch (kind(slide)) {
    case "tables": return tables().length > 0;
    case "welcome": return main.ownerDocument.querySelector("[data-state=waiting]") !== null || slides().every((one) => one === slide || !worth(one));
    default: return true;
  }
}

/** Every page of every slide, in the order in which they are shown. Boards come back after each other slide. */
function programme() {
  const found = [];
  const live = slides().find((one) => kind(one) === "tables" && worth(one));
  const pages = live ? Math.ceil(tables().length / MOST_TABLES) : 0;
  let turn = 0;
  const others = slides().filter((one) => one !== live && worth(one));
  if (live && others.length === 0) others.push(null);
  for (const slide of others) {
    if (live && (slide === null || kind(slide) !== "podium")) found.push({ slide: live, page: turn++ % pages, name: "tables" });
    if (slide === null) continue;
    for (let page = 0; page < count(slide); page++) found.push({ slide, page, name: kind(slide) });
  }
  for (; turn < pages; turn++) found.push({ slide: live, page: turn % pages, name: "tables" });
  // by which an entry is found again when its slide was replaced: there may be several of one kind
  const alike = new Map();
  for (const entry of found) {
    const number = alike.get(entry.name) ?? 0;
    alike.set(entry.name, number + 1);
    entry.key = `${entry.name} ${number}`;
  }
  return found;
}

// --- pages of a slide that is too long --------------------------------------------------------------------------------

/** How many pages a slide's rows take; each row is measured once, on a slide that is laid out. */
function count(slide) {
  return split(slide).length;
}

function split(slide) {
  const table = slide.querySelector("[data-rows]");
  const list = slide.querySelector(".coming");
  const rows = table ? [...table.tBodies[0].rows] : list ? [...list.children] : [];
  if (rows.length === 0) return [[]];
  const room = slide.clientHeight - (table ? (table.tHead?.offsetHeight ?? 0) : 0) - other(slide, table ?? list);
  const pages = [[]];
  let used = 0;
  for (const row of rows) {
    row.hidden = false;
    const high = row.offsetHeight || 1;
    if (used + high > room && pages.at(-1).length) { pages.push([]); used = 0; }
    pages.at(-1).push(row);
    used += high;
  }
  return pages;
}

function other(slide, long) {
  const style = getComputedStyle(slide);
  let used = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom) + 8;
  for (const child of slide.children) if (!child.contains(long)) used += child.offsetHeight + 12;
  return used;
}

/** A table with many columns, or long names, is written smaller, so that nothing is cut. */
function fit(slide) {
  const cross = slide.querySelector(".cross");
  cross?.style.removeProperty("--cross");
  for (let size = 1.1; size > .6 && cross && cross.offsetHeight > cross.parentElement.clientHeight; size -= .1) cross.style.setProperty("--cross", `${size}rem`);
  const table = slide.querySelector("[data-rows]");
  if (!table) return;
  table.style.fontSize = "";
  for (let size = 1; size > .6 && table.scrollWidth > table.parentElement.clientWidth; size -= .08) table.style.fontSize = `${size}rem`;
}

function turnTo(slide, page) {
  fit(slide);
  const pages = split(slide);
  pages.forEach((rows, at) => rows.forEach((row) => { row.hidden = at !== page; }));
  slide.dataset.pages = pages.length > 1 ? `${page + 1} / ${pages.length}` : "";
}

function seat(page) {
  const all = tables();
  const here = all.slice(page * MOST_TABLES, (page + 1) * MOST_TABLES);
  for (const table of all) table.hidden = !here.includes(table);
  const grid = main.querySelector(".tablegrid");
  if (grid) grid.dataset.count = here.length;
  grid?.classList.toggle("many", here.length > 2);
  for (const table of here) {
    fitNames(table, here.length);
    fitMoves(table);
  }
}

/** Names that do not fit are written smaller, the tallest first, so that short names stay large and moves have room. */
function fitNames(table, count) {
  const names = [...table.querySelectorAll(".sides .who")];
  table.classList.toggle("longnames", names.some((name) => name.textContent.length > LONG_NAME));
  const least = LEAST_NAMES[count > 2 ? 1 : 0];
  const room = (count === 1 && names.length > 2 ? 10 : LEAST_BELOW[count - 1]) * parseFloat(getComputedStyle(root).fontSize);
  const sizes = new Map();
  for (const name of names) {
    name.classList.remove("broken");
    name.style.fontSize = "";
    sizes.set(name, parseFloat(getComputedStyle(name).fontSize));
  }
  for (;;) {
    const wide = names.find((name) => isCut(name) && !name.classList.contains("broken"));
    if (wide && sizes.get(wide) <= least) { wide.classList.add("broken"); continue; } // its longest word is a line
    const smaller = wide ?? (hasRoom(table, room) ? undefined : tallest(names.filter((name) => sizes.get(name) > least && isTall(name))));
    if (!smaller) return;
    sizes.set(smaller, Math.max(sizes.get(smaller) - 2, least));
    smaller.style.fontSize = `${sizes.get(smaller)}px`;
  }
}

const isCut = (name) => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 2;

/** Whether a row is as high as it is because of its name, not because of the points. */
const isTall = (name) => name.offsetHeight > (name.parentElement.querySelector(".points")?.offsetHeight ?? 0);

const tallest = (names) => names.reduce((one, other) => (one && one.offsetHeight >= other.offsetHeight ? one : other), undefined);

function hasRoom(table, room) {
  const stage = table.querySelector("figcaption > small").getBoundingClientRect();
  return stage.bottom <= table.getBoundingClientRect().bottom && table.querySelector(".below").clientHeight >= room;
}

/** The last moves are written smaller before the oldest of them is out of sight. */
function fitMoves(table) {
  const list = table.querySelector(".moves");
  list.style.fontSize = "";
  const isFull = () => list.scrollWidth > list.clientWidth || list.scrollHeight > list.clientHeight + 1;
  for (let size = 1.1; size > .84 && isFull(); size -= .05) list.style.fontSize = `${size}rem`;
}

// --- turning over -------------------------------------------------------------------------------------------------------

function show(entry, turned = false) {
  if (!entry) return;
  const before = main.querySelector(".current");
  if (before !== entry.slide) {
    before?.classList.remove("current", "enter");
    entry.slide.classList.add("current");
    if (turned) entry.slide.classList.add("enter");
  }
  if (entry.name === "tables") seat(entry.page);
  else turnTo(entry.slide, entry.page);
  state.at = entry.name;
  state.key = entry.key;
  root.dataset.slide = entry.name;
}

let step = 0;
function go(by) {
  const all = programme();
  if (all.length === 0) return;
  const here = all[step % all.length];
  if (by !== 0 || !here) step = (step + by + all.length) % all.length;
  else if (here.key !== state.key) step = Math.max(all.findIndex((one) => one.key === state.key), 0);
  step %= all.length;
  const before = state.key;
  show(all[step], by !== 0);
  dots(all.length, step);
  // what only changes where it is stays for as long as it would have stayed
  if (by !== 0 || before !== state.key || state.timer === null) wait();
}

/** To the first page of a slide, now. */
function jump(name) {
  clearTimeout(state.timer);
  state.timer = null;
  state.key = `${name} 0`;
  step = Math.max(programme().findIndex((one) => one.key === state.key), 0);
}

function dots(count, at) {
  const list = document.querySelector(".dots");
  while (list.childElementCount < count) list.append(document.createElement("li"));
  while (list.childElementCount > count) list.lastChild.remove();
  [...list.children].forEach((dot, number) => dot.classList.toggle("here", number === at));
}

function wait() {
  clearTimeout(state.timer);
  state.timer = null;
  if (state.paused) return;
  const longer = { tables: 2, podium: 3 }[state.at] ?? 1;
  state.timer = setTimeout(() => go(1), 1000 * SECONDS * longer);
}

function pause(on = !state.paused) {
  state.paused = on;
  document.getElementById("paused").hidden = !on;
  document.querySelector("[data-press=pause]").setAttribute("aria-pressed", on);
  root.classList.toggle("paused", on);
  wait();
}

// --- moments ----------------------------------------------------------------------------------------------------------------

/** A game that has just become public is told large, once, unless they come faster than one can read. */
function newest() {
  const latest = document.querySelector("#part-games .latest");
  const before = state.newest;
  state.newest = latest?.dataset.game ?? "";
  if (!latest || before === state.newest) return;
  const now = performance.now();
  const soon = now - state.shownAt < 12000;
  state.shownAt = now;
  if (soon || state.at === "podium") return;
  const card = document.getElementById("reveal");
  const words = document.createElement("p");
  words.append(...latest.querySelector("a").cloneNode(true).childNodes);
  words.querySelectorAll(".unseen").forEach((one) => one.remove());
  card.replaceChildren(words);
  card.classList.add("on");
  clearTimeout(state.between);
  state.between = setTimeout(() => card.classList.remove("on"), 5000);
}

/** The first game of many: all look at the boards. */
function begun() {
  const there = tables().length > 0;
  if (there && !state.playing && !state.paused && state.at !== "podium") jump("tables");
  state.playing = there;
}

function podium() {
  const there = main.querySelector("#part-podium [data-slide]") !== null;
  if (there && !state.podium && state.started) { // now it is over: everybody looks up
    jump("podium");
    main.querySelector("#part-podium [data-slide]").classList.add("unveiled");
  }
  state.podium = there;
}

/** The series that comes next, below every slide. */
function soon() {
  const place = document.getElementById("soon");
  const next = main.querySelector("#part-next .coming li strong");
  place.hidden = next === null;
  place.classList.toggle("long", (next?.textContent.length ?? 0) > LONG_NAME);
  place.querySelector("span").replaceChildren(...(next?.cloneNode(true).childNodes ?? []));
}

document.addEventListener("botequim:board", ({ detail }) => {
  if (!detail.figure.hidden) fitMoves(detail.figure);
});
document.addEventListener("botequim:part", ({ detail }) => {
  if (detail.id === "next") soon();
  if (detail.id === "games") newest();
  if (detail.id === "podium") podium();
  if (detail.id === "tables") begun();
  go(0);
});

// --- keys, and staying awake ----------------------------------------------------------------------------------------------------

function fill() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.().catch(() => {});
}

function speak() {
  const here = new URL(location.href);
  here.searchParams.set("lang", root.lang.startsWith("pt") ? "en" : "pt_BR");
  location.replace(here);
}

const keys = {
  " ": () => pause(), ArrowRight: () => go(1), ArrowLeft: () => go(-1),
  f: fill, l: speak, t: () => document.dispatchEvent(new CustomEvent("botequim:theme")),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, input, select")) return;
  if (event.key === " " && event.target.closest("button")) return; // the browser presses it
  const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!key) return;
  event.preventDefault();
  key();
});
const presses = { back: () => go(-1), pause: () => pause(), skip: () => go(1) };
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-press]");
  if (!button) return;
  presses[button.dataset.press]?.();
  if (event.detail > 0) button.blur(); // after a mouse, space pauses again
});
document.addEventListener("dblclick", (event) => { if (!event.target.closest("button")) fill(); });

async function stayAwake() {
  try { await navigator.wakeLock?.request("screen"); } catch { /* the projector has its own mind */ }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) stayAwake(); });
addEventListener("resize", () => go(0));

stayAwake();
state.newest = document.querySelector("#part-games .latest")?.dataset.game ?? "";
podium();
soon();
state.playing = tables().length > 0;
state.started = true;
const first = programme();
state.key = first[0]?.key ?? "";
pause(state.paused);
go(0);
