// Slides that are not part of the feed: the gallery, and contests. They are asked for now and then, and changed only
// when something is new, so that animations go on.
const SECONDS = 15;
const language = () => encodeURIComponent(document.documentElement.lang.replace("-", "_"));

async function ask(place) {
  try {
    const answer = await fetch(`${place.dataset.fetch}?lang=${language()}`, { cache: "no-cache" });
    if (!answer.ok) return;
    const html = await answer.text();
    if (html === place.dataset.had) return;
    place.dataset.had = html;
    place.innerHTML = html;
    document.dispatchEvent(new CustomEvent("botequim:part", { detail: { id: place.id.replace("part-", ""), place } }));
  } catch { /* the server is away; it is asked again */ }
}

const places = [...document.querySelectorAll("[data-fetch]")];
const askAll = () => Promise.all(places.map(ask));
await askAll();
setInterval(askAll, 1000 * SECONDS);
