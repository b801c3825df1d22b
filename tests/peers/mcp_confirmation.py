"""A tap that must be confirmed, through the Python `mcp` client in both eras: with elicitation and without it.

usage: mcp_confirmation.py SIMDRIVE_BINARY
"""

import asyncio
import contextlib
import json
import os
import re
import sys
import tempfile

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, InputRequiredResult

from agent import SECRETS, Agent, expect, usage

RULES = '[policy]\nconfirm = "always"\nconfirm_labels = ["Count up"]\n'
ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
# a token is void after two minutes
TOO_LATE = 122


class Counter:
    """The demo with its counter, which only confirmed taps may move."""

    def __init__(self, client, asked, home):
        self.client, self.asked, self.home = client, asked, home
        self.agent = Agent(client)
        self.session = None

    async def start(self):
        self.session = re.match(r"session (\w+):", await self.agent.call("session_start", device="sim:demo"))[1]

    async def tap(self, label="Count up", **more):
        return await self.agent.call("tap", label=label, session=self.session, **more)

    async def refused(self, code, says="", **more):
        text = await self.agent.refused(code, "tap", label="Count up", session=self.session, **more)
        self.agent.expect(says)
        return text

    async def counted(self, wanted):
        seen = await self.agent.call("observe", image="none", session=self.session)
        expect(f'"Counter: {wanted}"' in seen, f"the counter is not at {wanted}:\n{seen}")

    async def change_the_screen(self):
        # the second answers the alert that the first brings
        await self.tap("Reset")
        await self.tap("Reset")

    def verdicts(self):
        """What the audit log says of the taps on the button."""
        with open(os.path.join(self.home, "audit.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [line["verdict"] for line in lines if line.get("target") == "button “Count up”"]


@contextlib.asynccontextmanager
async def counter(binary, era, answer=None):
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
            if answer == "nothing":
                await asyncio.sleep(600)
            return ElicitResult(action=answer, content={} if answer == "accept" else None)

        options = {"elicitation_callback": callback} if answer else {}
        async with Client(server, mode=ERAS[era], **options) as client:
            expect(client.protocol_version == era, f"the client speaks {client.protocol_version}, not {era}")
            this = Counter(client, asked, home)
            await this.start()
            yield this


async def accepted(binary, era):
    async with counter(binary, era, "accept") as c:
        await c.tap()
        await c.counted(1)
        expect(len(c.asked) == 1 and "“Count up” must be confirmed" in c.asked[0], f"one question: {c.asked}")
        expect(c.verdicts() == ["to_confirm", "done"], f"the log: {c.verdicts()}")


async def turned_down(binary, era):
    for answer in ("decline", "cancel"):
        async with counter(binary, era, answer) as c:
            text = await c.refused("policy_denied", "did not agree")
            expect(len(c.asked) == 1 and "confirm: " not in text, f"one question and no token: {c.asked} {text}")
            await c.counted(0)
            expect(c.verdicts() == ["to_confirm", "declined"], f"the log: {c.verdicts()}")


async def by_token(binary, era):
    """Through a client that can't be asked."""
    async with counter(binary, era) as c:
        async def token():
            text = await c.refused("confirmation_required")
            return re.search(r"^confirm: (\w+)$", text, re.MULTILINE)[1]

        first = await token()
        await c.tap(confirm=first)
        await c.refused("confirmation_required", "used already", confirm=first)
        await c.refused("confirmation_required", "another call", count=2, confirm=await token())
        await c.refused("confirmation_required", "not known", confirm="0" * 32)
        given = await token()
        await c.change_the_screen()
        await c.refused("confirmation_required", "screen has changed", confirm=given)
        # only the confirmed tap counted, and that was reset
        await c.counted(0)


async def by_state(binary):
    """The newer protocol by hand: the state of a question serves once, for that call, on that screen."""
    async with counter(binary, "2026-07-28", "accept") as c:
        async def call(state=None, answers=None, **more):
            arguments = {"label": "Count up", "session": c.session, **more}
            return await c.client.session.call_tool(
                "tap", arguments, request_state=state, input_responses=answers, allow_input_required=True,
            )

        async def question():
            asked = await call()
            expect(isinstance(asked, InputRequiredResult), f"a question was wanted: {asked}")
            expect(list(asked.input_requests) == ["confirm"], f"one question: {asked.input_requests}")
            return asked.request_state

        yes = {"confirm": ElicitResult(action="accept", content={})}

        async def void(says, *arguments, **more):
            result = await call(*arguments, **more)
            expect(getattr(result, "is_error", False), f"a refusal was wanted: {result}")
            text = "".join(part.text for part in result.content)
            expect("confirmation_required" in text and says in text, f"wanted “{says}”: {text}")

        state = await question()
        done = await call(state, yes)
        expect(not done.is_error, f"the tap was agreed to: {done}")
        await c.counted(1)
        await void("used already", state, yes)
        await void("another call", await question(), yes, count=2)
        await void("not known", "0" * 32, yes)
        await void("not known", "{}", yes)
        # without an answer it is asked again
        again = await call(await question(), {})
        expect(isinstance(again, InputRequiredResult), f"a question was wanted: {again}")
        state = await question()
        await c.change_the_screen()
        await void("screen has changed", state, yes)
        await c.counted(0)


async def too_late(binary):
    """Nobody answers for two minutes: all three ways at once, as that is long."""

    async def asked(era):
        async with counter(binary, era, "nothing") as c:
            if era == "2025-11-25":
                await c.refused("policy_denied", "did not agree")
            else:
                first = await c.client.session.call_tool(
                    "tap", {"label": "Count up", "session": c.session}, allow_input_required=True,
                )
                await asyncio.sleep(TOO_LATE)
                late = await c.client.session.call_tool(
                    "tap", {"label": "Count up", "session": c.session}, request_state=first.request_state,
                    input_responses={"confirm": ElicitResult(action="accept", content={})},
                )
                expect(late.is_error and "older than 2 minutes" in late.content[0].text, f"too late: {late}")
            await c.counted(0)

    async def token():
        async with counter(binary, "2025-11-25") as c:
            text = await c.refused("confirmation_required")
            await asyncio.sleep(TOO_LATE)
            given = re.search(r"^confirm: (\w+)$", text, re.MULTILINE)[1]
            await c.refused("confirmation_required", "older than 2 minutes", confirm=given)
            await c.counted(0)

    await asyncio.gather(asked("2025-11-25"), asked("2026-07-28"), token())


async def main(binary):
    binary = os.path.abspath(binary)
    for era in ERAS:
        for check in (accepted, turned_down, by_token):
            await check(binary, era)
            print(f"  {era}: {check.__name__}", flush=True)
    await by_state(binary)
    print("  2026-07-28: by_state", flush=True)
    await too_late(binary)
    print("confirmations hold: agreed, declined, cancelled, too late, used again, changed call, changed screen")


if __name__ == "__main__":
    usage(2, "mcp_confirmation.py SIMDRIVE_BINARY")
    asyncio.run(main(sys.argv[1]))
