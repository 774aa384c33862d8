// Ranking by tapping in order. Without this script the numbers are typed; with it, a tap gives the next number,
// another tap takes it away, and those behind move up. What is sent is the same.

const form = document.querySelector("form.ballot.ranked");

function start() {
  const fields = [...form.querySelectorAll("input[type=number]")];
  const heard = document.getElementById("heard");
  const names = new Map(fields.map((field) => [field, field.closest("li").querySelector(".optionname").textContent]));
  const buttons = new Map();

  // what came back from the server in odd numbers is put in order
  let order = fields
    .filter((field) => Number(field.value) > 0)
    .sort((one, other) => Number(one.value) - Number(other.value));

  for (const field of fields) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "rank";
    button.id = `tap-${field.id}`;
    field.after(button);
    field.hidden = true;
    field.closest("li").querySelector("label").htmlFor = button.id;
    buttons.set(field, button);
    button.addEventListener("click", () => {
      order = order.includes(field) ? order.filter((other) => other !== field) : [...order, field];
      show();
      heard.textContent = button.getAttribute("aria-label");
    });
  }

  function show() {
    for (const field of fields) {
      const rank = order.indexOf(field) + 1;
      field.value = rank || "";
      const said = (rank ? form.dataset.rank : form.dataset.unranked)
        .replace("{name}", () => names.get(field))
        .replace("{rank}", () => String(rank));
      const button = buttons.get(field);
      button.textContent = rank || "";
      button.setAttribute("aria-label", said);
      button.setAttribute("aria-pressed", rank ? "true" : "false");
      field.closest("li").classList.toggle("chosen", rank > 0);
    }
  }

  form.addEventListener("reset", (event) => {
    event.preventDefault();
    order = [];
    show();
  });
  for (const hidden of form.querySelectorAll(".scripted-only")) hidden.hidden = false;
  show();
}

if (form) start();
document.getElementById("said")?.focus();
