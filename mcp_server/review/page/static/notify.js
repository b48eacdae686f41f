// Say that an agent waits for a person: in the window's title, and as a notification where allowed.

const title = document.title;
let told = 0;

/** Show how many changes wait. */
export function tellOfWaiting(count) {
  document.title = count ? `(${count}) waiting · ${title}` : title;
  if (count > told && document.hidden) notify(count);
  told = count;
}

async function notify(count) {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const one = count === 1;
  const note = new Notification("unity-snippet", {
    body: `${count} ${one ? "change waits" : "changes wait"} for you.`,
    tag: "waiting", // windows of one browser show one notification
  });
  note.onclick = () => {
    window.focus();
    location.assign("/holds");
  };
}

// A browser asks its user only after a click.
const ask = document.getElementById("ask-notifications");
if (ask && "Notification" in window && Notification.permission === "default") {
  ask.hidden = false;
  ask.onclick = async () => {
    await Notification.requestPermission();
    ask.hidden = true;
  };
}
