"""Who sees the review page, and whose forms count: over a real port, and in process."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from raw_http import head
from running_server import ITSELF, RunningServer, environment, run_cli

from mcp_server.review.page.access import MOST_LINKS, PageAccess

ADDRESS = "http://127.0.0.1:48091/"
SECRET = b"s" * 32
TOKEN = "a-token-of-more-than-sixteen"


def form_token(page: str) -> str:
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', page)
    assert found is not None, page
    return found[1]


@pytest.fixture
def browser(server: RunningServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url.removesuffix("/mcp")) as client:
        yield client


class TestCookies:
    def test_a_browser_is_known_by_its_cookie_also_after_a_restart(self) -> None:
        access = PageAccess(SECRET, ADDRESS, None)
        browser = access.new_browser()
        cookies = dict([access.cookie_for(browser).split(";")[0].split("=", 1)])
        again = PageAccess(SECRET, ADDRESS, None)
        assert again.browser_of(cookies) == browser
        assert again.is_form_token(browser, access.form_token(browser))

    def test_what_was_not_issued_here_is_unknown(self) -> None:
        access = PageAccess(SECRET, ADDRESS, None)
        browser = access.new_browser()
        name, value = access.cookie_for(browser).split(";")[0].split("=", 1)
        for wrong in ("", browser, f"{browser}.", f"{browser}.é", f"x{value}", value[:-1]):
            assert access.browser_of({name: wrong}) is None, wrong
        assert access.browser_of({}) is None
        # A program on another port may set cookies for this host, but not make a fitting field.
        assert not access.is_form_token(browser, access.form_token(access.new_browser()))
        assert not access.is_form_token(browser, value.partition(".")[2])

    @pytest.mark.parametrize("token", [None, "another-token-of-sixteen"])
    def test_another_token_ends_every_login(self, token: str | None) -> None:
        access = PageAccess(SECRET, ADDRESS, TOKEN)
        cookies = dict([access.cookie_for("b").split(";")[0].split("=", 1)])
        assert access.browser_of(cookies) == "b"
        assert PageAccess(SECRET, ADDRESS, token).browser_of(cookies) is None


class TestLinks:
    def test_a_code_is_used_once(self) -> None:
        access = PageAccess(SECRET, ADDRESS, TOKEN)
        code = access.link_fragment().removeprefix("#token=")
        assert not access.use_code(code[:-1])
        assert not access.use_code("")
        assert access.use_code(code)
        assert not access.use_code(code)

    def test_only_so_many_wait(self) -> None:
        access = PageAccess(SECRET, ADDRESS, TOKEN)
        codes = [access.link_fragment().removeprefix("#token=") for _ in range(MOST_LINKS + 1)]
        assert not access.use_code(codes[0])
        assert all(map(access.use_code, codes[1:]))

    def test_where_no_login_is_needed_there_is_no_code(self) -> None:
        assert PageAccess(SECRET, ADDRESS, None).link_fragment() == ""


def test_without_a_token_everybody_on_this_machine_sees_the_page(browser: httpx2.Client) -> None:
    page = browser.get("/")
    assert page.status_code == 200
    cookie = page.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "set-cookie" not in browser.get("/").headers
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "<script>" not in page.text
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "media_type"), [("page.css", "text/css"), ("page.js", "text/javascript")]
)
def test_static_files(browser: httpx2.Client, path: str, media_type: str) -> None:
    first = browser.get(f"/static/{path}")
    assert first.headers["content-type"].startswith(media_type)
    again = browser.get(f"/static/{path}", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert browser.get("/static/nothing.js").status_code == 404
    assert browser.get("/static/..%2Faccess.py").status_code == 404


def test_with_a_token_a_link_logs_one_browser_in_once(project: Path, tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    with RunningServer("--token-file", str(token_file), cwd=project) as server:
        assert server.process.stdout is not None
        line = next(each for each in server.process.stdout if "/#token=" in each)
        code = line.partition("#token=")[2].strip()
        token = token_file.read_text(encoding="utf-8").strip()
        assert token not in line
        root = server.url.removesuffix("/mcp")
        same = {"Origin": root}
        with httpx2.Client(base_url=root) as browser:
            refused = browser.get("/")
            assert refused.status_code == 401
            assert "unity-cli open" in refused.text
            assert "set-cookie" not in refused.headers
            assert browser.get("/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
            assert browser.get("/static/login.js").status_code == 200
            wrong = browser.post("/login", json={"token": "x" * 43}, headers=same)
            assert wrong.status_code == 403
            assert browser.post("/login", json={"token": code}, headers=same).status_code == 204
            assert browser.get("/").status_code == 200
            assert browser.post("/page-link", json={}, headers=same).status_code == 401
        with httpx2.Client(base_url=root) as other:
            assert other.post("/login", json={"token": code}, headers=same).status_code == 403
            assert other.get("/").status_code == 401
            # A command of this user's gets another link.
            done = run_cli("open", "--no-browser", "--token-file", str(token_file), cwd=project)
            assert done.returncode == 0, done.stderr
            second = done.stdout.strip().partition("#token=")[2]
            assert other.post("/login", json={"token": second}, headers=same).status_code == 204
            assert other.get("/").status_code == 200
    assert server.stop is not None
    for secret in (code, second, token):
        assert secret not in server.log


def test_open_starts_a_server_which_waits_for_its_person(project: Path) -> None:
    done = run_cli("open", "--no-browser", "--output", "json", cwd=project)
    assert done.returncode == 0, done.stderr
    link = json.loads(done.stdout)
    assert link["opened"] is False
    try:
        assert httpx2.get(link["url"]).status_code == 200
        again = run_cli("open", "--no-browser", cwd=project)
        assert again.stdout.strip() == link["url"]
        status = json.loads(run_cli("status", "--output", "json", cwd=project).stdout)
        assert status["server"]["ends_with_clients"] is True
    finally:
        assert run_cli("stop", cwd=project).returncode == 0


def test_open_says_in_words_that_it_waits_for_an_answer(project: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen(
            [*ITSELF, "open", "--no-browser", "--url", url],
            cwd=project,
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        ) as asking:
            assert asking.stderr is not None
            line = asking.stderr.readline()
            asking.kill()
    assert f"warning: no answer yet (url: {url}" in line


class TestForms:
    def test_a_form_counts_only_with_its_own_browsers_token(self, browser: httpx2.Client) -> None:
        root = str(browser.base_url).rstrip("/")
        headers = {"Origin": root}
        token = form_token(browser.get("/").text)
        fields = {"form_token": token, "number": "0"}

        def status(data: dict[str, str], **more: str) -> int:
            sent = browser.post("/actions/mark", data=data, headers={**headers, **more})
            return sent.status_code

        assert status(fields) == 303
        assert status({"number": "0"}) == 403
        assert status({**fields, "form_token": "0" * 64}) == 403
        assert status(fields, Origin="http://127.0.0.1:1") == 403
        with httpx2.Client(base_url=root) as other:
            theirs = form_token(other.get("/").text)
            refused = other.post("/actions/mark", data=fields, headers=headers)
            assert refused.status_code == 403
            assert "Nothing was done" in refused.text
            assert status({**fields, "form_token": theirs}) == 403
        with httpx2.Client(base_url=root) as nobody:
            sent = nobody.post("/actions/mark", data=fields, headers=headers)
            assert sent.status_code == 403, "without the cookie the field alone counts for nothing"

    def test_what_is_no_form(self, browser: httpx2.Client) -> None:
        root = str(browser.base_url).rstrip("/")
        form = {"Origin": root, "Content-Type": "application/x-www-form-urlencoded"}
        browser.get("/")
        for body, status in (
            (b"a=" + b"x" * 300_000, 413),
            (b"&".join(b"a%d=1" % each for each in range(300)), 400),
            (b"a=\xff", 400),
            (b"", 403),
        ):
            sent = browser.post("/actions/mark", content=body, headers=form)
            assert sent.status_code == status, body[:20]
        as_json = {"Origin": root, "Content-Type": "application/json"}
        assert browser.post("/actions/mark", content=b"{}", headers=as_json).status_code == 403

    @pytest.mark.parametrize("path", ["/actions/mark", "/login"])
    def test_who_leaves_before_the_end_is_no_bug(
        self, server: RunningServer, browser: httpx2.Client, path: str
    ) -> None:
        browser.get("/")
        root = str(browser.base_url).rstrip("/")
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        kind = "application/x-www-form-urlencoded"
        sent = head(server.port, 100, path, Origin=root, Cookie=cookies, Content_Type=kind)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(sent + b"abc")
        server.wait_for_log(f"client_left path={path}")
        assert browser.get("/").status_code == 200
        assert "Traceback" not in server.log


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_page_may_only_lead_a_browser_here(browser: httpx2.Client, site: str) -> None:
    def status(aim: str, path: str = "/take-back?since=0", of: str = site) -> int:
        sent = {"Sec-Fetch-Site": of, "Sec-Fetch-Dest": aim}
        return browser.get(path, headers=sent).status_code

    assert [status(each) for each in ("image", "iframe", "script", "empty")] == [403] * 4
    assert status("document") == 200
    assert status("empty", of="same-origin") == 200
    assert status("iframe", "/static/page.css") == 403
