"""What simdrive sees on real pages from their pixels alone, against the DOM's own boxes.

usage: webdriver_vision.py SIMDRIVE_BINARY NODE_MODULES [--keep FOLDER]

NODE_MODULES holds framework7 1.7.1 and cypress-example-kitchensink 7.0.0. Each screen is a picture that chromedriver
takes and `simdrive observe --image` reads: there is no accessibility in it. The truth are the elements that can be
tapped and the lines of text that are in view and not covered. FOLDER keeps each picture with its truth beside it.

  text    lines read exactly by a mark over the same place, of all
  tap     elements in which the middle of a mark falls, of all
  label   of the elements that show a text, those whose mark carries it
  excess  marks whose middle is in no text and no element
"""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import webdriver_servers as servers
from agent import Failed, usage

SCALE = 3
BAR = 0.90

# name, folder, page, and what is done there first: how far it is scrolled, or the link that is clicked
SCREENS = [
    ("framework7-index", "framework7/dist", "index.html", 0),
    ("framework7-about", "framework7/dist", "index.html", "a[href='about.html']"),
    ("framework7-form", "framework7/dist", "index.html", "a[href='form.html']"),
    ("framework7-services", "framework7/dist", "index.html", "a[href='services.html']"),
    ("framework7-tab-bar", "framework7", "examples/tab-bar/index.html", 0),
    ("framework7-split-view", "framework7", "examples/split-view/index.html", 0),
    ("framework7-inline-pages", "framework7", "examples/inline-pages/index.html", 0),
    ("kitchensink-index", "cypress-example-kitchensink/app", "index.html", 0),
    ("kitchensink-index-2", "cypress-example-kitchensink/app", "index.html", 700),
    ("kitchensink-actions", "cypress-example-kitchensink/app", "commands/actions.html", 500),
    ("kitchensink-actions-2", "cypress-example-kitchensink/app", "commands/actions.html", 2200),
    ("kitchensink-querying", "cypress-example-kitchensink/app", "commands/querying.html", 400),
    ("kitchensink-traversal", "cypress-example-kitchensink/app", "commands/traversal.html", 500),
    ("kitchensink-network", "cypress-example-kitchensink/app", "commands/network-requests.html", 400),
    ("kitchensink-todo", "cypress-example-kitchensink/app", "todo.html", 0),
]

