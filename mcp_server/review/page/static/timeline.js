// Add new entries to the list, and older entries when somebody scrolls there.

const list = document.getElementById("entries");
const MOST_KEPT = 300;

/** Return what the server renders for the entries at `address`. */
async function rows(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  const made = document.createElement("template");
  made.innerHTML = await answer.text();
  return made.content.firstElementChild;
}

let older = document.getElementById("older");
let asking = false;
let wanted = null;

/** Update the page to the state that the server reported. */
export async function update(state) {
  wanted = state;
  if (asking) return;
  asking = true;
  try {
    while (wanted) {
      wanted = null;
      await addNewer();
    }
  } finally {
    asking = false;
  }
}

async function addNewer() {
  const last = list ? list.dataset.last : "0";
  const query = list ? list.dataset.query : "";
  const again = list ? list.dataset.again : "0";
  const got = await rows(`/rows?${query}&after=${last}&again=${again}`);
  showNow(got.querySelector("#now"));
  if (!list || !("newest" in list.dataset)) return;
  if ("reload" in got.dataset) {
    location.reload();
    return;
  }
  for (const each of got.querySelectorAll(".again > li")) {
    document.getElementById(each.id)?.replaceWith(each);
  }
  list.dataset.again = got.dataset.again;
  const newer = got.querySelectorAll("ol:not(.again) > li");
  for (const each of newer) document.getElementById(each.id)?.remove();
  list.prepend(...newer);
  list.dataset.last = got.dataset.last;
  dropOldest();
  if (newer.length) document.getElementById("nothing").classList.add("hidden");
  const mark = document.getElementById("mark-number");
  if (mark) mark.value = got.dataset.last;
}

function showNow(now) {
  const shown = document.getElementById("now");
  if (shown && now && !shown.contains(document.activeElement)) shown.replaceWith(now);
}

/** Drop the oldest entries while somebody looks at the newest: each one slows every update. */
function dropOldest() {
  const isAsking = older && older.dataset.asking;
  if (list.children.length <= MOST_KEPT || window.scrollY > window.innerHeight || isAsking) return;
  while (list.children.length > MOST_KEPT) list.lastElementChild.remove();
  const before = `before=${list.lastElementChild.dataset.number}`;
  linkOlder([list.dataset.query, before].filter(Boolean).join("&"));
}

/** Link to the entries older than those that are shown. */
function linkOlder(query) {
  if (!older) {
    older = document.createElement("a");
    older.id = "older";
    older.rel = "next";
    older.textContent = "Older entries";
    list.parentElement.append(document.createElement("p"));
    list.parentElement.lastElementChild.append(older);
    watchOlder();
  }
  older.dataset.rows = `/rows?${query}`;
  older.href = `/?${query}`;
}

async function addOlder() {
  const { dataset } = older;
  if (dataset.asking) return;
  dataset.asking = "yes";
  try {
    const got = await rows(dataset.rows);
    list.append(...got.querySelectorAll("li"));
    if (!got.dataset.older) {
      watcher.disconnect();
      older.parentElement.remove();
      older = null;
      return;
    }
    linkOlder(got.dataset.older);
    // Observe the link anew: the observer reports only changes, and the link may still be in sight.
    watcher.unobserve(older);
    watcher.observe(older);
  } finally {
    delete dataset.asking;
  }
}

const watcher = new IntersectionObserver(
  (seen) => {
    if (seen.some((each) => each.isIntersecting)) addOlder();
  },
  { rootMargin: "600px" },
);

/** Load older entries when their link is nearly in sight, or is chosen. */
function watchOlder() {
  watcher.observe(older);
  older.addEventListener("click", (event) => {
    event.preventDefault();
    addOlder();
  });
}

if (older) watchOlder();
