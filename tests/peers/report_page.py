"""The report of a failing run, opened from its file in a browser as a person would: on a phone and a desk, light and dark.

usage: report_page.py SIMDRIVE_BINARY [FOLDER FOR PICTURES]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from agent import SECRETS, expect, usage
from browser import SHAPES, fits, page

ROOT = pathlib.Path(__file__).resolve().parents[2]


def failing_run(binary, folder):
    """A price of the shop is another one; the page of that run."""
    app = folder / "shop.yaml"
    shop = (ROOT / "fixtures/apps/shop.yaml").read_text(encoding="utf-8")
    dearer = shop.replace("price: 49.90", "price: 49.80")
    expect(dearer != shop, "the shop has a lamp for 49.90")
    app.write_text(dearer, encoding="utf-8")
    report = folder / "report"
    done = subprocess.run(
        [binary, "replay", str(ROOT / "recordings/shop-catalogue"), "--device", f"sim:{app}", "--gate-timeout", "1000", "--report", str(report)],
        cwd=folder, env={**os.environ, **SECRETS, "SIMDRIVE_HOME": str(folder)}, capture_output=True, text=True, check=False,
    )
    expect(done.returncode == 1, f"drift was wanted: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-500:]}")
    return report / "index.html"


def shown(tab, figure):
    """Whether a picture of the first failing step is seen."""
    return tab.run(f"const f = document.querySelector('li.failing .viewer figure.{figure}'); return f.offsetWidth > 0 && f.querySelector('img').naturalWidth > 0")


def look_round(tab, name, pictures):
    tab.wait("document.querySelector('li.failing .viewer')", "a failing step is shown")
    tab.press("j")
    tab.wait("document.activeElement.classList.contains('failing')", "j goes to the failing step")
    fits(tab, name)
    tab.press("1")
    expect(all(shown(tab, figure) for figure in ("expected", "actual", "difference")), f"{name}: three pictures side by side")
    regions = tab.run("return document.querySelectorAll('li.failing .viewer .region').length")
    expect(regions > 0, f"{name}: no region is drawn")
    tab.picture(pictures / f"report-{name}.png")
    tab.press("2")
    tab.wait("getComputedStyle(document.querySelector('li.failing input[type=range]')).display !== 'none'", "2 brings the slider")
    tab.run("const r = document.querySelector('li.failing input[type=range]'); r.value = 20; r.dispatchEvent(new Event('input', {bubbles: true}))")
    tab.wait("getComputedStyle(document.querySelector('li.failing figure.actual')).clipPath.includes('20%')", "the slider moves the cut")
    tab.picture(pictures / f"report-{name}-slider.png")
    fits(tab, f"{name} with the slider")
    tab.press("3")
    tab.wait("getComputedStyle(document.querySelector('li.failing figure.actual')).animationName === 'blink'", "3 blinks")
    tab.press("4")
    expect(shown(tab, "difference") and not shown(tab, "expected"), f"{name}: 4 shows the difference alone")
    tab.press("m")
    tab.wait("getComputedStyle(document.querySelector('li.failing .region')).display === 'none'", "m takes the regions away")
    tab.press("m", "1")


def main(binary, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, page() as tab:
        report = failing_run(os.path.abspath(binary), pathlib.Path(folder))
        # alone, as it is when CI keeps it: no other file is needed
        alone = pathlib.Path(folder) / "alone.html"
        alone.write_bytes(report.read_bytes())
        for name, shape in SHAPES.items():
            for dark in (False, True):
                tab.shape(*shape, dark=dark)
                tab.open(alone.as_uri())
                look_round(tab, f"{name}-{'dark' if dark else 'light'}", pictures)
        expect(not tab.complaints(), f"the browser complains: {tab.complaints()}")
    print(f"the report works from its file at {len(SHAPES)} widths, light and dark; pictures in {pictures}")


if __name__ == "__main__":
    usage(2, "report_page.py SIMDRIVE_BINARY [FOLDER]")
    main(sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()))