STYLE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<style>*{box-sizing:border-box}body{margin:0;font:16px sans-serif;background:#f2f2f7;color:#111}
header{background:#fff;padding:16px;font-size:20px;font-weight:bold;border-bottom:1px solid #ddd}
a{color:#0a64d8;text-decoration:none}.card{background:#fff;margin:16px;border-radius:12px;padding:16px}
nav{position:fixed;bottom:0;left:0;right:0;display:flex;background:#fff;border-top:1px solid #ccc}
nav a{flex:1;text-align:center;padding:10px 0;font-size:12px}nav b{display:block;font-size:22px}
.row{display:flex;justify-content:space-between;align-items:center;padding:14px 16px;background:#fff;
border-bottom:1px solid #e4e4e8;color:#111}.grid{display:grid;grid-template-columns:1fr 1fr;gap:12px;padding:12px}
button{font:16px sans-serif;padding:12px 18px;border:0;border-radius:10px;background:#0a64d8;color:#fff}
.plain{background:none;color:#0a64d8}input,select,textarea{font:16px sans-serif;width:100%;padding:12px;margin:8px 0;
border:1px solid #bbb;border-radius:8px;background:#fff}.row input{width:auto;margin:0;transform:scale(1.4)}</style>"""

OWN = {
    "own-sign-in": """<header>Welcome back</header><div class=card><label>E-mail<input placeholder="you@example.com">
</label><label>Password<input type=password placeholder="Password"></label><button style="width:100%">Sign in</button>
<p style="text-align:center"><a href="#">Forgot your password?</a></p><button class=plain>Create an account</button></div>""",
    "own-settings": """<header>Settings</header><a class=row href="#">Account<span>›</span></a>
<a class=row href="#">Notifications<span>›</span></a><a class=row href="#">Privacy<span>›</span></a>
<label class=row>Dark mode<input type=checkbox checked></label><label class=row>Use mobile data<input type=checkbox></label>
<div class=card>Language<select><option>English</option></select><button>Save changes</button></div>
<nav><a href="#"><b>⌂</b>Home</a><a href="#"><b>☆</b>Saved</a><a href="#"><b>⚙</b>Settings</a></nav>""",
    "own-shop": "<header>Garden shop</header><div class=grid>" + "".join(
        f'<div class=card style="margin:0"><div style="height:70px;background:{colour};border-radius:8px"></div>'
        f"<p>{name}</p><button>Add</button></div>"
        for name, colour in (("Rose", "#e99"), ("Fern", "#9c9"), ("Tulip", "#ecb"), ("Cedar", "#8ab"))
    ) + "</div><nav><a href='#'>Shop</a><a href='#'>Orders</a><a href='#'>Basket</a></nav>",
    "own-chat": """<header><a href="#">‹ Back</a> Ada</header><div class=card>Did the roses arrive?</div>
<div class=card style="margin-left:90px;background:#d6e6ff">They did, thank you!</div><div class=card>Shall I bring the
spade tomorrow? <a href="#">See the plan</a></div><nav style="padding:8px"><input placeholder="Message"
style="margin:0 8px 0 0"><button>Send</button></nav>""",
}

TRUTH = r"""
// what is seen is a part of the page, perhaps zoomed
const v = visualViewport, left = v.offsetLeft, top = v.offsetTop, right = left + v.width, bottom = top + v.height;
const inView = r => r.width * v.scale >= 8 && r.height * v.scale >= 8 && r.left + r.width / 2 >= left &&
  r.top + r.height / 2 >= top && r.left + r.width / 2 < right && r.top + r.height / 2 < bottom;
const pixels = sides => sides.map(side => side * v.scale * devicePixelRatio);
const box = r => {
  const x = Math.max(r.left, left), y = Math.max(r.top, top);
  return pixels([x - left, y - top, Math.min(r.right, right) - x, Math.min(r.bottom, bottom) - y]);
};
const top_ = r => document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
const shown = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true});
const cased = {uppercase: t => t.toUpperCase(), lowercase: t => t.toLowerCase(),
  capitalize: t => t.replace(/^\p{L}/u, c => c.toUpperCase())};
const fold = t => t.replace(/\s+/g, ' ').trim();
const tappable = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[onclick],' +
  ['button', 'link', 'tab', 'checkbox', 'switch', 'radio', 'menuitem', 'option'].map(r => `[role=${r}]`).join();
const elements = [];
for (const e of document.querySelectorAll(tappable)) {
  if (e.parentElement.closest('a[href],button') || !shown(e) || e.disabled) continue;
  const rects = [...e.getClientRects()].filter(inView).filter(r => { const t = top_(r); return t && (e.contains(t) ||
    [...(e.labels || [])].some(l => l.contains(t))); });
  if (!rects.length) continue;
  const typed = /^(text|email|search|url|tel|number|)$/.test(e.type || '') || e.tagName == 'TEXTAREA';
  const text = e.tagName == 'INPUT' || e.tagName == 'TEXTAREA'
    ? (/^(submit|button|reset)$/.test(e.type) || typed ? e.value || e.placeholder || '' : '')
    : e.tagName == 'SELECT' ? (e.selectedOptions[0] || {}).text || '' : e.innerText;
  elements.push({role: e.getAttribute('role') || e.tagName.toLowerCase(), label: fold(text.split('\n')[0]),
    bbox: box(rects[0]), alt_bboxes: [...rects.slice(1), ...[...(e.labels || [])].map(l => l.getBoundingClientRect())].map(box)});
}
const lines = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; node = walker.nextNode();) {
  const owner = node.parentElement;
  if (!node.data.trim() || !shown(owner)) continue;
  let block = owner;
  while (getComputedStyle(block).display.startsWith('inline') && getComputedStyle(block).display != 'inline-block' &&
    block.parentElement) block = block.parentElement;
  const as = cased[getComputedStyle(owner).textTransform] || (t => t);
  // a word that is broken over lines is a piece on each
  const pieces = [...node.data.matchAll(/\S+/g)].flatMap(word => {
    const at = (start, end) => { const range = document.createRange(); range.setStart(node, start); range.setEnd(node, end);
      return range; };
    const whole = at(word.index, word.index + word[0].length);
    if (whole.getClientRects().length < 2) return [{text: as(word[0]), r: whole.getBoundingClientRect()}];
    const parts = [];
    [...word[0]].reduce((index, letter) => {
      const r = at(index, index + letter.length).getBoundingClientRect(), last = parts.at(-1);
      if (last && Math.abs(last.r.bottom - r.bottom) < r.height / 2) {
        last.text += as(letter);
        last.r = new DOMRect(last.r.left, last.r.top, r.right - last.r.left, last.r.height);
      } else parts.push({text: as(letter), r});
      return index + letter.length;
    }, word.index);
    return parts;
  });
  for (const {text, r} of pieces) {
    const whole = r.left >= left && r.top >= top && r.right <= right && r.bottom <= bottom;
    const t = r.width && whole && top_(r);
    if (!t || !(owner.contains(t) || t.contains(owner))) continue;
    const last = lines.at(-1);
    const follows = last && last.block == block && Math.abs(last.bottom - r.bottom) < r.height / 2 && last.right <= r.left + 2;
    if (follows) {
      last.text += (r.left - last.right > 1 ? ' ' : '') + text;
      Object.assign(last, {right: r.right, top: Math.min(last.top, r.top), bottom: Math.max(last.bottom, r.bottom)});
    } else lines.push({block, text, left: r.left, top: r.top, right: r.right, bottom: r.bottom});
  }
}
const texts = lines.map(l => ({text: l.text, 
  bbox: pixels([l.left - left, l.top - top, l.right - l.left, l.bottom - l.top])}));
return {texts, elements};
"""

SAME = str.maketrans({"…": "...", "–": "-", "—": "-", "’": "'", "‘": "'", "·": "•", "“": '"', "”": '"'})


def fold(text):
    return " ".join((text or "").translate(SAME).split())


def inside(mark, boxes, slack=2 * SCALE):
    x, y, width, height = mark["box"]
    x, y = x + width / 2, y + height / 2
    return any(b[0] - slack <= x <= b[0] + b[2] + slack and b[1] - slack <= y <= b[1] + b[3] + slack for b in boxes)


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)


def seen(binary, picture):
    command = [binary, "observe", "--image", picture, "--scale", str(SCALE), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    marks = json.loads(done.stdout)["marks"]
    for mark in marks:
        frame = mark["frame"]
        mark["box"] = [frame[side] * SCALE for side in ("x", "y", "width", "height")]
        mark["words"] = [w for w in (fold(mark.get("label")), fold(mark.get("value"))) if w]
    return marks


def measured(marks, truth):
    """How often, of how many; and what was missed."""
    figures = dict(text=[0, 0], tap=[0, 0], label=[0, 0], excess=[0, 1])
    missed = []
    for line in truth["texts"]:
        want, box = fold(line["text"]), line["bbox"]
        area = box[2] * box[3]
        near = [m for m in marks if overlap(m["box"], box) > 0.3 * min(area, m["box"][2] * m["box"][3])]
        words = [word for mark in near for word in mark["words"]]
        found = any(f" {want} " in f" {word} " for word in words)
        figures["text"][0] += found
        figures["text"][1] += 1
        if not found:
            missed.append(f"text {want!r}, read {words[:2]}")
    for element in truth["elements"]:
        hits = [m for m in marks if inside(m, [element["bbox"], *element["alt_bboxes"]])]
        figures["tap"][0] += bool(hits)
        figures["tap"][1] += 1
        if not hits:
            missed.append(f"{element['role']} {element['label']!r} at {[round(v / SCALE) for v in element['bbox']]}")
        if label := fold(element["label"]):
            figures["label"][0] += any(label in word for mark in hits for word in mark["words"])
            figures["label"][1] += 1
    boxes = [line["bbox"] for line in truth["texts"]]
    boxes += [box for element in truth["elements"] for box in (element["bbox"], *element["alt_bboxes"])]
    figures["excess"][0] = sum(not inside(mark, boxes) for mark in marks)
    return figures, missed


class Browser:
    """A session of chromedriver, without simdrive."""

    def __init__(self, device):
        self.base = device.removeprefix("webdriver+")
        asked = {"capabilities": {"alwaysMatch": servers.CAPABILITIES}}
        self.base += "/session/" + self.call("POST", "/session", asked)["sessionId"]

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        asked = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)["value"]

    def screen(self, address, first):
        """A picture and the truth of it."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": address})
        time.sleep(1.5)
        script = f"scrollTo(0, {first})" if isinstance(first, int) else f'document.querySelector("{first}").click()'
        self.call("POST", "/execute/sync", {"script": script, "args": []})
        time.sleep(1)
        truth = self.call("POST", "/execute/sync", {"script": TRUTH, "args": []})
        return base64.b64decode(self.call("GET", "/screenshot")), truth


def screens(browser, modules, folder):
    """Takes every picture, with its truth beside it."""
    own = os.path.join(folder, "pages")
    os.mkdir(own)
    for name, body in OWN.items():
        with open(os.path.join(own, f"{name}.html"), "w", encoding="utf-8") as page:
            page.write(STYLE + body)
    wanted = [(name, os.path.join(modules, root), page, first) for name, root, page, first in SCREENS]
    for name, root, page, first in wanted + [(name, own, f"{name}.html", 0) for name in OWN]:
        with servers.served(root) as address:
            picture, truth = browser.screen(f"{address}/{page}", first)
        with open(os.path.join(folder, f"{name}.png"), "wb") as file:
            file.write(picture)
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump({"scale": SCALE, **truth}, file, ensure_ascii=False)
        yield name, os.path.join(folder, f"{name}.png"), truth


def main():
    usage(3, "webdriver_vision.py SIMDRIVE_BINARY NODE_MODULES [--keep FOLDER]")
    binary, modules = os.path.abspath(sys.argv[1]), sys.argv[2]
    total = dict(text=[0, 0], tap=[0, 0], label=[0, 0], excess=[0, 0])
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        browser = Browser(stack.enter_context(servers.chromedriver()))
        stack.callback(browser.call, "DELETE", "")
        for name, picture, truth in screens(browser, modules, folder):
            figures, missed = measured(seen(binary, picture), truth)
            for figure, (found, of) in figures.items():
                total[figure][0] += found
                total[figure][1] += of
            told = "  ".join(f"{figure} {found}/{of}" for figure, (found, of) in figures.items() if figure != "excess")
            print(f"{name:26} {told}  excess {figures['excess'][0]}", flush=True)
            for what in missed:
                print(f"    missed {what}")
        if "--keep" in sys.argv:
            shutil.copytree(folder, sys.argv[sys.argv.index("--keep") + 1], dirs_exist_ok=True)
    share = {figure: found / max(of, 1) for figure, (found, of) in total.items()}
    print("  ".join(f"{figure} {value:.3f}" for figure, value in share.items()))
    if share["tap"] < BAR:
        raise Failed(f"of what can be tapped {share['tap']:.3f} is seen, not {BAR}")


if __name__ == "__main__":
    main()
