// The hand and the choices: tap, click, drag and keyboard all end in `play(choice)`.
import { isOverTable, lightTarget, showTargets, targetAt } from "./play-board.js";
import { button, element, find, word, write } from "./play-common.js";
import { wantsConfirmation } from "./play-settings.js";

const tray = find("tray");
const doing = find("doing");
const DRAG = 8; // pixels from where it is no tap any more
const LEAST = 44;
const GAP = 6;
const READABLE = 52; // the least height of a piece, if there is room for it

const state = {
  you: null, // what the server says of this seat
  active: false, // whether something can be played now
  chosen: null, // the index of the piece that waits for its place
  asked: null, // the choice that waits for a confirmation
  sent: null, // the choice that the server has not answered yet
  opened: false, // whether rare choices are shown
  hinted: "", // the move that was recommended
  send: () => {},
};

export const onPlay = (send) => { state.send = send; };
export const isBusy = () => state.chosen !== null || state.asked !== null;

/** Show the hand and the choices of a position. */
export function showHand(you, active) {
  const fresh = JSON.stringify([you.hand.map((one) => one.name), you.choices.map((one) => one.move)]);
  if (fresh !== state.key) Object.assign(state, { key: fresh, chosen: null, asked: null, opened: false, hinted: "" });
  Object.assign(state, { you, active: active && you.to_move, sent: null });
  if (!state.active) Object.assign(state, { chosen: null, asked: null });
  render();
}

export function waitForAnswer(choice) {
  Object.assign(state, { sent: choice, asked: null, chosen: null, active: false });
  render();
}

/** After a move that did not arrive: it can be tried again. */
export function giveBack() {
  Object.assign(state, { sent: null, active: state.you?.to_move ?? false });
  render();
}

export function blockHand() {
  Object.assign(state, { active: false, chosen: null, asked: null });
  if (state.you) render();
}

export function recommend(move) {
  state.hinted = move;
  render();
}

/** Where the piece of a move is on the screen, before it flies away. */
export function pieceRect(choice) {
  const at = state.you?.hand.findIndex((one) => one.name === choice?.piece) ?? -1;
  return at < 0 ? null : tray.children[at]?.getBoundingClientRect() ?? null;
}

// --- drawing -----------------------------------------------------------------------------------------------------------

const choicesOf = (piece) => piece.choices.map((at) => state.you.choices[at]);

function render() {
  renderTray();
  renderDoing();
  const places = state.active && state.chosen !== null && state.asked === null ? choicesOf(state.you.hand[state.chosen]) : [];
  showTargets(places.length > 1 ? places : [], settle);
  if (state.asked === null) return;
  showTargets([state.asked], () => settle(state.asked, true));
  lightTarget(state.asked.move);
}

function renderTray() {
  const { hand } = state.you;
  const names = hand.map((piece) => piece.name);
  const same = names.length === tray.childElementCount && names.every((name, at) => tray.children[at].dataset.name === name);
  if (!same) replacePieces(names);
  hand.forEach((piece, at) => updatePiece(tray.children[at], piece, at));
  rove([...tray.children].indexOf(document.activeElement));
}

/** Another hand: pieces that were not there before arrive. */
function replacePieces(names) {
  const focused = [...tray.children].indexOf(document.activeElement);
  const focusedName = tray.children[focused]?.dataset.name;
  const before = new Map();
  for (const one of tray.children) before.set(one.dataset.name, (before.get(one.dataset.name) ?? 0) + 1);
  const isFirst = tray.childElementCount === 0;
  tray.replaceChildren(...names.map((name, at) => {
    const known = before.get(name) ?? 0;
    before.set(name, known - 1);
    const one = makePiece(at);
    one.dataset.name = name;
    if (known < 1) {
      one.classList.add("new");
      one.style.animationDelay = isFirst ? `${at * 45}ms` : "0ms";
    }
    return one;
  }));
  fit();
  if (focused < 0 || !names.length) return;
  const again = [...tray.children].find((one) => one.dataset.name === focusedName);
  (again ?? tray.children[Math.min(focused, names.length - 1)]).focus({ preventScroll: true });
}

function makePiece(at) {
  const one = element("button", { type: "button", class: "piece", "data-at": at, tabindex: "-1" },
    element("span", { class: "drawing" }), element("span", { class: "peg", "aria-hidden": "true" }), element("kbd", { "aria-hidden": "true" }, at < 10 ? String((at + 1) % 10) : ""));
  one.addEventListener("click", () => choose(at));
  one.addEventListener("pointerdown", (event) => startDrag(event, at));
  return one;
}

