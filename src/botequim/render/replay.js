"use strict";
// Shows pictures that were made beforehand, one after another. It draws nothing itself.
//
// The game stands in the page, in #game. On a site it is fetched: #game says from where (data-from), which move is
// shown first (data-move) and under which address moves are found (data-address); what the page has no place for is
// left out, and the language is the page's. A page in one file has the language that a link to it asks for (#lang=pt-BR),
// else the one that #game says (data-language), else the browser's. Whose hands are seen first, #game says in both cases (data-hands: hidden,
// open, or a seat from 1). On a site that stands in the address (hands), and links that follow it are marked: data-hands
// is "game" if they lead to the same game, "cup" if others may sit there, so that a seat's view means nothing.
(() => {
  const source = document.getElementById("game");
  const { from } = source.dataset;
  if (!from) return begin(source.textContent, source.dataset);
  const failed = () => {
    const told = document.getElementById("told");
    told.textContent = source.dataset.failed || "";
    document.documentElement.dataset.failed = "";
  };
  const fetched = (tries) => fetch(from).then((answer) => {
    if (answer.ok) return answer.text().then((packed) => begin(packed, source.dataset));
    if (answer.status !== 503 || tries === 0) throw new Error(answer.status);
    // it is being made, for us or for others
    return new Promise((wait) => setTimeout(wait, 1000 * (Number(answer.headers.get("retry-after")) || 3))).then(() => fetched(tries - 1));
  });
  fetched(20).catch(failed);
})();

