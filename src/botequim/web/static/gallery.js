// Animations that can be stopped: all of them by one button, each by pressing it.
// A GIF cannot be paused, so its fullest frame, drawn by the server, takes its place.

const wished = window.matchMedia("(prefers-reduced-motion: reduce)");

function show(picture, still) {
  const image = picture.querySelector("img");
  for (const source of picture.querySelectorAll("source")) source.remove();
  image.src = image.src.replace(/(art|still)\.gif/, still ? "still.gif" : "art.gif");
  picture.dataset.still = still ? "yes" : "no";
}

function isStill(picture) {
  return picture.dataset.still === "yes";
}

function start() {
  const pictures = [...document.querySelectorAll("picture[data-art]")];
  const all = document.querySelector("[data-pause]");
  for (const picture of pictures) {
    const image = picture.querySelector("img");
    picture.dataset.still = wished.matches || image.src.includes("/still.gif") ? "yes" : "no";
    if (!picture.closest(".gallery")) continue;  // on a ballot, pressing it chooses it
    picture.tabIndex = 0;
    picture.setAttribute("role", "button");
    picture.setAttribute("aria-label", image.alt);
    const press = () => { show(picture, !isStill(picture)); tell(); };
    picture.addEventListener("click", press);
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); press(); }
    });
  }

  function tell() {
    for (const picture of pictures) {
      if (picture.tabIndex === 0) picture.setAttribute("aria-pressed", isStill(picture) ? "false" : "true");
    }
    if (all) all.textContent = pictures.every(isStill) ? all.dataset.play : all.dataset.pause;
  }

  all?.addEventListener("click", (event) => {
    event.preventDefault();
    const still = !pictures.every(isStill);
    for (const picture of pictures) show(picture, still);
    tell();
  });
  all?.addEventListener("keydown", (event) => { if (event.key === " ") { event.preventDefault(); all.click(); } });
  tell();
}

start();