function updatePiece(one, piece, at) {
  const active = state.active && state.you.to_move;
  const can = active && piece.choices.length > 0;
  const isChosen = state.chosen === at || state.asked?.at === at;
  const isHinted = state.hinted !== "" && choicesOf(piece).some((choice) => choice.move === state.hinted);
  const kinds = { can, cannot: active && !can, chosen: isChosen, sent: state.sent?.at === at, hinted: isHinted };
  for (const [kind, holds] of Object.entries(kinds)) one.classList.toggle(kind, Boolean(holds));
  const labels = [piece.label, can ? word("playable") : active ? word("not_playable") : "", isHinted ? word("recommended") : ""];
  one.setAttribute("aria-label", labels.filter(Boolean).join(", "));
  one.setAttribute("aria-disabled", String(!can));
  one.setAttribute("aria-pressed", isChosen ? "true" : "false");
  const drawing = `<svg class="bq" viewBox="0 0 ${piece.width} ${piece.height}" aria-hidden="true">${piece.drawing}</svg>`;
  if (one.drawing !== drawing) one.firstChild.innerHTML = one.drawing = drawing;
}

/** Make the pieces as large as they fit: in one row if a finger can hit each of them, else in more. */
function fit() {
  const { hand } = state.you;
  if (!hand.length) return;
  const style = getComputedStyle(tray);
  const room = tray.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const most = parseFloat(style.getPropertyValue("--most")) || 80;
  const ratio = Math.max(...hand.map((one) => one.height / one.width));
  let best = { width: 0, rows: 1 };
  for (let rows = 1; rows <= 6 && best.width * ratio < READABLE; rows++) {
    const each = Math.ceil(hand.length / rows);
    const across = (room - (each - 1) * GAP) / each;
    const high = rows === 1 ? most : Math.max((1.75 * most) / rows, READABLE);
    const width = Math.min(across - 4, high / ratio);
    if (across >= LEAST && width > best.width) best = { width, rows };
  }
  const perRow = Math.ceil(hand.length / best.rows);
  tray.style.setProperty("--piece", `${best.width.toFixed(1)}px`);
  tray.style.setProperty("--ratio", ratio);
  tray.style.setProperty("--row", perRow);
}

function renderDoing() {
  const { choices } = state.you;
  const rest = choices.filter((choice) => !choice.piece || !state.you.hand.some((one) => one.name === choice.piece));
  let buttons = [];
  if (state.sent) buttons = [element("span", { class: "quiet" }, word("sending"))];
  else if (state.asked) {
    buttons = [button(word("confirm", { label: state.asked.label }), () => settle(state.asked, true), { class: "main" }), takeBackButton()];
  } else if (state.active && state.chosen !== null) {
    const places = choicesOf(state.you.hand[state.chosen]);
    buttons = [...places.map((choice, at) => placeButton(choice, at)), takeBackButton()];
  } else if (state.active) {
    const often = rest.filter((choice) => !choice.rare || state.opened);
    const isUsual = rest.length === choices.length; // otherwise a piece can be played
    const kinds = (choice) => ["act-button", isUsual && "main", choice.move === state.hinted && "hinted"].filter(Boolean).join(" ");
    buttons = often.map((choice) => button(choice.label, () => settle(choice), { class: kinds(choice) }));
    if (rest.some((choice) => choice.rare)) {
      const toggle = () => { state.opened = !state.opened; render(); };
      buttons.push(button(word(state.opened ? "fewer" : "more"), toggle, { "aria-expanded": String(state.opened) }));
    }
  }
  const hadFocus = doing.contains(document.activeElement);
  doing.replaceChildren(...buttons);
  if (hadFocus) (doing.querySelector("button") ?? tray.querySelector("[tabindex='0']"))?.focus();
}

function placeButton(choice, at) {
  const one = button(choice.target_label || choice.label, () => settle(choice), {
    class: `place${choice.move === state.hinted ? " hinted" : ""}`, "data-move": choice.move, "aria-label": choice.label,
  });
  one.prepend(element("kbd", { "aria-hidden": "true" }, String(at + 1)));
  for (const kind of ["focus", "pointerenter"]) one.addEventListener(kind, () => lightTarget(choice.move));
  for (const kind of ["blur", "pointerleave"]) one.addEventListener(kind, () => lightTarget(null));
  return one;
}

const takeBackButton = () => button(element("span", {}, word("take_back")), takeBack, { class: "back", "aria-label": word("take_back") });

// --- playing -----------------------------------------------------------------------------------------------------------

/** A piece was tapped. */
function choose(at, byKey = false) {
  const piece = state.you.hand[at];
  if (!piece) return;
  if (state.sent) return;
  if (!state.active || !piece.choices.length) {
    say(piece.why || (state.you.to_move ? "" : word("not_turn")));
    tray.children[at].classList.add("shake");
    return;
  }
  if (state.chosen === at || state.asked?.at === at) return takeBack();
  const choices = choicesOf(piece);
  Object.assign(state, { chosen: at, asked: null });
  if (choices.length === 1) return settle(choices[0]);
  say(piece.question);
  render();
  if (byKey) doing.querySelector(".place")?.focus();
}

