// What the Play page and the table share: texts, elements, what the browser remembers, requests.
const texts = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

/** A text of the page with its values, in the reader's language. */
export const word = (name, values = {}) => (texts[name] ?? name).replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

export const find = (id) => document.getElementById(id);

/** Return a new element. Names that begin with "on" are listeners, all others attributes. */
export function element(tag, attributes = {}, ...content) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) one.setAttribute(name, value === true ? "" : value);
  }
  one.append(...content);
  return one;
}

export const button = (text, press, attributes = {}) => element("button", { type: "button", onclick: press, ...attributes }, text);

/** Write a text only if it is another one, so that nothing is announced twice. */
export const write = (one, text) => { if (one && one.textContent !== text) one.textContent = text; };

// --- what this browser remembers -------------------------------------------------------------------------------------

export function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`play.${name}`)) ?? otherwise;
  } catch { return otherwise; }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`play.${name}`, JSON.stringify(value));
  } catch { /* a private window: it is forgotten */ }
}

const GAMES = 30;

/** Keep a table among "your games". */
export function rememberTable(address, fields) {
  const others = remembered("games", []).filter((one) => one.address !== address);
  remember("games", [{ address, ...fields, when: Date.now() }, ...others].slice(0, GAMES));
}

export function forgetTable(address) {
  remember("games", remembered("games", []).filter((one) => one.address !== address));
}

const COUNTED = 1000;
const NONE = { won: 0, lost: 0, drew: 0, streak: 0, best: 0 };

export const statistics = (game) => ({ ...NONE, ...remembered("stats", {})[game] });

/** Count a result, once for each game of each table. */
export function countResult(game, key, how) {
  const counted = remembered("counted", []);
  if (counted.includes(key)) return;
  remember("counted", [key, ...counted].slice(0, COUNTED));
  const all = remembered("stats", {});
  const mine = { ...NONE, ...all[game] };
  mine[how] += 1;
  mine.streak = how === "won" ? mine.streak + 1 : how === "lost" ? 0 : mine.streak;
  mine.best = Math.max(mine.best, mine.streak);
  remember("stats", { ...all, [game]: mine });
}

// --- requests ----------------------------------------------------------------------------------------------------------

const language = () => document.documentElement.lang.replace("-", "_");

/** Ask the server. Return the status (0 if it did not answer), the content, and the reason if it refused. */
export async function ask(address, body) {
  const asked = new URL(address, location.href);
  asked.searchParams.set("lang", language());
  const how = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(asked, { cache: "no-store", ...how });
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    const content = isJson && text ? JSON.parse(text) : text;
    const detail = answer.ok ? "" : isJson && typeof content.detail === "string" ? content.detail : "";
    return { ok: answer.ok, status: answer.status, content, detail };
  } catch {
    return { ok: false, status: 0, content: null, detail: "" };
  }
}
