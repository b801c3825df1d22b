"""Sixty-four clients of both eras on four simulators: no answer lost or mixed up, every touch in order, flat memory,
and whole recordings after SIGTERM.

usage: http_crowd.py SIMDRIVE_BINARY [SECONDS, 60 if left out]
"""

import asyncio
import contextlib
import logging
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from agent import Failed, usage
from http_server import server
from simulator import simulator

CLIENTS, DEVICES = 64, 4
# memory is taken as flat where it does not grow by more between the first third and the end
GROWTH_KB = 60_000


class Device:
    """One simulator, and what was done to it as the answers tell it."""

    def __init__(self, simulated):
        self.simulated = simulated
        self.told = []
        self.turns = 0


class Visitor:
    """One client: waits for its device, does a few things there, leaves."""

    def __init__(self, number, client, device):
        self.name = f"visitor-{number}"
        self.client, self.device = client, device
        self.session = None
        self.answers = self.waits = 0

    async def ask(self, tool, **arguments):
        if self.session:
            arguments["session"] = self.session
        result = await asyncio.wait_for(self.client.call_tool(tool, arguments), 120)
        self.answers += 1
        return result.is_error, "\n".join(block.text for block in result.content if block.type == "text")

    async def well(self, tool, **arguments):
        failed, text = await self.ask(tool, **arguments)
        if failed:
            raise Failed(f"{self.name} {tool} {arguments}: {text}")
        return text

    async def enter(self, until):
        """Takes the device once it is free; false when it is too late."""
        while time.monotonic() < until:
            failed, text = await self.ask("session_start", device=self.device.simulated.selector)
            if not failed:
                self.session = re.match(r"session (\w+):", text)[1]
                return True
            if not text.startswith("error device_busy: "):
                raise Failed(f"{self.name}: {text}")
            self.waits += 1
            await asyncio.sleep(random.uniform(0.3, 1.2))
        return False

    async def tap(self, label):
        text = await self.well("tap", label=label)
        place = re.search(r"@(\d+),(\d+)", text)
        self.device.told.append((int(place[1]), int(place[2])))

    async def turn(self, number):
        """Counts up a few times, and sees nobody else's touches."""
        recorded = number % 8 == 0
        if recorded:
            await self.well("record_start", name=f"{self.name}-{number}")
        taps = random.randint(1, 3)
        for tapped in range(taps + 1):
            # a session starts the app anew
            counted = await self.counter()
            if counted != tapped:
                raise Failed(f"{self.name}: {tapped} taps became {counted}")
            if tapped < taps:
                await self.tap("Count up")
        self.device.turns += 1
        if recorded:
            await self.well("record_stop")

    async def counter(self):
        seen = await self.well("observe", image="none")
        return int(re.search(r'"Counter: (\d+)"', seen)[1])

    async def visit(self, until):
        number = 0
        while await self.enter(until):
            await self.turn(number)
            number += 1
            await self.well("session_end")
            self.session = None
            await asyncio.sleep(random.uniform(0.1, 1.0))


async def memory(site, begin, seconds, seen):
    while True:
        await asyncio.sleep(min(5, seconds / 12))
        seen.append((time.monotonic() - begin, site.resident_kb()))


def flat(seen, seconds):
    """The most that was held early and late; both are the highest of several looks."""
    print("  memory in MB: " + " ".join(f"{at:.0f}s {kb // 1024}" for at, kb in seen[:: max(1, len(seen) // 12)]), flush=True)
    early = max(kb for at, kb in seen if seconds / 6 <= at <= seconds / 2)
    late = max(kb for at, kb in seen if at > seconds * 3 / 4)
    print(f"  memory: {early // 1024} MB early, {late // 1024} MB late", flush=True)
    if late > early + GROWTH_KB:
        raise Failed("memory grew")


async def ordered(devices):
    """What arrived is what the answers told, touch for touch."""
    for number, device in enumerate(devices):
        log = [touch for touch in await device.simulated.touch_log() if not touch.up]
        arrived = [(round(touch.x), round(touch.y)) for touch in log]
        same = len(arrived) == len(device.told) and all(
            abs(a[0] - t[0]) <= 1 and abs(a[1] - t[1]) <= 1 for a, t in zip(arrived, device.told)
        )
        print(f"  device {number}: {device.turns} turns, {len(arrived)} touches", flush=True)
        if not same:
            raise Failed(f"device {number}: {len(device.told)} touches told, {len(arrived)} arrived, or in another order")


async def crowd(stack, site, devices):
    visitors = []
    for number in range(CLIENTS):
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=site.headers, timeout=120))
        transport = streamable_http_client(f"{site.url}/mcp", http_client=http)
        name = Implementation(name=f"visitor-{number}", version="1")
        client = Client(transport, mode=("legacy", "auto")[number // DEVICES % 2], client_info=name)
        visitors.append(Visitor(number, await stack.enter_async_context(client), devices[number % DEVICES]))
    return visitors


async def check(site, visitors, devices, seconds):
    print(f"  {len(visitors)} clients for {seconds} s", flush=True)
    begin, seen = time.monotonic(), []
    watch = asyncio.create_task(memory(site, begin, seconds, seen))
    await asyncio.gather(*(visitor.visit(begin + seconds) for visitor in visitors))
    watch.cancel()
    answers, waits = (sum(getattr(v, what) for v in visitors) for what in ("answers", "waits"))
    print(f"  {answers} answers, of which {waits} that a device is busy", flush=True)
    await ordered(devices)
    flat(seen, seconds)


async def cut_off(binary, site, visitors):
    """In the middle of recordings the server is told to stop."""
    for visitor in visitors[:DEVICES]:
        await visitor.enter(time.monotonic() + 60)
        await visitor.well("record_start", name=f"open-{visitor.name}")
        await visitor.tap("Count up")
    site.process.send_signal(signal.SIGTERM)
    code = await asyncio.to_thread(site.process.wait, 30)
    recordings = pathlib.Path(site.home, "recordings")
    names = sorted(path.name for path in recordings.iterdir())
    if len([name for name in names if name.startswith("open-")]) != DEVICES:
        raise Failed(f"recordings are missing: {names}")
    lint = subprocess.run(
        [binary, "lint", str(recordings)], cwd=site.home, capture_output=True, text=True, check=False,
    )
    if code != 143 or lint.returncode != 0:
        raise Failed(f"end of the server: {code}; lint of the recordings: {lint.returncode}\n{lint.stdout[-3000:]}")
    print(f"  {len(names)} recordings are whole, {DEVICES} of them cut off by the end of the server", flush=True)


async def main(binary, seconds):
    # rmcp answers 202 to the end of a session, of which this client warns
    logging.getLogger("mcp").setLevel(logging.ERROR)
    binary, failed = os.path.abspath(binary), None
    async with contextlib.AsyncExitStack() as stack:
        devices = [Device(await stack.enter_async_context(simulator(binary, "--app", "demo"))) for _ in range(DEVICES)]
        site = stack.enter_context(server(binary, "--rate", "10000"))
        visitors = await crowd(stack, site, devices)
        try:
            await check(site, visitors, devices, seconds)
            await cut_off(binary, site, visitors)
        except Exception as error:
            # the clients would hide it behind what they say of their end
            failed = f"{type(error).__name__}: {error}"
    if failed:
        raise SystemExit(failed)
    print("no answer was lost or mixed up, every touch in order, memory flat, recordings whole")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        usage(2, "http_crowd.py SIMDRIVE_BINARY [SECONDS]")
    asyncio.run(main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60))
