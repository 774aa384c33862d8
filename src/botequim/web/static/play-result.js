// After a game: who won, what comes next, the champion's view of each move, statistics.
import { ask, button, countResult, element, find, statistics, word, write } from "./play-common.js";
import { linkBox, open } from "./play-panels.js";

const { base, game: gameName, seat: mySeat } = document.body.dataset;
const SIGNS = { won: "★ ", lost: "○ ", drew: "= " };

/** How the game ended for this person, as the banner says it. */
export const outcomeText = ({ you }) => (you ? SIGNS[you] + word(you) : word("over"));

/** A result counts once, also if its position was not shown because newer ones waited. */
export function countOutcome({ id, game, result }) {
  if (result?.you && result.counts) countResult(gameName, `${id}/${game}`, result.you);
}

export function showResult(told) {
  const place = find("result");
  const { result } = told;
  place.hidden = !result;
  document.body.classList.toggle("ended", Boolean(result));
  if (!result) {
    delete place.dataset.now;
    return;
  }
  const now = JSON.stringify([told.id, told.game, told.phase, result, told.you?.next]);
  if (place.dataset.now === now) return;
  place.dataset.now = now;
  place.replaceChildren(
    ...result.sentences.map((text) => element("p", {}, text)),
    ...facts(told).map((text) => element("p", { class: "quiet" }, text)),
    element("p", { class: "choices", id: "after" }, ...actions(told)),
    ...(result.earlier.length ? [element("p", { class: "quiet", id: "earlier" }, word("earlier"), ...earlierGames(result))] : []),
    element("div", { id: "challenge" }),
  );
}

function facts({ result, best_of: bestOf, won }) {
  const lines = [];
  if (result.you && !result.counts) lines.push(word("not_counted", { why: result.why_not }));
  if (bestOf > 1) lines.push(word("match_score", { score: won.join(" : ") }));
  if (mySeat) {
    const mine = statistics(gameName);
    const streak = mine.streak > 1 ? ` · ${word("streak", { count: mine.streak })}` : "";
    lines.push(word("stats", mine) + streak);
  }
  return lines;
}

const earlierGames = ({ earlier }) => earlier.flatMap(({ number, replay }) => [" ", element("a", { href: replay }, word("game", { number }))]);

function actions(told) {
  const { result } = told;
  const link = (name, address, extra = {}) => element("a", { class: "button", href: address, ...extra }, word(name));
  const links = [link("replay", result.replay), link("record", result.record, { download: true }), link("lobby", "/play")];
  if (!mySeat) return links;
  const again = result.next
    ? [button(word("next_game"), () => ask(`${base}/start`, {}), { class: "main" })]
    : [button(word("rematch"), () => playAgain("rematch"), { class: "main" }), button(word("swap"), () => playAgain("swap")), button(word("challenge"), () => playAgain("challenge"))];
  const { next } = told.you;
  const others = next ? [link("others", next)] : [];
  return [...others, ...again, button(word("review"), () => review(told)), ...links];
}

async function playAgain(how) {
  const answer = await ask(`${base}/again`, { how });
  if (!answer.ok) return write(find("status"), answer.detail || word("failed"));
  if (how !== "challenge") return location.assign(answer.content.address);
  const code = element("div", { class: "qr", role: "img", "aria-label": word("code_of") });
  code.innerHTML = answer.content.qr ?? "";
  const box = linkBox(word("challenge"), answer.content.address, answer.content.qr ? code : null);
  box.append(element("p", {}, word("challenge_how")));
  find("share-text").replaceChildren(box);
  open("share");
}

// --- the champion's view ---------------------------------------------------------------------------------------------------

async function review(told) {
  const place = find("review-text");
  open("review");
  while (find("review").open) {
    const answer = await ask(`${base}/review?game=${told.game}`);
    if (!answer.ok) return write(place, answer.detail || word("failed"));
    showReview(place, answer.content, told.result.replay);
    if (answer.content.ready >= answer.content.moves) return;
    await new Promise((wait) => setTimeout(wait, 1000));
  }
}

function verdict({ verdict: kind, best, chances: [chance, mine] }) {
  if (kind === "same") return `✓ ${word("same_move")}`;
  if (kind === "equal") return `✓ ${word("equal_move", { best })}`;
  return `≠ ${chance ? word("better_move", { best, chance, mine }) : word("other_move", { best })}`;
}

function showReview(place, { ready, moves, rows }, replay) {
  const same = rows.filter((row) => row.verdict !== "other").length;
  const head = moves === 0 ? word("review_none") : ready < moves ? word("reviewing", { ready, moves }) : word("reviewed", { same, moves });
  const list = rows.map((row) => element("li", { class: row.verdict },
    element("p", {}, element("a", { href: `${replay}/${row.turn}` }, word("turn", { turn: row.turn })), " ", element("b", {}, row.move), " ",
      element("span", {}, verdict(row))),
    element("details", {}, element("summary", {}, word("reasons")), ...row.lines.map((text) => element("p", { class: "quiet" }, text)))));
  const opened = [...place.querySelectorAll("details")].map((one) => one.open);
  place.replaceChildren(element("p", { role: "status" }, head), element("ol", { class: "review" }, ...list));
  place.querySelectorAll("details").forEach((one, at) => { one.open = opened[at] ?? false; });
}
