"""Records the committed recordings through the MCP tools, as an agent would.

usage: make_recordings.py SIMDRIVE_BINARY RECORDINGS_DIR

Names that exist already are refused by `record_start`; remove a folder to record it anew.
"""

import asyncio
import sys

from agent import agent, usage

# the line under the greeting
TIME_AND_DATE = {"x": 40, "y": 345, "width": 313, "height": 40}


async def recorded(binary, folder, device, name, description, tags, masks, steps):
    async with agent(binary, "--recordings", folder) as a:
        await a.call("session_start", device=device)
        await a.call("record_start", name=name, description=description, tags=tags, masks=masks)
        await steps(a)
        await a.call("record_stop")
        print(a.said)
        await a.call("session_end")


async def sign_in(a):
    await a.call("type_text", text="ada@example.com", into={"label": "Email", "role": "text_field"})
    await a.call("type_text", secret="SHOP_PASSWORD", into={"label": "Password", "role": "secure_field"}, submit=True)
    await a.call("tap", label="Sign In", role="button")
    await a.call("wait_for", label="Aurora Desk Lamp")


async def shop_sign_in(a):
    await a.call("type_text", text="ada@example.com", into={"label": "Email", "role": "text_field"})
    await a.call("type_text", secret="SHOP_WRONG", into={"label": "Password", "role": "secure_field"}, submit=True)
    await a.call("tap", label="Sign In", role="button")
    await a.call("wait_for", label="Wrong email or password")
    await a.call("type_text", secret="SHOP_PASSWORD", into={"label": "Password", "role": "secure_field"}, submit=True)
    await a.call("tap", label="Sign In", role="button")
    await a.call("wait_for", label="Aurora Desk Lamp")


async def shop_buy(a):
    await sign_in(a)
    await a.call("type_text", text="lamp", into={"label": "Search products", "role": "search_field"}, submit=True)
    await a.call("tap", label="Aurora Desk Lamp")
    await a.call("wait_for", label="Add to Cart")
    await a.call("tap", label="Add to Cart", role="button")
    await a.call("wait_for", label="Added to cart", gone=True)
    await a.call("tap", label="Cart", role="tab")
    await a.call("wait_for", label="Subtotal")
    await a.call("tap", label="Checkout", role="button")
    await a.call("wait_for", label="Express")
    await a.call("tap", label="Express")
    await a.call("tap", label="Place Order", role="button")
    await a.call("wait_for", label="Place this order?")
    await a.call("tap", label="Place Order", role="button")
    await a.call("wait_for", label="View Orders")
    await a.call("tap", label="View Orders")
    await a.call("wait_for", label="Order 1041")
    await a.call("tap", label="Profile", role="tab")
    await a.call("wait_for", label="Order updates")
    await a.call("tap", label="Order updates", role="switch")


async def shop_catalogue(a):
    await sign_in(a)
    await a.call("tap", label="Kitchen", role="segmented")
    await a.call("swipe", direction="up", until="Maple Cutting Board", max_swipes=8)
    await a.call("tap", label="Maple Cutting Board")
    await a.call("wait_for", label="Add to Cart")
    await a.call("wait_for", label="$45.00")


async def demo_tour(a):
    await a.call("tap", label="Count up", role="button")
    await a.call("tap", label="Count up", role="button")
    await a.call("tap", label="Reset", role="button")
    await a.call("wait_for", label="Reset the counter?")
    await a.call("tap", label="Cancel", role="button")
    await a.call("tap", label="Greeting")
    await a.call("wait_for", label="Say hello")
    await a.call("type_text", text="Grace", into={"label": "Name", "role": "text_field"}, submit=True)
    await a.call("wait_for", label="Hello, Grace!")


async def demo_dark_sheet(a):
    await a.call("set_appearance", appearance="dark")
    await a.call("tap", label="Cities", role="tab")
    await a.call("wait_for", label="Amsterdam")
    await a.call("swipe", direction="up")
    await a.call("tap", label="More", role="tab")
    await a.call("wait_for", label="Sign in")
    await a.call("tap", label="Sign in", role="cell")
    await a.call("wait_for", label="Any name", stable=True)
    await a.call("type_text", text="Ada", into={"label": "Name", "role": "text_field"})
    await a.call("press_key", key="return")
    await a.call("dismiss_sheet")
    await a.call("wait_for", label="Likes", stable=True)


async def settings_wifi(a):
    await a.call("tap", label="Wi-Fi")
    await a.call("wait_for", stable=True)
    await a.call("tap", label="Wi-Fi", role="switch")
    await a.call("wait_for", stable=True)


RECORDINGS = [
    ("sim:shop", "shop-sign-in", "A wrong password is refused, the right one lets in", ["smoke"], [], shop_sign_in),
    ("sim:shop?clock=2026-01-01T09:41:00Z", "shop-buy", "From sign-in to a placed order, and a switch in the profile", ["smoke", "checkout"], [], shop_buy),
    ("sim:shop", "shop-catalogue", "Filter the catalogue, scroll to a product and look at it", [], [], shop_catalogue),
    ("sim:demo", "demo-tour", "Count, refuse a reset, say hello", ["smoke"], [TIME_AND_DATE], demo_tour),
    ("sim:demo", "demo-dark-sheet", "Dark appearance, a list and a sheet that is dragged away", [], [], demo_dark_sheet),
    ("sim:settings", "settings-wifi", "Turn Wi-Fi off", ["smoke"], [], settings_wifi),
]


async def main():
    usage(3, "make_recordings.py SIMDRIVE_BINARY RECORDINGS_DIR [NAME…]")
    binary, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    for device, name, description, tags, masks, steps in RECORDINGS:
        if not wanted or name in wanted:
            await recorded(binary, folder, device, name, description, tags, masks, steps)


if __name__ == "__main__":
    asyncio.run(main())
