"""Resources, prompts and completions through the Python `mcp` client: both eras, over stdio and HTTP.

usage: mcp_resources.py SIMDRIVE_BINARY
"""

import asyncio
import base64
import json
import os
import re
import sys
import tempfile

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import PromptReference, ResourceTemplateReference

from agent import Agent, Failed, usage
from http_server import server


async def refused(code, work):
    """Work that must fail with this code of ours."""
    try:
        await work
    except MCPError as error:
        data = error.error.data or {}
        if data.get("code") != code:
            raise Failed(f"wanted {code}, got {error.error}") from error
        return
    raise Failed(f"wanted {code}, went well")


async def check(client, name):
    a = Agent(client)
    # a client of the era without connections always names its session
    session = re.match(r"session (\w+):", await a.call("session_start", device="sim:demo"))[1]
    await a.call("record_start", name=name, session=session)
    await a.call("tap", label="Count up", session=session)
    await a.call("record_stop", session=session)

    uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
    wanted = {
        "simdrive://recordings", "simdrive://audit", f"simdrive://recordings/{name}",
        f"simdrive://sessions/{session}/observation", f"simdrive://sessions/{session}/picture",
    }
    if not wanted <= uris:
        raise Failed(f"not listed: {wanted - uris}")
    templates = [t.uri_template for t in (await client.list_resource_templates()).resource_templates]

    async def read(uri):
        return (await client.read_resource(uri)).contents[0]

    seen = json.loads((await read(f"simdrive://sessions/{session}/observation")).text)
    if not any(mark["label"] == "Counter: 1" for mark in seen["marks"]):
        raise Failed(f"the observation is not the last: {seen}")
    picture = base64.b64decode((await read(f"simdrive://sessions/{session}/picture")).blob)
    yaml = (await read(f"simdrive://recordings/{name}")).text
    frame = re.search(r"before: \"?([0-9a-f]{16})", yaml)[1]
    png = base64.b64decode((await read(f"simdrive://recordings/{name}/frames/{frame}")).blob)
    if not picture.startswith(b"\xff\xd8") or not png.startswith(b"\x89PNG"):
        raise Failed("a picture is none")
    if '"tap"' not in (await read("simdrive://audit")).text:
        raise Failed("the audit log lacks the tap")
    for uri, code in [
        ("simdrive://recordings/none", "recording_not_found"),
        ("simdrive://recordings/..%2Fetc", "invalid_argument"),
        ("simdrive://sessions/s99/picture", "no_session"),
        ("file:///etc/passwd", "invalid_argument"),
    ]:
        await refused(code, client.read_resource(uri))

    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    filled = await client.get_prompt("reproduce_bug", {"bug": "the counter jumps"})
    if len(prompts) != 3 or "the counter jumps" not in filled.messages[0].content.text:
        raise Failed(f"{prompts}: {filled}")
    await refused("invalid_argument", client.get_prompt("reproduce_bug", {}))

    async def complete(reference, argument, typed):
        return (await client.complete(reference, {"name": argument, "value": typed})).completion.values

    explore = PromptReference(type="ref/prompt", name="explore_app")
    recordings = ResourceTemplateReference(type="ref/resource", uri=templates[0])
    if "sim:shop" not in await complete(explore, "device", "sim"):
        raise Failed("no devices")
    if await complete(explore, "label", "count u") != ["Count up"]:
        raise Failed("no labels")
    if await complete(recordings, "name", name[:3]) != [name]:
        raise Failed("no recordings")

    told = []

    async def progress(done, total, text):
        told.append((done, total, text))

    arguments = {"label": "never", "timeout_ms": 1500, "session": session}
    await client.call_tool("wait_for", arguments, progress_callback=progress)
    if not told or any(later[0] < earlier[0] for earlier, later in zip(told, told[1:])):
        raise Failed(f"progress: {told}")
    await a.call("session_end", session=session)
    print(f"  {client.protocol_version}: {len(uris)} resources, {len(prompts)} prompts, {len(told)} words of progress")


async def main(binary):
    for mode in ("legacy", "auto"):
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "SIMDRIVE_HOME": home, "CI": ""}
            parameters = StdioServerParameters(command=binary, args=[], env=environment, cwd=home)
            async with Client(parameters, mode=mode) as client:
                await check(client, "over-stdio")
        with server(binary) as site:
            async with httpx2.AsyncClient(headers=site.headers, timeout=60) as http:
                async with Client(streamable_http_client(f"{site.url}/mcp", http_client=http), mode=mode) as client:
                    await check(client, "over-http")
    print("resources, prompts, completions and progress: both eras, both transports")


if __name__ == "__main__":
    usage(2, "mcp_resources.py SIMDRIVE_BINARY")
    asyncio.run(main(sys.argv[1]))