/** The place is known, too: play it, or ask first. */
function settle(choice, confirmed = false) {
  if (!state.active) return;
  const at = choice.at ?? state.chosen;
  const whole = { ...choice, at };
  if (wantsConfirmation() && !confirmed) {
    Object.assign(state, { asked: whole, chosen: null });
    render();
    say(null);
    doing.querySelector("button")?.focus({ preventScroll: true });
    return;
  }
  state.send(whole);
}

export function takeBack() {
  const at = state.chosen ?? state.asked?.at ?? null;
  Object.assign(state, { chosen: null, asked: null });
  render();
  say(null);
  if (at !== null) tray.children[at]?.focus({ preventScroll: true });
}

let usual = "", saidIn = "";

/** Tell the person something; null for what is usually said in this position. */
export function say(text) {
  write(find("status"), text ?? usual);
}

export function sayUsually(text, position) {
  if (usual === text && saidIn === position) return; // what was said in between stays
  [usual, saidIn] = [text, position];
  if (!isBusy()) say(null);
}

// --- drag and drop -----------------------------------------------------------------------------------------------------

let drag = null;
let dropped = false; // the click after a drop is none

function startDrag(event, at) {
  if (event.button > 0 || !state.active) return;
  drag = { at, x: event.clientX, y: event.clientY, id: event.pointerId, moves: false };
}

addEventListener("pointermove", (event) => {
  if (drag === null || event.pointerId !== drag.id) return;
  const across = event.clientX - drag.x, down = event.clientY - drag.y;
  const choices = choicesOf(state.you.hand[drag.at] ?? { choices: [] });
  if (!drag.moves) {
    if (Math.hypot(across, down) < DRAG || !choices.length) return;
    drag.moves = true;
    if (choices.length > 1) Object.assign(state, { chosen: drag.at, asked: null });
    render();
    tray.children[drag.at].classList.add("dragged");
  }
  tray.children[drag.at].style.transform = `translate(${across}px, ${down}px) scale(1.1)`;
  lightTarget(targetAt(event.clientX, event.clientY));
});

function endDrag(event, isDrop) {
  if (drag === null || event.pointerId !== drag.id) return;
  const { at, moves } = drag;
  drag = null;
  if (!moves) return;
  dropped = true;
  setTimeout(() => { dropped = false; }, 0);
  const one = tray.children[at];
  one?.classList.remove("dragged");
  const choices = choicesOf(state.you.hand[at] ?? { choices: [] });
  const isOver = isOverTable(event.clientX, event.clientY);
  const move = targetAt(event.clientX, event.clientY);
  const choice = choices.find((candidate) => candidate.move === move) ?? (choices.length === 1 && isOver ? choices[0] : null);
  if (isDrop && choice) {
    state.chosen = at;
    settle(choice);
  } else if (choices.length === 1 || !isOver) takeBack(); // over the table, the places stay lit: one of them can be tapped
  if (one) one.style.transform = "";
}

addEventListener("pointerup", (event) => endDrag(event, true));
addEventListener("pointercancel", (event) => endDrag(event, false));

// --- keyboard -----------------------------------------------------------------------------------------------------------

/** One piece can be reached with Tab; arrows go to the others. */
function rove(at) {
  const wanted = at >= 0 ? at : Math.max(0, [...tray.children].findIndex((one) => one.classList.contains("can")));
  [...tray.children].forEach((one, number) => { one.tabIndex = number === wanted ? 0 : -1; });
}

function step(list, by) {
  const all = [...list];
  const now = all.indexOf(document.activeElement);
  const first = Math.max(0, all.findIndex((one) => one.tabIndex === 0));
  const next = now < 0 ? first : (now + by + all.length) % all.length;
  all[next]?.focus();
  if (list === tray.children) rove(next);
}

/** Take a key. Return whether it meant something here. */
export function takeKey(event) {
  const { key } = event;
  const inPlaces = state.chosen !== null || state.asked !== null;
  if (/^[0-9]$/.test(key)) {
    const at = (Number(key) + 9) % 10;
    if (inPlaces) doing.querySelectorAll(".place")[at]?.click();
    else choose(at, true);
    return true;
  }
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (by) {
    const list = inPlaces || (doing.contains(document.activeElement) && doing.childElementCount > 1) ? doing.querySelectorAll("button") : tray.children;
    if (!list.length) return false;
    step(list, by);
    return true;
  }
  if (key === "Escape" && inPlaces) { takeBack(); return true; }
  if (key.toLowerCase() === "p" && state.active && !inPlaces) { doing.querySelector(".act-button")?.click(); return true; }
  return false;
}

if (tray) {
  // Enter on a piece goes on to its places
  tray.addEventListener("keydown", (event) => {
    const at = Number(event.target.closest(".piece")?.dataset.at ?? -1);
    if (at < 0 || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    choose(at, true);
  });
  tray.addEventListener("click", (event) => { if (dropped) event.stopPropagation(); }, true);
  tray.addEventListener("animationend", (event) => event.target.classList.remove("shake", "new"));
  new ResizeObserver(() => { if (state.you) fit(); }).observe(tray);
}
