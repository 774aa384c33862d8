// The picture of the table: pieces of SVG from the server, pieces that fly to their place, places to choose, remarks.
import { element, find, word, write } from "./play-common.js";
import { flightTime } from "./play-settings.js";

const SVG = "http://www.w3.org/2000/svg";
const READING = 5000;
const HANDS = ["#rock", "#paper", "#scissors", "#missing"];
const stage = find("stage");
const board = find("board");
const small = matchMedia("(max-aspect-ratio: 4/5), (max-height: 33rem)");
const parts = new Map(); // by name: the newest drawing of each part
let told = null;
let zoomedFrom = ""; // where and how large the pieces on the table were before the last move

/** A phone shows the table alone: seats are lines of text there. */
export const shape = () => (small.matches ? "table" : "desk");
export const onShape = (turn) => small.addEventListener("change", turn);

// --- the picture -------------------------------------------------------------------------------------------------------

/** Keep the drawings of a position, also of one that is not shown. `all` says that nothing of before is still valid. */
export function keepParts(drawings, all) {
  if (all) parts.clear();
  for (const [name, drawing] of Object.entries(drawings)) parts.set(name, drawing);
}

export function paint(position) {
  told = position;
  if (!parts.has("felt")) return stage.replaceChildren();
  const order = ["felt", "table", ...[...parts.keys()].filter((name) => /^\d+$/.test(name)).sort((a, b) => a - b)];
  const frame = [0, 0, ...position.size].join(" ");
  let picture = stage.querySelector("svg");
  if (picture === null || picture.getAttribute("viewBox") !== frame || picture.childElementCount !== order.length) {
    picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("class", "bq");
    picture.setAttribute("viewBox", frame);
    picture.setAttribute("role", "img");
    for (const name of order) picture.append(Object.assign(document.createElementNS(SVG, "g"), { drawing: "" }));
    stage.replaceChildren(picture);
  }
  picture.setAttribute("aria-label", position.told || document.body.dataset.title);
  const before = zoomOf(picture);
  order.forEach((name, at) => renew(picture.children[at], parts.get(name)));
  zoomedFrom = before === zoomOf(picture) ? "" : before;
}

function renew(piece, drawing) {
  if (piece.drawing === drawing) return;
  piece.drawing = drawing;
  piece.innerHTML = drawing;
}

/** Where and how large the pieces on the table are drawn, as CSS says it. */
function zoomOf(picture) {
  const { a, d, e, f } = picture.children[1]?.querySelector(":scope > g")?.transform.baseVal.consolidate()?.matrix ?? {};
  return a === undefined ? "" : `matrix(${a}, 0, 0, ${d}, ${e}, ${f})`;
}

// --- from units of the picture to the screen --------------------------------------------------------------------------

function onScreen(x, y, width, height) {
  const matrix = stage.querySelector("svg")?.getScreenCTM();
  if (!matrix) return null;
  return new DOMRect(matrix.a * x + matrix.e, matrix.d * y + matrix.f, matrix.a * width, matrix.d * height);
}

/** Where a seat is on the screen: its line of text on a phone, its place in the picture elsewhere. */
export function seatRect(seat) {
  const line = find("seats").children[seat]?.getBoundingClientRect();
  const box = told?.seat_boxes[seat];
  return (box && onScreen(...box)) || line || board.getBoundingClientRect();
}

export const isOverTable = (x, y) => {
  const place = board.getBoundingClientRect();
  return x > place.left && x < place.right && y > place.top && y < place.bottom;
};

// --- animation -----------------------------------------------------------------------------------------------------------

