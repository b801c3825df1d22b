#!/usr/bin/env python3
"""Prints the golden numbers of tests.rs: SSIM of the pictures that the tests draw, by scikit-image.

usage: golden.py [SIMDRIVE_BINARY PAIRS_DIR]

With the arguments, also how far the mean that `simdrive compare` tells for each NAME-a.png and NAME-b.png is from it.
needs: pip install numpy pillow scikit-image
"""
import json, pathlib, subprocess, sys

import numpy as np
from PIL import Image
from skimage.metrics import structural_similarity

WIDTH, HEIGHT = 203, 151


def pictures():
    """The two pictures of `tests::pictures`, to the level."""
    state = 12345
    expected = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    actual = np.zeros_like(expected)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            state = (state * 1664525 + 1013904223) % 2**32
            noise = (state >> 24) % 9
            for c in range(3):
                level = 255 if y < 60 else (x * 3 + y * 2 + c * 40) % 256
                if 20 <= x < 60 and 10 <= y < 40:
                    level = 0
                expected[y, x, c] = level
                if 100 <= x < 130 and 20 <= y < 50:
                    level = 90 * c
                actual[y, x, c] = level if y < 75 else min(255, max(0, level + noise - 4))
    return expected, actual


def similarity(expected, actual):
    """Mean and map of two images, as grey."""
    expected, actual = (np.asarray(image.convert("RGB").convert("L")) for image in (expected, actual))
    return structural_similarity(
        expected, actual, data_range=255, gaussian_weights=True, use_sample_covariance=False, full=True)


mean, full = similarity(*map(Image.fromarray, pictures()))
windows = full[5:-5, 5:-5]
print("mean", repr(float(mean)), "lowest", repr(float(windows.min())))
print([(y, x, round(float(windows[y, x]), 7)) for y, x in
       [(0, 0), (15, 100), (27, 95), (60, 10), (70, 70), (72, 192), (100, 40), (140, 192), (130, 3)]])

if len(sys.argv) == 3:
    furthest = 0.0
    for a in sorted(pathlib.Path(sys.argv[2]).glob("*-a.png")):
        b = a.with_name(a.name.replace("-a.png", "-b.png"))
        said = subprocess.run([sys.argv[1], "compare", a, b, "--json", "--mask", "none"], capture_output=True)
        ours = json.loads(said.stdout)["mean_ssim"]
        theirs = float(similarity(Image.open(a), Image.open(b))[0])
        furthest = max(furthest, abs(ours - theirs))
        print(f"{a.name[:-6]:32} {ours:.7f} {theirs:.7f}")
    print(f"furthest apart: {furthest:.1e}")
