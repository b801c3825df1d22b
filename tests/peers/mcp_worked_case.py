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
import subprocess
import sys
import tempfile

from agent import SECRETS, Failed, agent

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(sys.argv[1]).resolve())
START = "clock=2026-01-01T09:41:00Z"
LATER = "clock=2026-01-01T09:48:00Z"


async def sign_in(a, secret):
    await a.call("type_text", into={"label": "Email", "role": "text_field"}, text="ada@example.com", clear_first=True)
    await a.call("type_text", into={"label": "Password", "role": "secure_field"}, secret=secret)
    text = await a.call("tap", label="Sign In", role="button")
    return text


async def explore(a):
    """A wrong password is told in what appeared."""
    text = await a.call("session_start", device=f"sim:shop?{START}")
    if "session s" not in text:
        raise Failed(text)
    await a.call("observe")
    if len(a.pictures) != 1 or a.pictures[0].mime_type != "image/jpeg":
        raise Failed("observe sent no picture")
    text = await sign_in(a, "SHOP_WRONG")
    appeared = [line for line in text.splitlines() if line.startswith("+")]
    if not any("Wrong email or password" in line for line in appeared):
        raise Failed(f"the error is not among what appeared:\n{text}")
    await a.call("session_end")


async def record(a, name):
    await a.call("session_start", device=f"sim:shop?{START}")
    await a.call("record_start", name=name, description="Sign in, search, buy", tags=["worked-case"])
    await sign_in(a, "SHOP_PASSWORD")
    await a.call("wait_for", label="Copper Kettle")
    await a.call("type_text", into={"mark": await a.mark("search_field")}, text="kitchen", submit=True)
    await a.call("swipe", direction="up", until="Steel French Press")
    await a.call("tap", label="Steel French Press")
    await a.call("wait_for", label="Add to Cart")
    text = await a.call("tap", label="Add to Cart")
    if "effect changed" not in text:
        raise Failed(text)
    await a.call("record_stop")
    await a.call("session_end")


async def replay(a, name):
    # a new session of its own
    text = await a.call("replay", name=name)
    if "1 passed, 0 failed" not in text:
        raise Failed(text)


def command_line(environment, *arguments):
    ran = subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    print(f"  simdrive {' '.join(arguments)}: exit {ran.returncode}")
    return ran


def changed_digit(folder):
    """A copy of the shop in which one price differs by one digit."""
    shop = (REPOSITORY / "fixtures/apps/shop.yaml").read_text()
    changed = shop.replace("name: Steel French Press, category: Kitchen, price: 54.90", "name: Steel French Press, category: Kitchen, price: 54.80")
    if changed == shop:
        raise Failed("the shop has no such product")
    path = pathlib.Path(folder) / "shop.yaml"
    path.write_text(changed)
    return f"sim:{path}?{START}"


def gates(environment, name, folder):
    later = command_line(environment, "replay", name, "--device", f"sim:shop?{LATER}", "--json")
    if later.returncode != 0:
        raise Failed(f"a clock seven minutes on fails the replay:\n{later.stderr}")
    changed = command_line(environment, "replay", name, "--device", changed_digit(folder), "--json")
    if changed.returncode != 1:
        raise Failed(f"a changed digit: exit {changed.returncode}\n{changed.stderr}")
    steps = json.loads(changed.stdout)["recordings"][0]["steps"]
    drifted = [step for step in steps if step["verdict"] == "drifted"]
    if not drifted:
        raise Failed(f"no step drifted: {changed.stdout}")
    regions = [r for gate in drifted[0]["gates"] if not gate["matched"] for r in gate["regions"]]
    print(f"  step {drifted[0]['step']} ({drifted[0]['description']}): {[(r['points'], r.get('nearest')) for r in regions]}")
    # a digit is less than 20 points wide and 30 high
    if not regions or any(r["points"]["width"] > 40 or r["points"]["height"] > 40 for r in regions):
        raise Failed("the region is not that of the digit")


async def worked_case(mode, home):
    name = f"buy-{mode}"
    print(f"{mode}:")
    async with agent(BINARY, mode=mode, environment={"SIMDRIVE_HOME": home}) as a:
        await explore(a)
        await record(a, name)
        await replay(a, name)
        await a.refused("invalid_argument", "tap", lable="Sign In")
        a.expect("did you mean `label`?")
    return name


def main():
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, **SECRETS, "SIMDRIVE_HOME": home}
        for mode in ("legacy", "auto"):
            name = asyncio.run(worked_case(mode, home))
            recording = (pathlib.Path(home) / "recordings" / name / "recording.yaml").read_text()
            if SECRETS["SHOP_PASSWORD"] in recording:
                raise Failed("the password stands in the recording")
        gates(environment, name, home)
    print("the worked case passed")


main()
