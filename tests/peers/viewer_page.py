"""The viewer at `/`, looked at in a browser as a person would: on a phone and a desk, light and dark.

usage: viewer_page.py SIMDRIVE_BINARY [FOLDER FOR PICTURES]
"""

import asyncio
import pathlib
import sys
import tempfile

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agent import Agent, expect, usage
from browser import SHAPES, fits, page
from http_server import TOKEN, server

ESCAPE = "\ue00c"
SHOT = "document.querySelector('#picture').naturalWidth > 0 && document.querySelectorAll('.mark').length > 3"


def enter(tab, url, pictures):
    tab.open(url)
    expect(tab.run("return document.querySelectorAll('#picture').length") == 0, "it is shown without a token")
    tab.picture(pictures / "entrance.png")
    send = "document.querySelector('#token').value = arguments[0]; document.forms[0].submit()"
    tab.run(send, "a-wrong-token")
    tab.wait("document.querySelector('[role=alert]').textContent.includes('not this server')", "a wrong token is refused")
    tab.open("about:blank")
    tab.open(f"{url}/#token={TOKEN}")
    tab.wait(SHOT, "the token lets one in, and the screen is shown")
    expect(TOKEN not in tab.run("return location.href + document.cookie"), "the token stays in the page")


def look_round(tab, name, pictures):
    tab.wait(SHOT, "the screen is shown")
    fits(tab, name)
    tab.picture(pictures / f"{name}.png")
    # each mark lies on the picture where the look says it is
    apart = tab.run("""const box = document.querySelector('#screen').getBoundingClientRect();
      return [...document.querySelectorAll('.mark')].filter(mark => { const b = mark.getBoundingClientRect();
        return b.left < box.left - 2 || b.right > box.right + 2 || b.top < box.top - 2 || b.bottom > box.bottom + 2; }).length""")
    expect(apart == 0, f"{name}: {apart} marks beside the picture")
    tab.run("[...document.querySelectorAll('.mark')].find(m => m.ariaLabel.includes('Count up')).click()")
    tab.wait("!document.querySelector('#fields').hidden && document.querySelector('#fields').textContent.includes('stable_id')", "a mark's fields are told")
    tab.picture(pictures / f"{name}-fields.png")
    fits(tab, f"{name} with fields")
    tab.press(ESCAPE)
    tab.wait("document.querySelector('#fields').hidden", "Escape closes the fields")
    tab.press("m")
    tab.wait("getComputedStyle(document.querySelector('.mark')).visibility === 'hidden' || getComputedStyle(document.querySelector('.mark')).display === 'none'", "m takes the marks away")
    tab.press("m")
    actions = tab.run("return document.querySelector('#actions').textContent")
    expect("tap" in actions and "a wrong token was given" in actions, f"{name}: the actions are {actions!r}")
    tab.run("document.querySelector('[data-recording]').click()")
    tab.wait("document.querySelector('#viewer').open && document.querySelector('#frame').naturalWidth > 0 && !document.querySelector('#target').hidden", "a recording is opened at its first step")
    fits(tab, f"{name} with a recording")
    tab.picture(pictures / f"{name}-recording.png")
    tab.run("document.querySelector('#close').click()")


async def main(binary, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    with server(binary) as site, page() as tab:
        async with httpx2.AsyncClient(headers=site.headers, timeout=60) as http:
            async with Client(streamable_http_client(f"{site.url}/mcp", http_client=http), mode="legacy") as client:
                agent = Agent(client)
                tab.shape(*SHAPES["desk"], dark=False)
                await agent.call("session_start", device="sim:demo")
                await agent.call("record_start", name="count")
                await agent.call("tap", label="Count up")
                await agent.call("record_stop")
                await asyncio.to_thread(enter, tab, site.url, pictures)
                for name, shape in SHAPES.items():
                    for dark in (False, True):
                        tab.shape(*shape, dark=dark)
                        await asyncio.to_thread(look_round, tab, f"{name}-{'dark' if dark else 'light'}", pictures)
                # what an agent does is there within moments, without a click
                await agent.call("tap", label="Count up")
                await asyncio.to_thread(tab.wait, "[...document.querySelectorAll('.mark')].some(m => m.ariaLabel.includes('Counter: 2'))", "what the agent did is shown")
                await agent.call("session_end")
                await asyncio.to_thread(tab.wait, "!document.querySelector('#empty').hidden", "the end of the session is shown")
                await asyncio.to_thread(fits, tab, "no session")
                tab.picture(pictures / "no-session.png")
        unwelcome = [said for said in tab.complaints() if "401" not in said]
        expect(not unwelcome, f"the browser complains: {unwelcome}")
    print(f"the viewer works at {len(SHAPES)} widths, light and dark; pictures in {pictures}")


if __name__ == "__main__":
    usage(2, "viewer_page.py SIMDRIVE_BINARY [FOLDER]")
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    asyncio.run(main(sys.argv[1], pathlib.Path(folder)))
