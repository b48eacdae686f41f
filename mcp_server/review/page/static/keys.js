// Keyboard: j and k go through a list, u takes back, / searches, ? lists the keys.

const KEYS = [
  ["j", "the next entry or change"],
  ["k", "the one before"],
  ["Enter", "open the entry"],
  ["u", "take back what is shown"],
  ["/", "search"],
  ["g", "to the timeline"],
  ["?", "this list"],
];

function step(by) {
  const stops = [...document.querySelectorAll(".entry-link, .stop")];
  if (!stops.length) return;
  const at = stops.findIndex((each) => each === document.activeElement);
  const next = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : at + by];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function takeBack() {
  const here = document.activeElement?.closest(".entry")?.querySelector(".entry-link");
  if (here) {
    location.href = `${here.getAttribute("href")}#take-back`;
    return;
  }
  const target = document.getElementById("take-back");
  target?.scrollIntoView({ block: "center" });
  target?.querySelector("button, input:not([type=hidden])")?.focus();
}

function help() {
  let dialog = document.getElementById("keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.id = "keys";
    dialog.setAttribute("aria-labelledby", "keys-title");
    const title = document.createElement("h2");
    title.id = "keys-title";
    title.textContent = "Keys";
    const list = document.createElement("dl");
    for (const [key, does] of KEYS) {
      const term = document.createElement("dt");
      term.append(Object.assign(document.createElement("kbd"), { textContent: key }));
      list.append(term, Object.assign(document.createElement("dd"), { textContent: does }));
    }
    const close = Object.assign(document.createElement("button"), { textContent: "Close" });
    close.onclick = () => dialog.close();
    dialog.append(title, list, close);
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  u: takeBack,
  "/": () => document.getElementById("search")?.focus(),
  g: () => location.assign("/"),
  "?": help,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  const act = ACTIONS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

if (location.hash === "#take-back") takeBack();
