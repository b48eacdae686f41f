// The server's messages about its state. One window of a browser holds the connection and passes the
// messages on, because a browser opens only six connections to a server.

const MINE = "feed";
const AGAIN_MS = 1000;

/**
 * Call `onState` with each message {server, last, waits, …}, and `onConnection` with whether the
 * server can be reached.
 */
export function listen(onState, onConnection) {
  const others = new BroadcastChannel(MINE);
  const pass = (message) => {
    receive(message);
    others.postMessage(message);
  };
  const receive = ({ state, connected }) => {
    onConnection(connected);
    if (state) onState(state);
  };
  let latest = { connected: false };
  others.onmessage = ({ data }) => {
    if (data === "hello") {
      if (latest.mine) others.postMessage(latest);
    } else {
      receive(data);
    }
  };
  const hold = () =>
    new Promise(() => {
      connect((message) => {
        latest = { mine: true, ...latest, ...message };
        pass(latest);
      });
    });
  if (navigator.locks) {
    navigator.locks.request(MINE, hold);
    others.postMessage("hello");
  } else {
    hold();
  }
}

function connect(pass) {
  const source = new EventSource("/feed");
  source.onmessage = ({ data }) => pass({ state: JSON.parse(data), connected: true });
  source.onerror = () => {
    pass({ connected: false, state: null });
    if (source.readyState === EventSource.CLOSED) {
      // Refused, or the server answered with something else: the browser doesn't try again.
      setTimeout(() => connect(pass), AGAIN_MS);
    }
  };
}
