#!/usr/bin/env python3
"""What makes a screen hard to drive, met through the Python MCP client: a refusal touches nothing, which the
simulator's own log of touches tells; what moves is followed; a screen without accessibility works all the same.

usage: mcp_chaos.py SIMDRIVE_BINARY
"""
import asyncio
import pathlib
import re
import sys
import tempfile

from agent import Failed, agent, usage
from simulator import simulator

CASES = []


def case(function):
    CASES.append(function)
    return function


async def untouched(a, sim, code, tool, **arguments):
    """A call that must be refused without a touch; its text."""
    before = await sim.touches()
    text = await a.refused(code, tool, **arguments)
    if await sim.touches() != before:
        raise Failed(f"{tool} was refused with {code}, but touches arrived")
    return text


@case
async def two_equal_buttons(a, sim):
    await a.call("tap", label="Two equal buttons")
    text = await untouched(a, sim, "target_ambiguous", "tap", label="Continue")
    if not re.search(r'candidates:\n\d+ button "Continue".*\n\d+ button "Continue".*\no\d+ ', text):
        raise Failed(f"two candidates were wanted:\n{text}")
    await a.call("tap", label="Continue", near="Premium plan")
    a.expect("Chosen: Premium plan")


@case
async def a_vanished_button(a, sim):
    await a.call("tap", label="Vanishing button")
    a.expect("Now or never")
    await sim.advance(3_000)
    await untouched(a, sim, "target_stale", "tap", label="Now or never")
    a.expect("Too late.")


@case
async def a_moving_button(a, sim):
    await a.call("tap", label="Moving button")
    for count in ("1 time", "2 times"):
        await sim.advance(3_000)
        await a.call("tap", label="Catch me")
        a.expect("it had moved by", f"Caught {count}")


@case
async def a_covered_button(a, sim):
    await a.call("tap", label="Covered button")
    await untouched(a, sim, "target_covered", "tap", label="Buy Now")
    await a.call("tap", label="Accept Cookies")
    await a.call("tap", label="Buy Now")
    a.expect("pressed 1 time")


@case
async def a_late_alert(a, sim):
    await a.call("tap", label="Late alert")
    await sim.advance(3_000)
    await untouched(a, sim, "target_covered", "tap", label="Tap me before it comes")
    a.expect("Are you still there?")
    await a.call("tap", label="Yes")
    a.expect("Answer: Yes")


@case
async def a_disabled_button_and_places_that_are_none(a, sim):
    await a.call("tap", label="No accessibility")
    await untouched(a, sim, "target_disabled", "tap", label="Decrease")
    await untouched(a, sim, "target_offscreen", "tap", x=5_000, y=1)
    await untouched(a, sim, "invalid_argument", "tap", x="NaN", y=1)
    await untouched(a, sim, "target_not_found", "tap", label="nowhere at all")


@case
async def a_screen_without_accessibility(a, sim):
    await a.call("tap", label="No accessibility")
    text = await a.call("observe", image="none")
    for words in ('back_button', 'text "Count: 0"', 'button "Increase"', 'button "Decrease" disabled', 'switch "Turbo"', 'cell "Details"', 'text_field "Write a note"', "icon_button"):
        if words not in text:
            raise Failed(f"no {words} in\n{text}")
    await a.call("tap", label="Increase")
    a.expect("Count: 1")
    await a.call("tap", mark=await a.mark("icon_button"))
    a.expect("Count: 2")
    await a.call("tap", label="Decrease")
    a.expect("Count: 1")
    await a.call("tap", label="Turbo", role="switch")
    a.expect("Fast")
    await a.call("type_text", text="seen", into={"label": "Write a note", "role": "text_field"}, submit=True)
    a.expect("seen")
    await a.call("tap", label="Details")
    a.expect("alert shown")
    await a.call("tap", label="OK")


@case
async def an_endless_spinner(a, sim):
    await a.call("tap", label="Endless spinner")
    await a.call("wait_for", stable=True)
    await a.call("tap", label="Give up")
    a.expect("Two equal buttons")


@case
async def a_crash(a, sim):
    await a.call("swipe", direction="up", until="Crash", max_swipes=5)
    await a.call("tap", label="Crash")
    a.expect("crashed")
    await a.call("app_state")
    a.expect("crashed:", "Index out of range")


async def meet(binary, home, met):
    """One case, on a simulator whose clock moves only when it is told to."""
    print(f"{met.__name__}:")
    async with simulator(binary, "--app", "chaos", "--clock", "2026-01-01T09:41:00Z") as sim:
        async with agent(binary, environment={"SIMDRIVE_HOME": home}) as a:
            await a.call("session_start", device=sim.selector)
            await met(a, sim)
            await a.call("session_end")


def causes(group):
    """What really failed, below the groups of the client's tasks."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from causes(error)
        else:
            yield error


def main():
    usage(2, "mcp_chaos.py SIMDRIVE_BINARY [CASE…]")
    binary, wanted = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    failed = []
    with tempfile.TemporaryDirectory() as home:
        for met in CASES:
            if wanted and met.__name__ not in wanted:
                continue
            try:
                asyncio.run(meet(binary, home, met))
            except* Failed as failures:
                failed.append(met.__name__)
                print(f"  FAILED: {next(causes(failures))}")
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all chaos cases passed")
    sys.exit(bool(failed))


main()
