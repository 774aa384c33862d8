// What a browser knows better than a server: the reader's clock and calendar.
const language = document.documentElement.lang || "en";
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const hour = new Intl.DateTimeFormat(language, { timeStyle: "short" });

export function dress(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    time.textContent = (today ? hour : day).format(at);
    time.title = day.format(at);
  }
}

dress(document);
