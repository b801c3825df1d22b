"""A few calls that the peer scripts share: simdrive as an MCP server, driven by the Python `mcp` client."""

import contextlib
import os
import sys

from mcp import Client, StdioServerParameters

PASSWORD = "correct-horse"


class Failed(Exception):
    """An answer that is not what was expected."""


class Agent:
    """One server, one session at a time; every answer's text is kept in `said`."""

    def __init__(self, client):
        self.client = client
        self.said = ""

    async def call(self, tool, expect_error=None, **arguments):
        result = await self.client.call_tool(tool, arguments)
        self.said = "\n".join(block.text for block in result.content if block.type == "text")
        if expect_error is not None:
            if not result.is_error or expect_error not in self.said:
                raise Failed(f"{tool} {arguments}: wanted {expect_error}, got: {self.said}")
        elif result.is_error:
            raise Failed(f"{tool} {arguments}: {self.said}")
        return result

    def expect(self, *words):
        for word in words:
            if word not in self.said:
                raise Failed(f"`{word}` is not in: {self.said}")


@contextlib.asynccontextmanager
async def agent(binary, *flags, mode="auto"):
    """Starts `binary` as a server over stdio and speaks to it."""
    environment = dict(os.environ, SHOP_PASSWORD=PASSWORD, SHOP_WRONG="not-the-password", DEMO_PASSWORD="open-sesame")
    server = StdioServerParameters(command=binary, args=list(flags), env=environment)
    async with Client(server, mode=mode) as client:
        yield Agent(client)


def usage(count, text):
    if len(sys.argv) < count:
        raise SystemExit(f"usage: {text}")
