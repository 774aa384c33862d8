// The table: positions arrive from the server, are shown one after the other, and moves go back.
//
// Nothing is decided here: the server says what can be played, and why something cannot.
import { animate, describe, endAnimations, keepParts, onShape, paint, shape, showRemark } from "./play-board.js";
import { ask, button, find, forgetTable, rememberTable, word, write } from "./play-common.js";
import { closeAll, open, openRules, showAdvice, showInvitations, showLinks, showMoves, showSeats, toggleSide } from "./play-panels.js";
import { countOutcome, outcomeText, showResult } from "./play-result.js";
import { buzz, chime, flightTime, knock, listenToSettings, pauseTime } from "./play-settings.js";
import { blockHand, giveBack, isBusy, onPlay, pieceRect, recommend, say, sayUsually, showHand, takeBack, takeKey, waitForAnswer } from "./play-tray.js";

const { body } = document;
const { base, events, seat: mySeat, title } = body.dataset;
const UNANSWERED = 4000; // milliseconds after which a move that was accepted should have been seen
const HURRY = 8; // so many positions wait: they are not shown one by one
const line = { source: null, wait: 1000, timer: null, hidden: 0, whole: true, lost: false };
const table = { shown: null, queue: [], busy: false, sent: null, from: null, wasMine: false };

// --- the line to the server --------------------------------------------------------------------------------------

function connect() {
  clearTimeout(line.timer);
  line.source?.close();
  const address = new URL(events, location.href);
  address.searchParams.set("lang", document.documentElement.lang.replace("-", "_"));
  address.searchParams.set("shape", shape());
  const source = (line.source = new EventSource(address));
  source.addEventListener("open", () => { line.wait = 1000; line.whole = true; });
  source.addEventListener("error", () => {
    if (source !== line.source) return;
    setLost(true);
    if (source.readyState === EventSource.CLOSED) againLater();
  });
  source.addEventListener("table", (event) => {
    if (source === line.source) take(JSON.parse(event.data));
  });
}

/** The server refused the line: the browser does not ask again by itself. */
async function againLater() {
  line.timer = setTimeout(connect, line.wait * (0.7 + 0.6 * Math.random()));
  line.wait = Math.min(2 * line.wait, 15000);
  const answer = await ask(base);
  if (answer.status !== 404) return;
  clearTimeout(line.timer);
  forgetTable(base);
  write(find("line"), `${word("removed")} `);
  find("line").append(Object.assign(document.createElement("a"), { href: "/play", textContent: word("lobby") }));
}

function setLost(lost) {
  if (line.lost === lost) return;
  line.lost = lost;
  find("line").hidden = !lost;
  body.classList.toggle("lost", lost);
  if (lost) blockHand();
}

function take(told) {
  told.at = performance.now();
  setLost(false);
  if (line.whole) { // everything comes anew: nothing that waited is still of interest
    line.whole = false;
    table.queue.length = 0;
    keepParts(told.parts, true);
    show(told, false);
    return;
  }
  table.queue.push(told);
  advance();
}

// --- one position after the other ----------------------------------------------------------------------------------

async function advance() {
  if (table.busy) return;
  table.busy = true;
  while (table.queue.length) {
    const told = table.queue.shift();
    keepParts(told.parts, false);
    const skips = table.queue.length > 0 && (flightTime() === 0 || table.queue.length > HURRY);
    hear(told);
    if (skips) {
      countOutcome(told);
      continue;
    }
    const isNew = told.turn !== table.shown?.turn || told.game !== table.shown?.game;
    const from = isNew && told.mover !== null && String(told.mover) === mySeat ? table.from : null;
    if (isNew) table.from = null;
    show(told, isNew);
    if (!isNew) continue;
    await animate(told, from);
    knock();
    if (table.queue.length) await new Promise((rest) => setTimeout(rest, pauseTime()));
  }
  table.busy = false;
  settle();
}

function hear(told) {
  for (const said of told.says ?? []) {
    if (told.turn !== table.heardTurn || told.game !== table.heardGame || !table.heardSays?.includes(said.text)) showRemark(said.seat, said.name, said.text);
  }
  Object.assign(table, { heardTurn: told.turn, heardGame: told.game, heardSays: (told.says ?? []).map((one) => one.text) });
}