function begin(packed, asked) {
  const at = (id) => document.getElementById(id) || document.createElement("i");
  const game = JSON.parse(new TextDecoder().decode(inflate(Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0)))));
  const languages = Object.keys(game.words);
  const linked = new URLSearchParams(location.hash.slice(1)).get("lang") || "";
  const browsers = navigator.languages || [navigator.language || ""];
  const spoken = asked.from ? [document.documentElement.lang] : [linked, asked.language || "", ...browsers];
  const wanted = spoken.map((name) => name.slice(0, 2));
  const speeds = [0.5, 1, 2, 4, 8];
  const turns = game.frames[languages[0]].wide.length;
  const state = {
    move: Math.min(Math.max(Number(asked.move) || 1, 1), turns),
    language: languages.find((name) => name.slice(0, 2) === wanted.find((wish) => languages.some((known) => known.slice(0, 2) === wish))) || languages[0],
    sight: Math.min({ hidden: 0, open: 1 }[asked.hands] ?? (Number(asked.hands) + 1 || 0), game.names.length + 1), // none, open, then the seats
    speed: 1,
    timer: null,
  };

  // each frame is stored as what changed since the one before
  const whole = {};
  for (const language of languages) {
    whole[language] = {};
    for (const shape of ["wide", "tall"]) {
      let frame = [];
      whole[language][shape] = game.frames[language][shape].map((changes, number) => {
        if (number === 0) return (frame = changes);
        frame = frame.slice();
        for (let k = 0; k < changes.length; k += 2) frame[changes[k]] = changes[k + 1];
        return frame;
      });
    }
  }

  const piece = (number) => (number >= 0 ? game.texts[number] : game.nodes[-number - 1].map(piece).join(""));

  const narrow = window.matchMedia("(max-aspect-ratio: 4/5)");

  function drawn() {
    const shape = narrow.matches ? "tall" : "wide";
    const frame = whole[state.language][shape][state.move - 1];
    const parts = [frame[0], frame[state.sight === 1 ? 2 : 1]];
    for (let seat = 0; 3 + 2 * seat < frame.length; seat++) {
      const shown = state.sight === 1 || state.sight === seat + 2;
      parts.push(frame[3 + 2 * seat + (shown ? 1 : 0)]);
    }
    const [width, height] = game.sizes[shape];
    return `<svg class="bq" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" aria-hidden="true">${parts.map(piece).join("")}</svg>`;
  }

  function told(move) {
    const number = game.told[state.language][move - 1];
    return game.texts[Array.isArray(number) ? number[state.sight] : number];
  }

  const word = (name) => game.words[state.language][name];

  function show() {
    at("stage").innerHTML = drawn();
    const words = told(state.move);
    at("stage").setAttribute("aria-label", words);
    if (at("told").textContent !== words) at("told").textContent = words;
    at("where").textContent = word("of").replace("##", turns).replace("#", state.move);
    at("position").value = state.move;
    at("first").disabled = at("back").disabled = state.move === 1;
    at("last").disabled = at("forward").disabled = state.move === turns;
    const playing = state.timer !== null;
    at("play").textContent = playing ? "❚❚" : "▶";
    at("play").setAttribute("aria-label", word(playing ? "pause" : "play"));
    at("play").title = word(playing ? "pause" : "play");
    for (const current of at("moves").querySelectorAll("[aria-current]")) current.removeAttribute("aria-current");
    const entry = at("moves").children[state.move - 1];
    if (entry) entry.firstChild.setAttribute("aria-current", "step");
    document.documentElement.dataset.move = state.move;
    if (asked.address) history.replaceState(history.state, "", `${asked.address}/${state.move}${follow(location.search)}`);
  }

  // the same question, about the hands that are seen
  function follow(question, least = 2) {
    const kept = new URLSearchParams(question);
    kept.delete("hands");
    if (state.sight === 0) kept.set("hands", "hidden");
    else if (state.sight >= least) kept.set("hands", state.sight - 1);
    return String(kept) && `?${kept}`;
  }

  function lead() {
    for (const link of document.querySelectorAll("a[data-hands]")) {
      const search = follow(link.search, link.dataset.hands === "cup" ? Infinity : 2);
      // a link to this very page has no path of its own: it leads to the move that is shown when it is followed
      if (link.getAttribute("href").startsWith("?")) link.setAttribute("href", search || "?");
      else link.search = search;
    }
  }

  function speak() {
    document.documentElement.lang = state.language.replace("_", "-");
    at("title").textContent = `${game.game}: ${game.names.join(" · ")}`;
    for (const name of ["first", "back", "forward", "last"]) {
      at(name).setAttribute("aria-label", word(name));
      at(name).title = word(name);
    }
    for (const labelled of document.querySelectorAll("[data-word]")) labelled.textContent = word(labelled.dataset.word);
    at("position").setAttribute("aria-label", word("position"));
    at("theme").setAttribute("aria-label", word("theme"));
    at("theme").title = word("theme");
    const other = next();
    at("language").textContent = game.languages[other];
    at("language").lang = other.replace("_", "-");
    at("language").title = `${word("language")}: ${game.languages[other]}`;
    at("language").setAttribute("aria-label", at("language").title);
    at("keys").textContent = word("keys");
    const sights = [word("none"), word("open"), ...game.names];
    const fast = (speed) => `${speed.toLocaleString(document.documentElement.lang)}×`;
    at("speed").replaceChildren(...speeds.map((speed) => new Option(fast(speed), speed, false, speed === state.speed)));
    at("hands").replaceChildren(...sights.map((name, number) => new Option(name, number, false, number === state.sight)));
    list();
  }

  function list() {
    at("moves").replaceChildren(...game.told[state.language].map((_, number) => {
      const entry = document.createElement("li");
      const button = document.createElement("button");
      button.textContent = told(number + 1) || "…";
      button.addEventListener("click", () => go(number + 1));
      entry.append(button);
      return entry;
    }));
  }

  function pause() {
    if (state.timer !== null) clearInterval(state.timer);
    state.timer = null;
  }

  function play() {
    pause();
    if (state.move === turns) state.move = 1;
    state.timer = setInterval(() => {
      if (state.move >= turns) pause();
      else state.move += 1;
      show();
    }, 1200 / state.speed);
    show();
  }

  function toggle() {
    if (state.timer === null) return play();
    pause();
    show();
  }

  function go(move) {
    pause();
    state.move = Math.min(Math.max(move, 1), turns);
    show();
  }

  function look(sight) {
    state.sight = Math.min(Math.max(sight, 0), game.names.length + 1);
    at("hands").value = state.sight;
    list();
    lead();
    show();
  }

  function hurry(by) {
    const place = Math.min(Math.max(speeds.indexOf(state.speed) + by, 0), speeds.length - 1);
    state.speed = speeds[place];
    at("speed").value = state.speed;
    if (state.timer !== null) play();
  }

  function next() {
    return languages[(languages.indexOf(state.language) + 1) % languages.length];
  }

  function translate() {
    if (asked.from) { // the whole page is to change
      const here = new URL(location.href);
      here.searchParams.set("lang", next());
      location.replace(here);
      return;
    }
    state.language = next();
    speak();
    show();
  }

  function turnLight() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  const keys = {
    " ": toggle, k: toggle,
    ArrowRight: () => go(state.move + 1), ArrowLeft: () => go(state.move - 1),
    Home: () => go(1), End: () => go(turns),
    "+": () => hurry(1), "=": () => hurry(1), "-": () => hurry(-1),
    o: () => look(1), l: translate,
    h: () => look(state.sight < 2 || state.sight > game.names.length ? 2 : state.sight + 1),
  };

  // A control keeps those of its own keys that do what our keys do not, as long as it was reached by keyboard:
  // who last used the mouse has no thought of where the focus is.
  const own = {
    A: ["Enter"], BUTTON: [" ", "Enter"], SUMMARY: [" ", "Enter"], INPUT: [],
    SELECT: [" ", "Enter", "ArrowUp", "ArrowDown", "PageUp", "PageDown"],
  };
  let pointed = false;
  let taken = "";
  document.addEventListener("pointerdown", () => { pointed = true; }, true);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const control = event.target.closest("a, button, select, input, summary");
    if (control && !pointed && own[control.tagName].includes(event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[0-9]$/.test(key)) {
      const sight = key === "0" ? 0 : Number(key) + 1;
      if (sight > game.names.length + 1) return;
      look(sight);
    } else if (keys[key]) keys[key]();
    else return;
    taken = event.key;
    event.preventDefault();
  });

  // some browsers press a button when space is let go
  document.addEventListener("keyup", (event) => {
    if (event.key === taken) event.preventDefault();
    taken = "";
  });

  let start = null;
  at("stage").addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
  at("stage").addEventListener("pointercancel", () => { start = null; });
  at("stage").addEventListener("pointerup", (event) => {
    if (start === null) return;
    const across = event.clientX - start[0];
    const down = Math.abs(event.clientY - start[1]);
    start = null;
    if (Math.abs(across) > 40 && Math.abs(across) > down) go(state.move + (across < 0 ? 1 : -1));
    else if (Math.abs(across) < 10 && down < 10) toggle();
  });

  at("first").addEventListener("click", () => go(1));
  at("back").addEventListener("click", () => go(state.move - 1));
  at("play").addEventListener("click", toggle);
  at("forward").addEventListener("click", () => go(state.move + 1));
  at("last").addEventListener("click", () => go(turns));
  at("position").max = turns;
  at("position").addEventListener("input", (event) => go(Number(event.target.value)));
  at("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); if (state.timer !== null) play(); });
  at("hands").addEventListener("change", (event) => look(Number(event.target.value)));
  at("language").addEventListener("click", translate);
  at("theme").addEventListener("click", turnLight);
  narrow.addEventListener("change", show);
  speak();
  show();
}

