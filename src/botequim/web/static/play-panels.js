// Everything around the table: players, moves, links, rules, dialogs.
import { ask, button, element, find, word, write } from "./play-common.js";

const { base, seat: mySeat, watch, where } = document.body.dataset;

// --- players -----------------------------------------------------------------------------------------------------------

/** Show the players as lines of text; on a phone they replace the drawn seats. */
export function showSeats(told) {
  const list = find("seats");
  if (list.childElementCount !== told.seats.length) {
    list.replaceChildren(...told.seats.map(() => element("li", {},
      element("span", { class: "who" }, element("bdi", { class: "name" }), element("span", { class: "mine" })),
      element("span", { class: "what" }, element("b", { class: "team", "aria-hidden": "true" }), element("span", { class: "count" }), element("b", { class: "score" }), element("span", { class: "state" }), element("b", { class: "now" }), element("span", { class: "clock" })))));
    list.style.setProperty("--seats", told.seats.length);
  }
  list.classList.toggle("many", told.seats.length > 4);
  const hasTeams = new Set(told.seats.map((one) => one.team)).size < told.seats.length;
  told.seats.forEach((one, at) => showSeat(list.children[at], one, at, told, hasTeams));
}

function showSeat(line, one, at, told, hasTeams) {
  const acts = told.movers.includes(at) && told.phase === "playing" && one.here;
  line.classList.toggle("acts", acts);
  line.classList.toggle("you", one.kind === "you");
  line.classList.toggle("away", one.name !== "" && !one.here);
  const part = (name) => line.querySelector(`.${name}`);
  write(part("team"), hasTeams ? (one.team === 0 ? "●" : "◆") : "");
  part("team").className = `team team${one.team}`;
  write(part("name"), one.name || word("free_seat"));
  const mine = told.you && told.seats[told.you.seat];
  const role = one.kind === "you" ? word("you") : mine && hasTeams && one.team === mine.team ? word("partner") : "";
  write(part("mine"), role && ` (${role})`);
  write(part("count"), one.count === null || one.count === undefined ? "" : `×${one.count}`);
  write(part("score"), one.score ?? "");
  const state = one.substitute ? word("substitute") : one.name && !one.here ? word("away") : one.note ?? "";
  write(part("state"), acts ? "" : state);
  write(part("now"), acts ? word("to_move") : "");
  const spoken = [one.name || word("free_seat"), role, one.count != null && word("pieces", { count: one.count }), one.score && word("score", { score: one.score }), acts && word("to_move"), state];
  line.setAttribute("aria-label", spoken.filter(Boolean).join(", "));
}

// --- moves and watchers ------------------------------------------------------------------------------------------------

export function showMoves(told) {
  const list = find("moves");
  const now = JSON.stringify(told.moves);
  if (list.dataset.now !== now) {
    list.dataset.now = now;
    list.replaceChildren(...told.moves.map((text) => element("li", {}, text)));
  }
  const notes = [told.repeats && word("repeats"), told.watchers > 0 && word("watchers", { count: told.watchers })];
  write(find("watchers"), notes.filter(Boolean).join(" "));
  const isMatch = told.best_of > 1;
  write(find("match"), isMatch ? ` · ${word("game_of", { number: told.game, of: told.best_of })}` : "");
  write(find("known"), told.repeats ? ` · ${word("known_deal")}` : "");
  write(find("wins"), isMatch ? ` · ${told.won.join(" : ")}` : "");
}

// --- links -----------------------------------------------------------------------------------------------------------------

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;
const origin = () => where || location.origin;

