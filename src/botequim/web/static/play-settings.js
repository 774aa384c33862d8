// How a person wants the table: speed, confirmation, sound, vibration; kept in the browser.
import { find, remember, remembered } from "./play-common.js";

const settings = { speed: "normal", confirm: false, sound: false, buzz: true, ...remembered("settings", {}) };
const still = matchMedia("(prefers-reduced-motion: reduce)");
const FLIGHT = { slow: 1000, normal: 480, fast: 200, off: 0 };
const PAUSE = { slow: 700, normal: 260, fast: 60, off: 0 };

export const wantsConfirmation = () => settings.confirm;

/** How many milliseconds a piece flies, and how long the table rests afterwards; 0 for no animation. */
export const flightTime = () => (still.matches || document.hidden ? 0 : FLIGHT[settings.speed] ?? FLIGHT.normal);
export const pauseTime = () => (still.matches || document.hidden ? 0 : PAUSE[settings.speed] ?? PAUSE.normal);

let audio = null;

/** A short sound made of nothing but numbers: a knock on wood, or two notes. */
function play(notes) {
  if (!settings.sound || !window.AudioContext) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  for (const { pitch, after, long, loud, kind } of notes) {
    const starts = audio.currentTime + after;
    const tone = new OscillatorNode(audio, { type: kind, frequency: pitch });
    const volume = new GainNode(audio, { gain: loud });
    tone.frequency.exponentialRampToValueAtTime(pitch * (kind === "triangle" ? 0.45 : 1), starts + long);
    volume.gain.setValueAtTime(loud, starts);
    volume.gain.exponentialRampToValueAtTime(0.001, starts + long);
    tone.connect(volume).connect(audio.destination);
    tone.start(starts);
    tone.stop(starts + long);
  }
}

export const knock = () => play([
  { pitch: 320, after: 0, long: 0.09, loud: 0.5, kind: "triangle" },
  { pitch: 1150, after: 0, long: 0.03, loud: 0.14, kind: "triangle" },
]);
export const chime = () => play([
  { pitch: 660, after: 0, long: 0.18, loud: 0.12, kind: "sine" },
  { pitch: 880, after: 0.12, long: 0.24, loud: 0.12, kind: "sine" },
]);

export function buzz() {
  // browsers refuse it before the person has touched the page
  if (settings.buzz && navigator.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate(40);
}

export function listenToSettings() {
  const dialog = find("settings");
  for (const field of dialog.querySelectorAll("[name]")) {
    const isTick = field.type === "checkbox";
    if (isTick) field.checked = settings[field.name];
    else field.value = settings[field.name];
    if (field.name === "buzz" && !navigator.vibrate) field.closest("label").hidden = true;
    field.addEventListener("change", () => {
      settings[field.name] = isTick ? field.checked : field.value;
      remember("settings", settings);
      if (field.name === "sound") knock();
    });
  }
}
