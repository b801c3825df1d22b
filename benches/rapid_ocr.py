#!/usr/bin/env python3
"""Our cold reading of screens against RapidOCR's (PyPI, onnxruntime, PP-OCRv6 small), as a ratio in one run.

    python3 -m venv venv && venv/bin/pip install rapidocr==3.10.0 onnxruntime
    venv/bin/python benches/rapid_ocr.py target/release/simdrive FOLDER_OF_PNGS [PIXELS_A_POINT]

Each screen is read by both, one after the other, and the fastest of the rounds counts. Ours is what `observe
--image` says it spent on text, in a process that has read nothing before; theirs is the call alone, with the
models loaded and warm, without its classifier of angles.
"""
import json
import logging
import pathlib
import statistics
import subprocess
import sys
import time

from rapidocr import RapidOCR

ROUNDS = 3


def ours(binary, picture, scale):
    call = [binary, "observe", "--image", str(picture), "--scale", scale, "--json"]
    seen = json.loads(subprocess.run(call, capture_output=True, check=True).stdout)
    return seen["provenance"]["text_ms"], seen["provenance"]["text_lines"]


def theirs(engine, picture):
    started = time.perf_counter()
    read = engine(str(picture), use_cls=False)
    return (time.perf_counter() - started) * 1e3, len(read.txts or [])


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    scale = sys.argv[3] if len(sys.argv) > 3 else "3"
    logging.disable(logging.WARNING)
    engine = RapidOCR()
    ratios = []
    for picture in sorted(folder.glob("*.png")):
        theirs(engine, picture)
        rounds = [(ours(binary, picture, scale), theirs(engine, picture)) for _ in range(ROUNDS)]
        (we, lines), (they, found) = min(r[0] for r in rounds), min(r[1] for r in rounds)
        if lines == 0:
            continue
        ratios.append(they / we)
        print(f"{picture.stem:50.50} ours {we:7.0f} ms ({lines} lines)  RapidOCR {they:7.0f} ms ({found})  {they / we:.1f}×")
    print(f"median of {len(ratios)} screens: {statistics.median(ratios):.1f} times faster")


if __name__ == "__main__":
    main()
