// The Play page: the name, who plays, and what this browser remembers of earlier games.
import { ask, button, element, find, forgetTable, remember, remembered, statistics, word } from "./play-common.js";

// --- the name ----------------------------------------------------------------------------------------------------------

const field = find("name");
field.value = remembered("name", "") || field.value;
field.addEventListener("focus", () => field.select());

document.addEventListener("submit", (event) => {
  const name = field.value.trim();
  if (name) remember("name", name);
  const own = event.target.elements.namedItem("name");
  if (own && own !== field && name) own.value = name;
});

// --- how strong the champions are --------------------------------------------------------------------------------------

const levels = [...document.querySelectorAll("[name=level]")];
const level = () => levels.find((one) => one.checked)?.value ?? "champion";

function useLevel() {
  for (const hidden of document.querySelectorAll("[data-level]")) hidden.value = level();
  for (const select of document.querySelectorAll(".table-form select[name^=seat-]")) {
    if (select.value.startsWith("champion")) set(select, level());
  }
}

/** Choose a value if there is such a player; otherwise it stays as it is. */
function set(select, value) {
  if ([...select.options].some((one) => one.value === value)) select.value = value;
}

for (const one of levels) {
  if (one.value === remembered("level", "")) one.checked = true;
  one.addEventListener("change", () => { remember("level", level()); useLevel(); });
}
if (levels.length) useLevel();

// --- who plays ---------------------------------------------------------------------------------------------------------

/** Return who sits where, by the name of a preset. */
function seating(preset, teams, count) {
  const partners = teams.find((team) => team.includes(0)) ?? [0];
  const rival = [...Array(count).keys()].find((seat) => !partners.includes(seat));
  const rest = { champions: level(), partner: level(), rivals: level(), friends: "friend", open: "open" }[preset];
  return [...Array(count).keys()].map((seat) => {
    if (seat === 0) return "me";
    if (preset === "partner" && partners.includes(seat)) return "friend";
    if (preset === "rivals" && seat === rival) return "friend";
    if (preset === "open" && partners.length > 1) return seat === rival ? "open" : level();
    return rest;
  });
}

for (const form of document.querySelectorAll(".table-form")) {
  const teams = JSON.parse(form.dataset.teams);
  const seats = [...form.querySelectorAll("[data-seat] select")];
  const players = form.elements.namedItem("players");
  const count = () => Number(players?.value ?? seats.length);
  const showSeats = () => seats.forEach((select, at) => {
    select.closest("[data-seat]").hidden = at >= count();
    select.disabled = at >= count();
  });
  players?.addEventListener("change", showSeats);
  showSeats();
  const pressed = [...form.querySelectorAll("[data-preset]")];
  for (const one of pressed) {
    one.addEventListener("click", () => {
      seating(one.dataset.preset, teams, count()).forEach((value, at) => set(seats[at], value));
      for (const other of pressed) other.setAttribute("aria-pressed", String(other === one));
    });
  }
  for (const select of seats) {
    select.addEventListener("change", () => {
      for (const other of pressed) other.setAttribute("aria-pressed", "false");
      // exactly one seat is mine
      if (select.value === "me") for (const other of seats) if (other !== select && other.value === "me") set(other, level());
    });
  }
}

// A form that was refused is shown again as it was, so that only what was wrong has to be changed.
const refused = document.querySelector("[role=alert]") !== null;

for (const form of document.querySelectorAll(".table-form")) {
  const game = form.elements.namedItem("game").value;
  const fields = [...form.elements].filter((one) => one.name && one.type !== "hidden");
  form.addEventListener("submit", () => {
    remember("form", { game, values: fields.map((one) => (one.type === "checkbox" ? one.checked : one.value)) });
  });
  const last = remembered("form", null);
  if (!refused || last?.game !== game || last.values.length !== fields.length) continue;
  form.closest("details").open = true;
  fields.forEach((one, at) => {
    if (one.type === "checkbox") one.checked = last.values[at];
    else one.value = last.values[at];
  });
  form.elements.namedItem("players")?.dispatchEvent(new Event("change"));
}

document.querySelector("[data-chosen]")?.scrollIntoView();

// --- what this browser remembers ---------------------------------------------------------------------------------------

for (const card of document.querySelectorAll(".gamecard")) {
  const mine = statistics(card.dataset.game);
  if (mine.won + mine.lost + mine.drew === 0) continue;
  const place = card.querySelector(".stats");
  place.hidden = false;
  place.textContent = word("stats", mine) + (mine.streak > 1 ? ` · ${word("streak", { count: mine.streak })}` : "");
}

const MOST_LISTED = 6;
const DAY = 24 * 3600 * 1000;

function listGames() {
  const place = find("games");
  if (place === null) return;
  const games = remembered("games", []).filter((one) => one.phase !== "over" || Date.now() - one.when < DAY).slice(0, MOST_LISTED);
  find("mine").hidden = games.length === 0;
  place.replaceChildren(...games.map((one) => {
    const state = one.phase === "over" ? "over" : one.phase === "waiting" ? "waiting" : one.mine ? "your_turn" : "going_on";
    const link = element("a", { class: one.phase === "over" ? "button" : "button main", href: one.address }, word(one.phase === "over" ? "look" : "continue"));
    const remove = button("✕", () => { forgetTable(one.address); listGames(); }, { "aria-label": `${word("forget")}: ${one.title}`, title: word("forget") });
    return element("li", {}, element("span", {}, element("b", {}, one.title), ` ${(one.names ?? []).join(", ")} · ${word(state)}`), element("span", { class: "choices" }, link, remove));
  }));
}

listGames();
// a table that is gone is not offered
for (const one of remembered("games", []).slice(0, MOST_LISTED)) {
  ask(one.address).then((answer) => { if (answer.status === 404) { forgetTable(one.address); listGames(); } });
}