/** Show what happened in the position that is painted: resolves when it is over. */
export async function animate(position, from) {
  const time = flightTime();
  const picture = stage.querySelector("svg");
  if (!time || picture === null) return;
  const hands = [...picture.querySelectorAll("use")].filter((one) => HANDS.includes(one.getAttribute("href")));
  if (hands.length) return reveal(hands, time);
  const mark = picture.querySelector(".b-mark");
  const source = from ?? (position.mover === null ? null : seatRect(position.mover));
  const flight = mark && source && mark.tagName === "rect" ? fly(mark, source, time) : null;
  if (zoomedFrom) zoom(picture, time);
  return flight;
}

/** The pieces that lie on the table make room for the next one. */
function zoom(picture, time) {
  const table = picture.children[1].querySelector(":scope > g");
  table.classList.add("zooming");
  table.animate([{ transform: zoomedFrom }, { transform: zoomOf(picture) }], { duration: time, easing: "ease-in-out" });
}

/** Show at once where everything lies: a person who has moved does not wait for the moves before. */
export function endAnimations() {
  for (const one of board.getAnimations({ subtree: true })) if (one.effect.target.matches(".flying, .hand, .zooming")) one.finish();
}

/** Both hands of a round appear at the same moment. */
function reveal(hands, time) {
  const largest = hands.sort((one, other) => other.getBoundingClientRect().width - one.getBoundingClientRect().width).slice(0, 2);
  const frames = [
    { transform: "translateY(-14px) scale(.6)", opacity: 0, offset: 0 },
    { transform: "translateY(10px) scale(.75)", opacity: 0, offset: 0.3 },
    { transform: "translateY(-8px) scale(1.12)", opacity: 1, offset: 0.7 },
    { transform: "none", opacity: 1, offset: 1 },
  ];
  return Promise.all(largest.map((one) => {
    one.classList.add("hand");
    return one.animate(frames, { duration: time, easing: "ease-out" }).finished;
  })).catch(() => {});
}

const near = (one, other) => Math.abs(one - other) < 1.6;
const number = (one, name) => Number(one.getAttribute(name) ?? 0);

/** The piece inside of the ring flies from its player to its place. */
async function fly(mark, source, time) {
  const group = mark.parentNode;
  const piece = [...group.querySelectorAll(":scope > use")].find((one) => near(number(one, "x") + 1.2, number(mark, "x")) && near(number(one, "y") + 1.2, number(mark, "y")));
  if (!piece) return;
  const goal = mark.getBoundingClientRect();
  const around = board.getBoundingClientRect();
  const copy = document.createElementNS(SVG, "svg");
  const inside = document.createElementNS(SVG, "use");
  inside.setAttribute("href", piece.getAttribute("href"));
  copy.append(inside);
  copy.setAttribute("class", "bq flying");
  copy.setAttribute("viewBox", `0 0 ${number(mark, "width") + 2.4} ${number(mark, "height") + 2.4}`);
  Object.assign(copy.style, { left: `${goal.left - around.left}px`, top: `${goal.top - around.top}px`, width: `${goal.width}px`, height: `${goal.height}px` });
  find("flight").append(copy);
  const across = source.left + source.width / 2 - goal.left - goal.width / 2;
  const down = source.top + source.height / 2 - goal.top - goal.height / 2;
  const hidden = [piece, ...group.querySelectorAll(":scope > .b-mark, :scope > .b-halo, :scope > .b-flag")];
  for (const one of hidden) one.style.visibility = "hidden";
  const frames = [
    { transform: `translate(${across}px, ${down}px) scale(.8)`, opacity: 0.4 },
    { transform: `translate(${across * 0.35}px, ${down * 0.35 - 14}px) scale(1.25)`, opacity: 1, offset: 0.6 },
    { transform: "none", opacity: 1 },
  ];
  try {
    await copy.animate(frames, { duration: time, easing: "ease-in-out" }).finished;
  } catch { /* it was cancelled: it lies where it lies */ }
  copy.remove();
  for (const one of hidden) one.style.visibility = "";
}

// --- places to choose ---------------------------------------------------------------------------------------------------

const LEAST = 44;
let places = [];

