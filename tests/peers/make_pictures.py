"""Makes the pictures of the README, as an agent sees them.

usage: make_pictures.py SIMDRIVE_BINARY PICTURES_DIR
"""

import asyncio
import base64
import pathlib
import sys

from agent import agent, usage
from make_recordings import sign_in


async def save(a, folder, name):
    await a.call("observe", image="annotated")
    (folder / f"{name}.jpg").write_bytes(base64.b64decode(a.pictures[0].data))


async def main(binary, folder):
    frozen = "clock=2026-01-01T09:41:00Z"
    async with agent(binary) as a:
        await a.call("session_start", device=f"sim:shop?{frozen}")
        await save(a, folder, "shop-sign-in")
        await sign_in(a)
        await save(a, folder, "shop-catalogue")
        await a.call("session_end")

        await a.call("session_start", device=f"sim:settings?{frozen}&appearance=dark")
        await save(a, folder, "settings-dark")
        await a.call("session_end")

        await a.call("session_start", device=f"sim:demo?{frozen}")
        await a.call("tap", label="Count up")
        await a.call("tap", label="Reset")
        await save(a, folder, "demo-alert")
        await a.call("session_end")


if __name__ == "__main__":
    usage(3, "make_pictures.py SIMDRIVE_BINARY PICTURES_DIR")
    asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2])))
