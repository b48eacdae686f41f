// The views that change by themselves: what waits, jobs that run, a check that runs.

const holds = document.getElementById("holds");
const problems = document.getElementById("problems");
const JOBS_MS = 2000;

/** The page at this address as it is now. */
async function present() {
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Show the changes that wait now. Keep those already shown, with a reason that somebody types. */
async function showHolds() {
  const fresh = (await present()).getElementById("holds");
  const list = holds.querySelector(".held-list");
  const waiting = [...fresh.querySelectorAll(".held")];
  const keys = new Set(waiting.map((each) => each.id));
  for (const each of [...list.children]) if (!keys.has(each.id)) each.remove();
  for (const each of waiting) if (!document.getElementById(each.id)) list.append(each);
  for (const part of ["holds-title", "holds-none", "holds-lately"]) {
    document.getElementById(part).replaceWith(fresh.querySelector(`#${part}`));
  }
}

let showing = Promise.resolve();

document.addEventListener("server-state", (event) => {
  const state = event.detail;
  if (holds && String(state.held) !== holds.dataset.revision) {
    holds.dataset.revision = state.held;
    showing = showing.then(showHolds).catch(() => delete holds.dataset.revision);
  }
  if (problems?.dataset.running === "1" && String(state.last) !== problems.dataset.last) {
    location.reload();
  }
});

async function showJobs() {
  if (!document.hidden && document.querySelector("[data-running-job]")) {
    try {
      const fresh = (await present()).getElementById("jobs");
      document.getElementById("jobs").replaceWith(fresh);
    } catch {
      // The page says by itself that the server can't be reached.
    }
  }
  setTimeout(showJobs, JOBS_MS);
}

if (document.getElementById("jobs")) setTimeout(showJobs, JOBS_MS);