/** Show where a piece can go. `choices` have a box each, in units of the picture, or none. */
export function showTargets(choices, pick) {
  places = choices.filter((choice) => choice.box);
  const number = (choice) => String(choices.indexOf(choice) + 1); // as on the buttons below
  find("targets").replaceChildren(...places.map((choice) => element("button", {
    type: "button", class: "target", "data-move": choice.move, "aria-label": choice.label, tabindex: "-1", onclick: () => pick(choice),
  }, element("span", { "aria-hidden": "true" }, number(choice)))));
  placeTargets();
}

function placeTargets() {
  const around = board.getBoundingClientRect();
  [...find("targets").children].forEach((one, at) => {
    const place = onScreen(...places[at].box);
    if (place === null) return;
    const width = Math.max(place.width, LEAST), height = Math.max(place.height, LEAST);
    const left = Math.min(Math.max(place.left + place.width / 2 - width / 2 - around.left, 0), around.width - width);
    const top = Math.min(Math.max(place.top + place.height / 2 - height / 2 - around.top, 0), around.height - height);
    Object.assign(one.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  });
}

/** Return the move whose place is under the finger, or null. */
export function targetAt(x, y) {
  const margin = 14;
  const hit = [...find("targets").children].find((one) => {
    const place = one.getBoundingClientRect();
    return x > place.left - margin && x < place.right + margin && y > place.top - margin && y < place.bottom + margin;
  });
  return hit?.dataset.move ?? null;
}

export function lightTarget(move) {
  for (const one of find("targets").children) one.classList.toggle("lit", one.dataset.move === move);
}

new ResizeObserver(() => { placeTargets(); placeBubbles(); }).observe(board);

// --- remarks ---------------------------------------------------------------------------------------------------------------

const heard = new Map(); // by seat: what is said, and until when it is seen

/** Show a remark beside its seat for as long as it takes to read it. `small` is for what a seat does without a piece. */
export function showRemark(seat, name, text, small = false) {
  const until = performance.now() + (small ? 2500 : READING + 40 * text.length);
  heard.set(seat, { name, text, small, until });
  showBubbles();
  setTimeout(showBubbles, until - performance.now() + 50);
}

function showBubbles() {
  for (const [seat, one] of heard) if (one.until < performance.now()) heard.delete(seat);
  const list = find("bubbles");
  const now = JSON.stringify([...heard]);
  if (list.dataset.heard === now) return;
  list.dataset.heard = now;
  list.replaceChildren(...[...heard].map(([seat, one]) => element("li", { "data-seat": seat, class: one.small ? "small" : "" },
    ...(one.small ? [] : [element("bdi", { class: "who" }, one.name), " "]), element("bdi", {}, one.text))));
  placeBubbles();
}

/** Each remark is below or above its seat; if another one is there already, farther down. */
function placeBubbles() {
  const around = board.getBoundingClientRect();
  const taken = [];
  for (const bubble of find("bubbles").children) {
    const seat = seatRect(Number(bubble.dataset.seat));
    const width = bubble.offsetWidth, height = bubble.offsetHeight;
    const isUpper = seat.top + seat.height / 2 - around.top < around.height / 2;
    const left = Math.min(Math.max(seat.left - around.left + 12, 6), Math.max(around.width - width - 6, 6));
    let top = Math.max(isUpper ? seat.bottom - around.top + 8 : seat.top - around.top - height - 8, 6);
    const hit = () => taken.find((one) => left < one.left + one.width && one.left < left + width && top < one.top + one.height && one.top < top + height);
    for (let other = hit(); other && top < around.height; other = hit()) top = other.top + other.height + 4;
    taken.push({ left, top, width, height });
    Object.assign(bubble.style, { left: `${left}px`, top: `${top}px` });
    bubble.classList.toggle("upper", isUpper);
  }
}

export const describe = (position) => write(find("told"), position.told || (position.phase === "waiting" ? word("waiting") : position.repeats ? word("repeats") : ""));
