// Animations that can be stopped: all of them by one button, in a gallery each by pressing it.
// A GIF cannot be paused, so its fullest frame, drawn by the server, takes its place.

const wished = window.matchMedia("(prefers-reduced-motion: reduce)");
const pictures = [...document.querySelectorAll("picture[data-art]")];
const all = document.querySelector("[data-pause]");
const isStill = (picture) => picture.dataset.still === "yes";

function show(picture, still) {
  const image = picture.querySelector("img");
  for (const source of picture.querySelectorAll("source")) source.remove();
  image.src = image.src.replace(/(art|still)\.gif/, still ? "still.gif" : "art.gif");
  picture.dataset.still = still ? "yes" : "no";
}

function tell() {
  for (const picture of pictures) picture.closest("button")?.setAttribute("aria-pressed", String(!isStill(picture)));
  if (all) all.textContent = pictures.every(isStill) ? all.dataset.play : all.dataset.pause;
}

for (const picture of pictures) {
  const image = picture.querySelector("img");
  picture.dataset.still = wished.matches || image.src.includes("/still.gif") ? "yes" : "no";
  if (!picture.closest(".gallery")) continue; // on a ballot, pressing it chooses it
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pressed-art";
  picture.replaceWith(button);
  button.append(picture);
  button.addEventListener("click", () => { show(picture, !isStill(picture)); tell(); });
}

all?.addEventListener("click", (event) => {
  event.preventDefault();
  const still = !pictures.every(isStill);
  for (const picture of pictures) show(picture, still);
  tell();
});
tell();
