#!/usr/bin/env python3
"""The worked case, driven by the official Python MCP client (PyPI `mcp`) over stdio, in both protocol eras:
sign in to the shop, first wrong, then right; record a purchase; replay it; then see that a changed price digit
fails the replay at the right place and that a clock seven minutes on does not.

usage: mcp_worked_case.py SIMDRIVE_BINARY
"""
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mcp import Client, StdioServerParameters

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(sys.argv[1]).resolve())
START = "clock=2026-01-01T09:41:00Z"
LATER = "clock=2026-01-01T09:48:00Z"


class Failed(Exception):
    """Something is not as the worked case wants it."""


def fail(message):
    raise Failed(message)


class Agent:
    """What an agent does with the tools, each call told in one line."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        pictures = [block for block in result.content if block.type == "image"]
        if result.structured_content is not None:
            fail(f"{tool} sent structured content")
        print(f"  {tool} {json.dumps(arguments)}: {'error ' if result.is_error else ''}{text.splitlines()[0]}")
        return text, pictures, result.is_error

    async def well(self, tool, **arguments):
        text, pictures, is_error = await self.call(tool, **arguments)
        if is_error:
            fail(f"{tool} {arguments}:\n{text}")
        return text, pictures

    async def mark(self, role):
        """The number of the first mark of a role, as read from the lines of an observation."""
        text, _ = await self.well("observe", image="none")
        found = re.search(rf"^(\d+) {role}\b", text, re.MULTILINE)
        return int(found[1]) if found else fail(f"no {role} in\n{text}")


async def sign_in(agent, secret):
    await agent.well("type_text", into={"label": "Email", "role": "text_field"}, text="ada@example.com", clear_first=True)
    await agent.well("type_text", into={"label": "Password", "role": "secure_field"}, secret=secret)
    text, _ = await agent.well("tap", label="Sign In", role="button")
    return text


async def explore(agent):
    """A wrong password is told in what appeared."""
    text, _ = await agent.well("session_start", device=f"sim:shop?{START}")
    if "session s" not in text:
        fail(text)
    _, pictures = await agent.well("observe")
    if len(pictures) != 1 or pictures[0].mime_type != "image/jpeg":
        fail("observe sent no picture")
    text = await sign_in(agent, "WRONG_PASSWORD")
    appeared = [line for line in text.splitlines() if line.startswith("+")]
    if not any("Wrong email or password" in line for line in appeared):
        fail(f"the error is not among what appeared:\n{text}")
    await agent.well("session_end")


async def record(agent, name):
    await agent.well("session_start", device=f"sim:shop?{START}")
    await agent.well("record_start", name=name, description="Sign in, search, buy", tags=["worked-case"])
    await sign_in(agent, "SHOP_PASSWORD")
    await agent.well("wait_for", label="Copper Kettle")
    await agent.well("type_text", into={"mark": await agent.mark("search_field")}, text="kitchen", submit=True)
    await agent.well("swipe", direction="up", until="Steel French Press")
    await agent.well("tap", label="Steel French Press")
    await agent.well("wait_for", label="Add to Cart")
    text, _ = await agent.well("tap", label="Add to Cart")
    if "effect changed" not in text:
        fail(text)
    await agent.well("record_stop")
    await agent.well("session_end")


async def replay(agent, name):
    # a new session of its own
    text, _ = await agent.well("replay", name=name)
    if "1 passed, 0 failed" not in text:
        fail(text)


def command_line(environment, *arguments):
    ran = subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    print(f"  simdrive {' '.join(arguments)}: exit {ran.returncode}")
    return ran


def changed_digit(folder):
    """A copy of the shop in which one price differs by one digit."""
    shop = (REPOSITORY / "fixtures/apps/shop.yaml").read_text()
    changed = shop.replace("name: Steel French Press, category: Kitchen, price: 54.90", "name: Steel French Press, category: Kitchen, price: 54.80")
    if changed == shop:
        fail("the shop has no such product")
    path = pathlib.Path(folder) / "shop.yaml"
    path.write_text(changed)
    return f"sim:{path}?{START}"


def gates(environment, name, folder):
    later = command_line(environment, "replay", name, "--device", f"sim:shop?{LATER}", "--json")
    if later.returncode != 0:
        fail(f"a clock seven minutes on fails the replay:\n{later.stderr}")
    changed = command_line(environment, "replay", name, "--device", changed_digit(folder), "--json")
    if changed.returncode != 1:
        fail(f"a changed digit: exit {changed.returncode}\n{changed.stderr}")
    steps = json.loads(changed.stdout)["recordings"][0]["steps"]
    drifted = [step for step in steps if step["verdict"] == "drifted"]
    if not drifted:
        fail(f"no step drifted: {changed.stdout}")
    regions = [r for gate in drifted[0]["gates"] if not gate["matched"] for r in gate["regions"]]
    print(f"  step {drifted[0]['step']} ({drifted[0]['description']}): {[(r['points'], r.get('nearest')) for r in regions]}")
    # a digit is less than 20 points wide and 30 high
    if not regions or any(r["points"]["width"] > 40 or r["points"]["height"] > 40 for r in regions):
        fail("the region is not that of the digit")


async def worked_case(mode, environment):
    name = f"buy-{mode}"
    print(f"{mode}:")
    server = StdioServerParameters(command=BINARY, args=[], env=environment)
    async with Client(server, mode=mode) as client:
        agent = Agent(client)
        await explore(agent)
        await record(agent, name)
        await replay(agent, name)
        refused, _, is_error = await agent.call("tap", lable="Sign In")
        if not is_error or "did you mean `label`?" not in refused:
            fail(refused)
    return name


def main():
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "SIMDRIVE_HOME": home, "SHOP_PASSWORD": "correct-horse", "WRONG_PASSWORD": "battery"}
        for mode in ("legacy", "auto"):
            name = asyncio.run(worked_case(mode, environment))
            recording = (pathlib.Path(home) / "recordings" / name / "recording.yaml").read_text()
            if "correct-horse" in recording:
                fail("the password stands in the recording")
        gates(environment, name, home)
    print("the worked case passed")


main()
