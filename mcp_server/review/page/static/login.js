// Exchange the code in the address for the page's cookie. The code works once.

const code = new URLSearchParams(location.hash.slice(1)).get("token");
if (code) {
  const here = location.pathname + location.search;
  history.replaceState(null, "", here);
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: code }),
  });
  if (answer.ok) {
    location.replace(here);
  } else {
    document.getElementById("login-state").textContent =
      "This link was used already, or it is from another server.";
  }
}
