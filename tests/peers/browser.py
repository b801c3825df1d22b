"""Debian's Chromium with a page open, driven by chromedriver: for the pages that simdrive makes itself."""

import base64
import contextlib
import json
import pathlib
import time
import urllib.error
import urllib.request

from agent import expect
from webdriver_servers import chromedriver

SHAPES = {"phone": (390, 844), "desk": (1280, 900)}


class Page:
    """One tab. Whatever the page says on its console, or that it was kept from doing, is in `complaints`."""

    def __init__(self, session):
        self.session = session

    def _ask(self, method, path, body=None):
        request = urllib.request.Request(f"{self.session}{path}", method=method)
        request.add_header("Content-Type", "application/json; charset=utf-8")
        data = json.dumps(body or {}).encode() if method == "POST" else None
        with urllib.request.urlopen(request, data, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a function's body."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, why):
        """Until an expression is true in the page."""
        # asked for from here: a page of ours lets no script of its own be made up
        for _ in range(200):
            with contextlib.suppress(urllib.error.HTTPError):
                if self.run(f"return Boolean({condition})"):
                    return
            time.sleep(0.1)
        raise SystemExit(f"the page has not come so far: {why} ({condition})")

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def cdp(self, command, **params):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def shape(self, width, height, dark):
        """How wide the window is, and which of its colours the user wants."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def complaints(self):
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]


@contextlib.contextmanager
def page():
    """A browser that ends with the block."""
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
    options = {"binary": "/usr/bin/chromium", "args": arguments}
    wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    with chromedriver() as driver:
        address = driver.removeprefix("webdriver+")
        body = json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode()
        request = urllib.request.Request(f"{address}/session", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            session = f"{address}/session/{json.load(answer)['value']['sessionId']}"
        try:
            yield Page(session)
        finally:
            urllib.request.urlopen(urllib.request.Request(session, method="DELETE"), timeout=60).close()


def fits(tab, what):
    """Nothing is wider than the window."""
    wide = tab.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    expect(wide <= 0, f"{what}: {wide} pixels wider than the window")
