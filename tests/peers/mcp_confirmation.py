"""A tap that must be confirmed, through the Python `mcp` client: with elicitation and without it.

usage: mcp_confirmation.py SIMDRIVE_BINARY
"""

import asyncio
import os
import re
import sys
import tempfile

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

from agent import SECRETS, Agent, Failed, usage

RULES = '[policy]\nconfirm = "always"\nconfirm_labels = ["Count up"]\n'


async def counted(a):
    """What the counter says."""
    return re.search(r'"Counter: (\d+)"', await a.call("observe", image="none"))[1]


async def with_agent(binary, answer, run):
    """One server with those rules, and a client that answers questions so, or can't be asked."""
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "simdrive")
        os.makedirs(folder)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(RULES)
        environment = {**os.environ, **SECRETS, "SIMDRIVE_HOME": home, "XDG_CONFIG_HOME": home}
        server = StdioServerParameters(command=binary, args=[], env=environment)
        asked = []

        async def callback(_context, params):
            asked.append(params.message)
            return ElicitResult(action=answer, content={} if answer == "accept" else None)

        options = {"elicitation_callback": callback} if answer else {}
        async with Client(server, mode="legacy", **options) as client:
            a = Agent(client)
            await a.call("session_start", device="sim:demo")
            await run(a, asked)


async def accepted(a, asked):
    await a.call("tap", label="Count up")
    if await counted(a) != "1" or "“Count up” must be confirmed" not in asked[0]:
        raise Failed(f"one tap and one question were wanted: {asked}")


async def refused(a, asked):
    text = await a.refused("policy_denied", "tap", label="Count up")
    if await counted(a) != "0" or len(asked) != 1 or "confirm: " in text:
        raise Failed(f"no tap, one question and no token were wanted: {asked} {text}")


async def by_token(a, _):
    async def token():
        text = await a.refused("confirmation_required", "tap", label="Count up")
        return re.search(r"^confirm: (\w+)$", text, re.MULTILINE)[1]

    first = await token()
    await a.call("tap", label="Count up", confirm=first)
    await a.refused("confirmation_required", "tap", label="Count up", confirm=first)
    a.expect("used already")
    await a.refused("confirmation_required", "tap", label="Count up", count=2, confirm=await token())
    a.expect("another call")
    await a.refused("confirmation_required", "tap", label="Count up", confirm="0" * 32)
    a.expect("not known")
    given = await token()
    # the second answers the alert that the first brings
    await a.call("tap", label="Reset")
    await a.call("tap", label="Reset")
    await a.refused("confirmation_required", "tap", label="Count up", confirm=given)
    a.expect("screen has changed")
    if await counted(a) != "0":
        raise Failed("only the confirmed tap may have counted, and that was reset")


async def main(binary):
    binary = os.path.abspath(binary)
    for answer, run in [("accept", accepted), ("decline", refused), ("cancel", refused), (None, by_token)]:
        print(f"the client answers {answer or 'nothing: it cannot be asked'}", flush=True)
        await with_agent(binary, answer, run)
    print("confirmations hold")


if __name__ == "__main__":
    usage(2, "mcp_confirmation.py SIMDRIVE_BINARY")
    asyncio.run(main(sys.argv[1]))
