// On every view: keep it up to date, announce waiting changes, and handle keys.

import "./keys.js";
import { listen } from "./feed.js";
import { tellOfWaiting } from "./notify.js";
import { update } from "./timeline.js";

const connection = document.getElementById("connection");

function showConnection(connected) {
  const text = connected ? "live" : "The server can't be reached, or has too many pages open. Trying again.";
  if (connection.textContent !== text) connection.textContent = text;
  connection.classList.toggle("lost", !connected);
}

async function showState(state) {
  tellOfWaiting(state.waits);
  document.dispatchEvent(new CustomEvent("server-state", { detail: state }));
  if (!document.getElementById("now")) return;
  try {
    await update(state);
  } catch {
    showConnection(false);
    setTimeout(() => showState(state), 1000);
  }
}

listen(showState, showConnection);
