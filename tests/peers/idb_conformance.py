"""Conformance by a client nobody here wrote: the real `idb` command against `simdrive sim`.

    python idb_conformance.py PATH_OF_SIMDRIVE

Wants `fb-idb==1.7.7` in the environment of the Python that runs it. Every command's effect is looked for on
the screen (by `ui describe-all`, whose text the client passes on untouched, and by screenshots), in the list of
apps, in the log or in the crash reports. Exits with 1 and names what failed.
"""

import contextlib
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

IDB = str(pathlib.Path(sys.executable).parent / "idb")
DEMO, CHAOS = "com.example.demo", "com.example.chaos"
PATIENCE = 15.0
COMMAND_LIMIT = 60

used: set[str] = set()
failures: list[str] = []
checks = 0


def check(what: str, holds: bool, detail: object = "") -> None:
    global checks
    checks += 1
    print(f"  {'ok  ' if holds else 'FAIL'} {what}", flush=True)
    if not holds:
        failures.append(what)
        print(f"       {str(detail)[:1500]}", flush=True)


class Idb:
    """The command, pointed at one companion."""

    def __init__(self, companion: str) -> None:
        self.environment = {**os.environ, "IDB_COMPANION": companion}

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        verb = [a for a in arguments if not a.startswith("-")]
        used.add(" ".join(verb[:2]) if verb[0] in ("ui", "crash", "set", "get", "list") else verb[0])
        return subprocess.run(
            [IDB, *arguments], env=self.environment, capture_output=True, timeout=COMMAND_LIMIT
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        used.add(arguments[0])
        return subprocess.Popen(
            [IDB, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def ok(self, *arguments: str) -> str:
        done = self.run(*arguments)
        check(f"idb {' '.join(arguments)[:90]}", done.returncode == 0, done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def refused(self, *arguments: str, saying: str = "") -> None:
        done = self.run(*arguments)
        told = done.stderr.decode(errors="replace")
        refused = done.returncode == 1 and saying.lower() in told.lower()
        check(f"idb {' '.join(arguments)[:90]} is refused", refused, f"rc={done.returncode} {told}")

    # -- looking

    def tree(self) -> list[dict]:
        return json.loads(self.run("ui", "describe-all", "--json").stdout)

    def apps(self) -> dict[str, dict]:
        lines = self.run("list-apps", "--json").stdout.decode().splitlines()
        return {app["bundle_id"]: app for app in map(json.loads, lines)}

    def picture(self, *options: str) -> bytes:
        return self.run("screenshot", *options, "-").stdout

    def until(self, what: str, fits) -> list[dict]:
        """Looks until the tree fits; transitions and late content take their time."""
        end = time.monotonic() + PATIENCE
        while True:
            tree = self.tree()
            if fits(tree):
                check(what, True)
                return tree
            if time.monotonic() > end:
                check(what, False, [(e["type"], e["AXLabel"], e["AXValue"]) for e in tree])
                return tree
            time.sleep(0.1)

    def tap(self, label: str) -> None:
        """Taps the middle of the element with a label, once it is there and rests."""
        tree = self.until(f"“{label}” is there", lambda t: named(t, label) is not None)
        if (element := named(tree, label)) is None:
            return
        place, last = middle(element), None
        while place != last:
            last, element = place, named(self.tree(), label)
            if element is None:
                break
            place = middle(element)
        self.ok("ui", "tap", *map(str, last))


def named(tree: list[dict], label: str) -> dict | None:
    exact = [e for e in tree if e["AXLabel"] == label]
    starting = [e for e in tree if (e["AXLabel"] or "").startswith(label)]
    return next(iter(exact + starting), None)


def identified(tree: list[dict], identifier: str) -> dict | None:
    return next((e for e in tree if e["AXUniqueId"] == identifier), None)


def says(text: str):
    return lambda tree: any(text in (e["AXLabel"] or "") for e in tree)


def holds(identifier: str, value: str | None):
    return lambda tree: (e := identified(tree, identifier)) is not None and (e["AXValue"] or None) == value


def middle(element: dict) -> tuple[int, int]:
    f = element["frame"]
    return round(f["x"] + f["width"] / 2), round(f["y"] + f["height"] / 2)


def png_size(data: bytes) -> tuple[int, int]:
    return struct.unpack(">II", data[16:24]) if data.startswith(b"\x89PNG\r\n\x1a\n") else (0, 0)


@contextlib.contextmanager
def simulator(binary: str, *arguments: str):
    """`simdrive sim`, without standard input, and what its one line says."""
    process = subprocess.Popen(
        [binary, "sim", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=10)
        check("the start-up line is all that is written to standard output", rest == b"", rest)
        check("SIGTERM stops it", process.returncode == 143, process.returncode)


def section(name: str) -> None:
    print(name, flush=True)


def look(idb: Idb) -> None:
    section("looking")
    described = json.loads(idb.ok("describe", "--json"))
    screen = described["screen_dimensions"]
    sizes = [screen[k] for k in ("width", "height", "density", "width_points", "height_points")]
    check("describe tells pixels, density and points", sizes == [1179, 2556, 3.0, 393, 852], screen)
    check("describe tells a booted simulator", described["state"] == "Booted", described)
    check("a companion on this machine is local", described["companion_info"]["is_local"] is True, described)
    apps = idb.apps()
    check("list-apps knows the running app", apps[DEMO]["process_state"] == "Running", apps)

    flat = idb.until("describe-all shows the first screen", says("Count up"))
    check("the root comes first and fills the screen", flat[0]["AXFrame"] == "{{0, 0}, {393, 852}}", flat[0])
    nested = json.loads(idb.ok("ui", "describe-all", "--nested", "--json"))

    def count(elements: list[dict]) -> int:
        return sum(1 + count(e["children"]) for e in elements)

    check("the nested tree has one root and the same elements", len(nested) == 1 and count(nested) == len(flat))
    point = json.loads(idb.ok("ui", "describe-point", *map(str, middle(named(flat, "Count up"))), "--json"))
    check("describe-point finds what is there", point["AXLabel"] == "Count up", point)

    check("a screenshot has the panel's pixels", png_size(idb.picture()) == (1179, 2556))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "small.jpg")
        options = ["--format", "jpeg", "--crop", "0,0,393,400", "--units", "points", "--max-width", "200"]
        told = json.loads(idb.ok("screenshot", *options, "--json", str(path)))
        check("a screenshot is cropped and scaled as asked", (told["width"], told["height"]) == (600, 611), told)
        check("and is a JPEG", path.read_bytes().startswith(b"\xff\xd8"))


def touch(idb: Idb) -> None:
    section("touching")
    before = idb.picture()
    idb.tap("Count up")
    tree = idb.until("a tap counts once", says("Counter: 1"))
    check("the screenshot shows it", idb.picture() != before)
    place = middle(named(tree, "Count up"))
    idb.ok("ui", "multi-tap", *map(str, place), "--count", "3")
    idb.until("a multi-tap counts each time", says("Counter: 4"))

    idb.tap("Cities")
    tree = idb.until("another tab is shown", lambda t: named(t, "Amsterdam") is not None)
    top = named(tree, "Amsterdam")["frame"]["y"]
    idb.ok("ui", "swipe", "196", "650", "196", "350", "--duration", "0.4")

    def scrolled(tree: list[dict]) -> bool:
        city = named(tree, "Amsterdam")
        return city is None or city["frame"]["y"] < top - 200

    idb.until("a swipe scrolls the list", scrolled)
    idb.ok("ui", "pinch", "196", "400", "1.5")


def type_text(idb: Idb) -> None:
    section("typing")
    idb.ok("open", "demo://greeting/")
    idb.until("a link opens its screen", lambda t: identified(t, "name") is not None)
    time.sleep(0.5)
    idb.ok("ui", "tap", *map(str, middle(identified(idb.tree(), "name"))))
    idb.until("the field has the caret", lambda t: "IsEditing" in (identified(t, "name")["traits"] or []))
    idb.ok("ui", "text", "Ada Ok1!")
    idb.until("text is typed, shifted too", holds("name", "Ada Ok1!"))
    idb.ok("ui", "key", "42")
    idb.until("a key deletes", holds("name", "Ada Ok1"))
    idb.ok("ui", "key-sequence", "4", "5")
    idb.until("a sequence of keys types", holds("name", "Ada Ok1ab"))
    idb.refused("ui", "text", "é", saying="keycode")
    idb.until("what has no key types nothing", holds("name", "Ada Ok1ab"))
    idb.ok("ui", "key", "40")
    idb.until("return submits", says("Hello, Ada Ok1ab!"))


def apps(idb: Idb) -> None:
    section("apps")
    idb.ok("ui", "button", "HOME")
    idb.until("home leaves the app", lambda t: t[0]["AXLabel"] != "Demo")
    idb.refused("launch", DEMO, saying="already running")
    pid = json.loads(idb.ok("launch", "-f", DEMO))["pid"]
    idb.until("a running app comes to the front", lambda t: t[0]["AXLabel"] == "Demo" and t[0]["pid"] == pid)
    idb.ok("terminate", DEMO)
    check("a terminated app has no process", idb.apps()[DEMO]["pid"] is None)
    idb.refused("terminate", DEMO)
    again = json.loads(idb.ok("launch", DEMO))["pid"]
    check("a launched app has a new process", again != pid, (pid, again))
    idb.until("and starts afresh", says("Counter: 0"))
    idb.refused("launch", "com.example.nobody", saying="not installed")

    with tempfile.TemporaryDirectory() as folder:
        bundle = pathlib.Path(folder, "Other.app")
        bundle.mkdir()
        app = "name: Other\nbundle: com.example.other\nstart: first\nscreens:\n  first:\n    title: Other\n"
        (bundle / "app.yaml").write_text(app + "    body:\n      - text: {text: Just installed}\n")
        told = json.loads(idb.ok("install", "--json", str(bundle)))
        check("install tells the bundle", told["installedAppBundleId"] == "com.example.other", told)
    idb.ok("launch", "com.example.other")
    idb.until("an installed app runs", says("Just installed"))
    idb.ok("uninstall", "com.example.other")
    check("an uninstalled app is gone", "com.example.other" not in idb.apps())


def permissions(idb: Idb) -> None:
    section("permissions and the device")
    idb.ok("approve", DEMO, "location")
    idb.run("launch", "-f", DEMO)
    idb.ok("open", "demo://controls")
    idb.tap("Location")
    idb.until("an approved permission is not asked for", holds("location", "1"))
    idb.ok("revoke", DEMO, "location")
    idb.run("terminate", DEMO)
    idb.run("launch", DEMO)
    idb.ok("open", "demo://controls")
    idb.tap("Location")
    time.sleep(1.0)
    idb.until("a revoked one is denied", holds("location", "0"))

    idb.ok("set-location", "52.37", "4.89")
    idb.refused("set-location", "123", "4")
    idb.ok("send-notification", DEMO, '{"aps":{"alert":{"title":"Parcel","body":"It is at the door"}}}')
    idb.until("a notification is shown", says("It is at the door"))
    for plain in ("clear-keychain", "focus", "simulate-memory-warning"):
        idb.ok(plain)
    idb.ok("set", "locale", "de_DE")
    check("the locale is kept", idb.ok("get", "locale").strip() == "de_DE")
    check("locales are listed", "en_US" in idb.ok("list", "locale").split())
    idb.ok("set", "locale", "en_US")
    idb.ok("set", "hardware_keyboard", "1")

    idb.ok("ui", "rotate", "LANDSCAPE_LEFT")
    idb.until("the interface turns", lambda t: t[0]["AXFrame"] == "{{0, 0}, {852, 393}}")
    check("the device is held the other way", idb.ok("rotation").strip() == "LANDSCAPE_RIGHT")
    check("the framebuffer stays as the panel is", png_size(idb.picture()) == (1179, 2556))
    idb.ok("ui", "rotate", "PORTRAIT")
    idb.until("and turns back", lambda t: t[0]["AXFrame"] == "{{0, 0}, {393, 852}}")
    idb.ok("ui", "shake")
    idb.ok("ui", "button", "LOCK")
    idb.ok("ui", "key", "4", "--shift")
    idb.refused("contacts", "clear")


def crash(idb: Idb) -> None:
    section("output, logs and crashes")
    waiting = idb.start("launch", "-w", CHAOS)
    pid = json.loads(waiting.stdout.readline())["pid"]
    tree = idb.until("the waited-for app is in front", says("Two equal buttons"))
    while identified(tree, "crash") is None or middle(identified(tree, "crash"))[1] > 800:
        idb.run("ui", "swipe", "196", "700", "196", "300", "--duration", "0.3")
        time.sleep(1.0)
        tree = idb.tree()
    idb.ok("ui", "tap", *map(str, middle(identified(tree, "crash"))))
    idb.until("the app is gone", lambda t: t[0]["pid"] != pid)
    time.sleep(0.5)
    waiting.send_signal(signal.SIGINT)
    output, told = waiting.communicate(timeout=PATIENCE)
    check("launch -w tells what the app writes", b"about to crash" in output, output)
    check("and ends well when it is stopped", waiting.returncode == 0, told)

    log = idb.start("log")
    time.sleep(2.0)
    log.send_signal(signal.SIGINT)
    lines, _ = log.communicate(timeout=PATIENCE)
    check("the log has the app's lines", f"[{pid}] about to crash".encode() in lines, lines)
    for line in ("location is now 52.37", "memory warning", "keychain cleared", "shaken", "button lock pressed"):
        check(f"and “{line}” of before", line.encode() in lines, lines)

    listed = [json.loads(line) for line in idb.ok("crash", "list", "--json").splitlines()]
    check("the crash is listed", [c["bundle_id"] for c in listed] == [CHAOS], listed)
    check("with its process", [c["process_identifier"] for c in listed] == [pid], listed)
    for report in listed:
        shown = idb.ok("crash", "show", report["name"])
        check("its report says why", "Index out of range" in shown, shown)
    check("another app has none", idb.ok("crash", "list", "--bundle-id", DEMO, "--json").strip() == "")
    idb.ok("crash", "delete", "--all")
    check("deleted crashes are gone", idb.ok("crash", "list", "--json").strip() == "")


def on_a_socket(binary: str) -> None:
    section("on a unix socket")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "companion.sock")
        with simulator(binary, "--socket", path, "--device", "iphone-mini") as (_, line):
            check("the start-up line names the socket", line == {"grpc_path": path}, line)
            idb = Idb(path)
            screen = json.loads(idb.ok("describe", "--json"))["screen_dimensions"]
            check("a mini's panel is described", (screen["width"], screen["width_points"]) == (1080, 360), screen)
            root = idb.until("it shows the app", says("Count up"))[0]
            check("its interface is larger than its panel", root["frame"]["width"] == 375, root)
        check("the socket goes with it", not os.path.exists(path))


def main() -> int:
    binary = os.path.abspath(sys.argv[1])
    with simulator(binary, "--app", "demo", "--port", "0") as (_, line):
        port = line["grpc_port"]
        check("the start-up line names the port twice", line == {"grpc_swift_port": port, "grpc_port": port}, line)
        idb = Idb(f"localhost:{port}")
        for part in (look, touch, type_text, apps, permissions, crash):
            part(idb)
    on_a_socket(binary)
    print(f"{len(used)} idb commands, {checks} checks, {len(failures)} failed")
    check("at least twenty different commands were used", len(used) >= 20, sorted(used))
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