/** A link as people need it on a phone of their own: a field to copy from, a code to scan, and a button to share. */
export function linkBox(title, address, code) {
  const whole = new URL(address, `${origin()}/`).href;
  const field = element("input", { type: "text", readonly: true, value: whole, "aria-label": title, onfocus: () => field.select() });
  const said = element("span", { role: "status", class: "quiet" });
  const copy = async () => {
    field.focus();
    field.select();
    try {
      await navigator.clipboard.writeText(whole);
      write(said, word("copied"));
    } catch { write(said, word("selected")); } // plain HTTP has no clipboard
  };
  const row = element("div", { class: "linkrow" }, field, button(word("copy"), copy));
  if (navigator.share) row.append(button(word("share"), () => navigator.share({ title: document.title, url: whole }).catch(() => {})));
  const box = element("div", { class: "link" }, element("h3", {}, title), row, said);
  if (code instanceof Element) box.append(code);
  else if (code) box.append(element("img", { class: "qr", src: code, alt: word("code_of"), onerror: (event) => event.target.remove() }));
  return box;
}

const codeOf = (path) => `${base}/qr?path=${encodeURIComponent(path)}`;
const invitations = (told) => told.seats.map((one, at) => ({ ...one, at })).filter((one) => one.invitation);

async function startNow() {
  const answer = await ask(`${base}/start`, {});
  if (!answer.ok) find("invite").append(element("p", { role: "alert", class: "warn" }, answer.detail || word("failed")));
}

/** While seats are free, the creator sees how to fill them. */
export function showInvitations(told) {
  const place = find("invite");
  const waits = told.phase === "waiting" && told.you !== null;
  place.hidden = !waits;
  if (!waits) return;
  const now = JSON.stringify([invitations(told).map((one) => one.invitation), told.you.can_start]);
  if (place.dataset.now === now) return;
  place.dataset.now = now;
  const boxes = invitations(told).map((one) => {
    const box = linkBox(word("invitation", { seat: one.at + 1 }), one.invitation, codeOf(one.invitation));
    if (one.open) box.append(element("p", {}, word("open_how")));
    return box;
  });
  const local = LOOPBACK.test(new URL(origin()).hostname) ? [element("p", { class: "warn" }, word("local_only"))] : [];
  const start = told.you.can_start ? [element("p", { class: "choices" }, button(word("start_now"), startNow, { class: "main" }))] : [];
  place.replaceChildren(element("h2", {}, word("invite_head")), ...start, ...(boxes.length ? [element("p", {}, word("invite_how")), ...local] : []), ...boxes);
}

export function showLinks(told) {
  const boxes = invitations(told).map((one) => linkBox(word("invitation", { seat: one.at + 1 }), one.invitation, codeOf(one.invitation)));
  boxes.push(linkBox(word("watch_link"), told.watch || watch));
  if (mySeat) boxes.push(linkBox(word("own_link"), base, codeOf(base)));
  find("share-text").replaceChildren(...boxes);
}

// --- rules and dialogs -----------------------------------------------------------------------------------------------------

const wide = matchMedia("(min-width: 60rem)");

/** Open a dialog. Rules and reviews stand beside the table where there is room, so that the game goes on. */
export function open(name) {
  const dialog = find(name);
  if (dialog.open) return dialog.close();
  const beside = ["rules", "review"].includes(name) && wide.matches;
  if (beside) dialog.show();
  else dialog.showModal();
}

export async function openRules() {
  const place = find("rules-text");
  open("rules");
  if (place.dataset.loaded) return;
  const answer = await ask(`${base}/rules`);
  if (!answer.ok) return write(place, word("failed"));
  place.dataset.loaded = "1";
  place.innerHTML = answer.content;
}

export function closeAll() {
  const opened = [...document.querySelectorAll("dialog[open]")];
  for (const dialog of opened) dialog.close();
  return opened.length > 0;
}

export function toggleSide() {
  const opened = document.body.classList.toggle("side-open");
  find("more").setAttribute("aria-expanded", String(opened));
  if (opened) find("side").querySelector("button").focus();
  else find("more").focus();
}

export function showAdvice(lines) {
  find("advice-lines").replaceChildren(...lines.map((text) => element("p", {}, text)));
  find("advice").hidden = lines.length === 0;
}