function show(told, isNew) {
  table.shown = told;
  if (table.sent && (told.turn !== table.sent.turn || told.game !== table.sent.game || !told.you?.to_move)) table.sent = null;
  showSeats(told);
  paint(told);
  describe(told);
  showMoves(told);
  showInvitations(told);
  countOutcome(told);
  showResult(told);
  if (isNew && told.mover !== null && told.seats[told.mover]?.note && !told.parts.table) showRemark(told.mover, told.seats[told.mover].name, told.seats[told.mover].note, true);
  if (isNew) showAdvice([]);
  settle();
}

/** What can be done in the newest position. */
function settle() {
  const told = table.shown;
  if (told === null) return;
  const mine = Boolean(told.you?.to_move) && table.queue.length === 0 && table.sent === null && !line.lost && told.phase === "playing" && !told.you.substitute;
  if (told.you) {
    if (table.sent === null) showHand(told.you, mine);
    sayUsually(told.problem || (told.you.to_move ? situation(told.you) : ""), `${told.game}/${told.turn}/${told.you.to_move}`);
    find("hint").disabled = !mine;
    find("hint").hidden = told.you.hints === false;
    find("leave").textContent = word(told.you.substitute ? "return" : "leave");
    find("leave").hidden = told.phase === "over";
  }
  if (!told.you && told.phase !== "over") write(find("status"), word("watching"));
  banner(told, mine);
  if (mine && !table.wasMine) { chime(); buzz(); }
  if (told.phase === "playing") announce(told, mine);
  table.wasMine = mine;
  if (mySeat) rememberTable(base, { game: body.dataset.game, title, names: told.seats.map((one) => one.name).filter(Boolean), phase: told.phase, mine });
}

/** What can be played and why; the banner says already whose turn it is. */
function situation(you) {
  const sentences = [...you.situation, ...(you.forced ? [word("only_choice")] : [])];
  return sentences.map((one) => one.replace(word("turn_sentence"), "").trim()).join(" ").trim();
}

function banner(told, mine) {
  const others = told.movers.filter((seat) => String(seat) !== mySeat);
  const names = (others.length ? others : told.movers).map((seat) => told.seats[seat].name);
  const waits = table.sent !== null;
  const playsForMe = Boolean(told.you?.replaced) && !told.you.to_move;
  let state = "other", text = playsForMe ? word("left") : told.movers.length > 0 && others.length === 0 ? word("turn_sentence") : names.length > 1 ? word("think", { names: names.join(", ") }) : names.length ? word("thinks", { name: names[0] }) : word("dealing");
  if (told.phase === "waiting") [state, text] = ["waiting", word("waiting")];
  else if (told.phase === "over" || told.result) [state, text] = ["over", told.result ? outcomeText(told.result) : word("over")];
  else if (told.you?.substitute) [state, text] = ["other", word(told.you.replaced ? "left" : "you_left")];
  else if (waits) [state, text] = ["sent", word("sending")];
  else if (mine) [state, text] = ["mine", word("your_turn")];
  else if (told.you?.chosen && others.length > 0) text = word("chosen");
  body.dataset.state = state;
  body.dataset.outcome = told.result?.you ?? "";
  write(find("turn"), text);
  const place = told.best_of > 1 ? ` (${told.won.join(":")})` : "";
  const wanted = state === "mine" ? `● ${word("your_turn")} – ${title}` : `${title}${place} · Botequim`;
  if (document.title !== wanted) document.title = wanted;
  const back = find("return");
  if (told.you?.substitute && !back) find("banner").append(button(word("return"), () => ask(`${base}/return`, {}), { id: "return", class: "main" }));
  else if (!told.you?.substitute) back?.remove();
}

/** For ears: the last move, and whose turn it is. */
function announce(told, mine) {
  if (table.queue.length) return;
  write(find("heard"), [told.told, mine ? word("your_turn") : ""].filter(Boolean).join(" "));
}

// --- clocks ---------------------------------------------------------------------------------------------------------------

function tick() {
  const told = table.shown;
  if (told === null) return;
  const passed = (performance.now() - told.at) / 1000;
  const left = (seconds, runs) => Math.max(0, Math.ceil(seconds - (runs ? passed : 0)));
  const mine = told.you?.seconds ?? null;
  write(find("clock"), mine === null || body.dataset.state !== "mine" ? "" : word("seconds", { seconds: left(mine, true) }));
  find("clock").classList.toggle("hurry", mine !== null && left(mine, true) <= 10);
  told.seats.forEach((one, at) => {
    const place = find("seats").children[at]?.querySelector(".clock");
    write(place, one.clock === null || one.clock === undefined ? "" : word("seconds", { seconds: left(one.clock, told.movers.includes(at)) }));
  });
}

