"""simdrive as an HTTP server for the peer scripts: its address, its token, and a plain client of both eras."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading

TOKEN = "a-token-of-the-peers"


class Server:
    """A running `simdrive serve --http`."""

    def __init__(self, process, address, home):
        self.process = process
        self.address = address
        self.home = home

    @property
    def url(self):
        return f"http://{self.address}"

    @property
    def headers(self):
        return {"Authorization": f"Bearer {TOKEN}"}

    def resident_kb(self):
        """Memory that the process holds now."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


@contextlib.contextmanager
def server(binary, *flags, home=None, environment=None):
    """Starts a server with a home of its own on a free port; ends it by SIGTERM."""
    with tempfile.TemporaryDirectory() as own:
        home = home or own
        variables = {**os.environ, "SIMDRIVE_HOME": home, "SIMDRIVE_TOKEN": TOKEN, **(environment or {})}
        process = subprocess.Popen(
            [binary, "serve", "--http", "127.0.0.1:0", *flags], cwd=home, env=variables,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        said = process.stderr.readline()
        found = re.search(r"http://([^/]+)/mcp", said)
        if not found:
            process.kill()
            raise SystemExit(f"the server did not start: {said}{process.stderr.read()}")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield Server(process, found[1], home)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(30)


def message(text):
    """The last message in an answer, be it JSON or a stream of events."""
    lines = [line.removeprefix("data: ") for line in text.splitlines()]
    return json.loads([line for line in lines if line.startswith("{")][-1])