// What deflate has packed (RFC 1951), since not every browser can undo it by itself before a page is shown.
function inflate(packed) {
  let at = 0, bit = 0;
  let made = new Uint8Array(packed.length * 8), size = 0;
  const bits = (count) => {
    let value = 0;
    for (let k = 0; k < count; k++) {
      value |= ((packed[at] >> bit) & 1) << k;
      if (++bit === 8) { bit = 0; at++; }
    }
    return value;
  };
  const room = (more) => {
    if (size + more <= made.length) return;
    const larger = new Uint8Array(2 * made.length + more);
    larger.set(made.subarray(0, size));
    made = larger;
  };
  // a code: how many words of each length there are, and their symbols in order
  const code = (lengths) => {
    const counts = new Uint16Array(16), starts = new Uint16Array(17), symbols = [];
    for (const length of lengths) counts[length]++;
    counts[0] = 0;
    for (let k = 1; k < 16; k++) starts[k + 1] = starts[k] + counts[k];
    lengths.forEach((length, symbol) => { if (length) symbols[starts[length]++] = symbol; });
    return { counts, symbols };
  };
  const symbol = ({ counts, symbols }) => {
    let word = 0, first = 0, before = 0;
    for (let length = 1; length < 16; length++) {
      word |= bits(1);
      if (word - first < counts[length]) return symbols[before + word - first];
      before += counts[length];
      first = (first + counts[length]) << 1;
      word <<= 1;
    }
    throw new Error("the game in this page is damaged");
  };
  // lengths and distances: a base, and bits that are added to it
  const bases = (start, count, step) => {
    const found = [];
    for (let k = 0, base = start; k < count; k++) {
      const extra = Math.max(0, Math.floor(k / step) - 1);
      found.push([base, extra]);
      base += 1 << extra;
    }
    return found;
  };
  const spans = bases(3, 28, 4).concat([[258, 0]]), distances = bases(1, 30, 2);
  const fixed = [code(Array.from({ length: 288 }, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8))), code(Array(30).fill(5))];
  const told = () => {
    const literals = bits(5) + 257, reaches = bits(5) + 1, given = bits(4) + 4;
    const small = Array(19).fill(0);
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].slice(0, given).forEach((place) => { small[place] = bits(3); });
    const lengths = [], reading = code(small);
    while (lengths.length < literals + reaches) {
      const read = symbol(reading);
      if (read < 16) lengths.push(read);
      else {
        const again = read === 16 ? lengths[lengths.length - 1] : 0;
        for (let left = read === 16 ? 3 + bits(2) : read === 17 ? 3 + bits(3) : 11 + bits(7); left; left--) lengths.push(again);
      }
    }
    return [code(lengths.slice(0, literals)), code(lengths.slice(literals))];
  };
  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      if (bit) { bit = 0; at++; }
      const length = packed[at] | (packed[at + 1] << 8);
      room(length);
      made.set(packed.subarray(at + 4, at + 4 + length), size);
      size += length;
      at += 4 + length;
      continue;
    }
    const [literal, reach] = kind === 1 ? fixed : told();
    for (;;) {
      const read = symbol(literal);
      if (read === 256) break;
      room(258);
      if (read < 256) { made[size++] = read; continue; }
      const [span, more] = spans[read - 257];
      const length = span + bits(more);
      const [back, further] = distances[symbol(reach)];
      const distance = back + bits(further);
      for (let k = 0; k < length; k++, size++) made[size] = made[size - distance];
    }
  }
  return made.subarray(0, size);
}