// --- moves of this person ----------------------------------------------------------------------------------------------

async function send(choice) {
  const told = table.shown;
  const field = find("say");
  table.sent = { turn: told.turn, game: told.game };
  table.wasMine = false; // the next turn of this person is announced, even if it is the next position
  table.from = pieceRect(choice);
  endAnimations();
  waitForAnswer(choice);
  banner(told, false);
  const answer = await ask(`${base}/move`, { game: told.game, turn: told.turn, move: choice.move, say: field.value.trim() });
  if (answer.ok) {
    field.value = "";
    talk(false);
    const sent = table.sent;
    setTimeout(() => { if (sent !== null && table.sent === sent) connect(); }, UNANSWERED); // the line may be dead
    return;
  }
  table.sent = null;
  table.wasMine = true;
  if (answer.status === 409) connect();
  giveBack();
  settle();
  say(answer.status === 409 ? word("moved_on") : answer.detail || word("not_sent"));
}

async function hint() {
  if (find("hint").disabled) return;
  find("hint").disabled = true;
  const { turn } = table.shown;
  const answer = await ask(`${base}/hint`, {});
  settle();
  if (table.shown.turn !== turn) return;
  showAdvice(answer.ok ? answer.content.lines : [answer.detail || word("failed")]);
  if (answer.ok) recommend(answer.content.move);
}

async function leave() {
  const { you, phase } = table.shown;
  await ask(`${base}/${you.substitute ? "return" : "leave"}`, {});
  if (phase !== "waiting") return;
  if ((await ask(base)).status === 404) forgetTable(base); // the seat is free again
  location.assign("/play");
}

/** On a phone, the field for a remark is opened; elsewhere it is always there. */
function talk(opens = !body.classList.contains("talking")) {
  body.classList.toggle("talking", opens);
  find("talk").setAttribute("aria-expanded", String(opens));
  find("talk").classList.toggle("filled", find("say").value.trim() !== "");
  if (opens) find("say").focus();
  else find("say").blur();
}

// --- keys and buttons -------------------------------------------------------------------------------------------------

const presses = {
  rules: openRules, hint, leave, talk: () => talk(),
  settings: () => open("settings"), keys: () => open("keys"),
  share: () => { showLinks(table.shown); open("share"); },
  side: toggleSide,
  close: (from) => from.closest("dialog").close(),
  unadvise: () => showAdvice([]),
};

document.addEventListener("click", (event) => {
  const from = event.target.closest("[data-press]");
  if (from && presses[from.dataset.press]) presses[from.dataset.press](from);
  else if (event.target.tagName === "DIALOG") event.target.close(); // outside of an open dialog
});

const keys = { h: hint, r: openRules, s: () => mySeat && talk(true), "?": presses.keys };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) {
    if (["Escape", "Enter"].includes(event.key) && event.target.id === "say") talk(false);
    return;
  }
  if (document.querySelector("dialog:modal")) return;
  const isControl = event.target.closest("a, summary, ol");
  if (event.key === "Escape") {
    if (isBusy()) takeBack();
    else if (!find("advice").hidden) showAdvice([]);
    else if (!closeAll() && body.classList.contains("side-open")) toggleSide();
  } else if (mySeat && !isControl && table.shown?.you && takeKey(event)) event.preventDefault();
  else if (keys[event.key.toLowerCase()]) {
    event.preventDefault();
    keys[event.key.toLowerCase()]();
  }
});

// a phone shows four lines of a long sentence, and all of it if it is tapped
find("status").addEventListener("click", () => find("status").classList.toggle("whole"));

// --- a page that sleeps, turns or comes back ------------------------------------------------------------------------

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    line.hidden = Date.now();
    if (table.shown?.phase === "over") line.source?.close(); // a browser has few lines to a server, and other pages may need them
  } else if (line.source?.readyState === EventSource.CLOSED) connect();
  else if (Date.now() - line.hidden > 20000 || line.lost) connect(); // a phone that slept may not know that its line is dead
});
addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
addEventListener("online", connect);
addEventListener("offline", () => setLost(true));
onShape(() => connect());
setInterval(tick, 250);
listenToSettings();
onPlay(send);
connect();
