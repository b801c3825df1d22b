"""Every tool, one by one, through the Python `mcp` client: arguments that it takes, and each kind that it doesn't.

usage: mcp_tools.py SIMDRIVE_BINARY

What is wrong is made from the published schemas: an argument that is missing, of another type, out of range, not
among the words there are, or unknown. All must be refused as `invalid_argument`, by name, and change nothing.
"""

import asyncio
import os
import sys
import tempfile

from agent import Failed, agent, usage

# in this order, each on what the ones before left
GOOD = [
    ("version", {}),
    ("doctor", {}),
    ("list_devices", {"kind": "embedded"}),
    ("session_start", {"device": "sim:demo"}),
    ("session_status", {}),
    ("observe", {"image": "annotated", "detail": "full", "limit": 50, "min_confidence": 0.1}),
    ("record_start", {"name": "all-tools", "tags": ["peers"], "masks": [{"name": "status-bar"}]}),
    ("tap", {"label": "Count up"}),
    ("record_stop", {}),
    ("list_replays", {"tag": "peers"}),
    ("validate_replay", {"name": "all-tools"}),
    ("lint_recordings", {}),
    ("migrate_recording", {"name": "all-tools", "dry_run": True}),
    ("replay", {"name": "all-tools"}),
    ("wait_for", {"label": "Count up", "timeout_ms": "2000"}),
    ("instruct", {"text": "tap Count up then find Counter"}),
    ("swipe", {"direction": "up"}),
    ("open_url", {"url": "https://example.com/"}),
    ("press_key", {"key": "home"}),
    ("session_start", {"device": "sim:demo", "replace_existing": True}),
    ("session_end", {"session": "s1"}),
    ("tap", {"label": "More"}),
    ("tap", {"label": "Sign in"}),
    ("tap_and_wait_keyboard", {"label": "Name"}),
    ("type_text", {"text": "Ada"}),
    ("clear_field", {"label": "Name"}),
    ("dismiss_sheet", {}),
    ("set_appearance", {"appearance": "dark"}),
    ("app_state", {}),
    ("apps", {}),
    ("logs", {"lines": 5}),
    ("crashes", {}),
    ("perf", {"samples": 2}),
    ("perf_baseline", {"samples": 2}),
    ("perf_compare", {"samples": 2}),
    ("memory", {}),
    ("pre_grant_permissions", {"permissions": {"photos": True}}),
    ("dismiss_first_launch_alerts", {}),
    ("load_journey", {"path": "journey.yaml"}),
]

JOURNEY = """schema: simdrive.journey/1
name: counting
goals: [Count to three]
success: [{screen: {label: Count up}}]
"""

WRONG = {
    "string": {"not": "a text"},
    "integer": "many",
    "number": "many",
    "boolean": "perhaps",
    "array": "one",
    "object": "one",
}


def wrongs(schema):
    """Arguments that can't be taken, each with the name that the refusal must tell."""
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        yield {}, name
        break
    for name, about in properties.items():
        if about.get("type") in WRONG:
            yield {name: WRONG[about["type"]]}, name
        if "minimum" in about:
            yield {name: about["minimum"] - 1}, name
        if "maximum" in about:
            yield {name: about["maximum"] + 1}, name
        if "enum" in about:
            yield {name: "none of these"}, name
    yield {"no_such_argument": 1}, "no_such_argument"


async def main(binary):
    with tempfile.TemporaryDirectory() as home:
        journey = os.path.join(home, "journey.yaml")
        with open(journey, "w", encoding="utf-8") as file:
            file.write(JOURNEY)
        environment = {"SIMDRIVE_HOME": home, "CI": ""}
        async with agent(binary, "--recordings", os.path.join(home, "recordings"), environment=environment) as a:
            tools = {tool.name: tool for tool in (await a.client.list_tools()).tools}
            missing = set(tools) ^ {name for name, _ in GOOD}
            if missing:
                raise Failed(f"tools without arguments here, or arguments without tools: {missing}")
            for name, arguments in GOOD:
                await a.call(name, **{**arguments, **({"path": journey} if name == "load_journey" else {})})
            refused = 0
            for tool in tools.values():
                good = next(arguments for name, arguments in GOOD if name == tool.name)
                required = {name: good[name] for name in tool.input_schema.get("required", []) if name in good}
                for wrong, named in wrongs(tool.input_schema):
                    arguments = {**required, **wrong} if wrong else {}
                    await a.refused("invalid_argument", tool.name, **arguments)
                    a.expect(named)
                    refused += 1
            print(f"{len(tools)} tools answer, {refused} wrong calls are refused by name")


if __name__ == "__main__":
    usage(2, "mcp_tools.py SIMDRIVE_BINARY")
    asyncio.run(main(sys.argv[1]))
