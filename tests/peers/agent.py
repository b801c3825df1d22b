"""What the peer scripts share: simdrive as an MCP server, driven by the Python `mcp` client."""

import contextlib
import json
import os
import re
import sys

from mcp import Client, StdioServerParameters

SECRETS = {"SHOP_PASSWORD": "correct-horse", "SHOP_WRONG": "not-the-password", "DEMO_PASSWORD": "open-sesame"}


class Failed(Exception):
    """An answer that is not what was expected."""


def expect(truth, what):
    """Fails, saying what, where something is not so."""
    if not truth:
        raise Failed(what)


class Agent:
    """One server; of its last answer the text is kept in `said` and the picture blocks in `pictures`."""

    def __init__(self, client):
        self.client = client
        self.said = ""
        self.pictures = []

    async def ask(self, tool, **arguments):
        """One call, told in one line; whether the answer is an error."""
        result = await self.client.call_tool(tool, arguments)
        if result.structured_content is not None:
            raise Failed(f"{tool} sent structured content")
        self.said = "\n".join(block.text for block in result.content if block.type == "text")
        self.pictures = [block for block in result.content if block.type == "image"]
        first = self.said.splitlines()[0] if self.said else ""
        print(f"  {tool} {json.dumps(arguments, ensure_ascii=False)}: {first}", flush=True)
        return result.is_error

    async def call(self, tool, **arguments):
        """A call that must go well; its text."""
        if await self.ask(tool, **arguments):
            raise Failed(f"{tool} {arguments}:\n{self.said}")
        return self.said

    async def refused(self, code, tool, **arguments):
        """A call that must fail with this code; its text."""
        if not await self.ask(tool, **arguments) or not self.said.startswith(f"error {code}: "):
            raise Failed(f"{tool} {arguments}: wanted {code}, got:\n{self.said}")
        return self.said

    async def mark(self, role):
        """The number of the first mark of a role, as read from the lines of an observation."""
        text = await self.call("observe", image="none")
        found = re.search(rf"^(\d+) {role}\b", text, re.MULTILINE)
        if not found:
            raise Failed(f"no {role} in\n{text}")
        return int(found[1])

    def expect(self, *words):
        for word in words:
            if word not in self.said:
                raise Failed(f"`{word}` is not in:\n{self.said}")


@contextlib.asynccontextmanager
async def agent(binary, *flags, mode="auto", environment=None):
    """Starts `binary` as a server over stdio and speaks to it."""
    environment = {**os.environ, **SECRETS, **(environment or {})}
    server = StdioServerParameters(command=binary, args=list(flags), env=environment)
    async with Client(server, mode=mode) as client:
        yield Agent(client)


def usage(count, text):
    if len(sys.argv) < count:
        raise SystemExit(f"usage: {text}")
