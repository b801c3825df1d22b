#!/usr/bin/env python3
"""The whole gate against odiff, from two PNG files to a verdict, by turns on the same files.

usage: odiff.py SIMDRIVE_BINARY ODIFF_BINARY [ROUNDS]

The second program comes from npm: npm install odiff-bin@4.5.0 lays it at node_modules/@odiff/linux-x64/odiff (the script
in node_modules/.bin would start node first). The frames are drawn here, 1179×2556, and written with the adaptive filters that a phone's screenshots have. Times are the fastest of the
rounds, with starting the process: what else runs on the machine only makes them longer.
"""
import os, pathlib, struct, subprocess, sys, tempfile, time, zlib

WIDTH, HEIGHT = 1179, 2556
GROUND, CARD, INK = (242, 242, 247), (255, 255, 255), (0, 0, 0)
SEGMENTS = [0x77, 0x24, 0x5D, 0x6D, 0x2E, 0x6B, 0x7B, 0x25, 0x7F, 0x6F]
BARS = [(0, 0, 18, 4), (0, 0, 4, 18), (14, 0, 4, 18), (0, 16, 18, 4), (0, 18, 4, 18), (14, 18, 4, 18), (0, 32, 18, 4)]


def fill(rows, x, y, width, height, colour):
    for row in rows[y:y + height]:
        row[x * 3:(x + width) * 3] = bytes(colour) * width


def digit(rows, x, y, figure, ground=CARD):
    fill(rows, x, y, 18, 36, ground)
    for i, (dx, dy, width, height) in enumerate(BARS):
        if SEGMENTS[figure % 10] >> i & 1:
            fill(rows, x + dx, y + dy, width, height, INK)


def screen():
    """A list of cells with strokes like text, under a bar with a clock."""
    rows = [bytearray(bytes(GROUND) * WIDTH) for _ in range(HEIGHT)]
    clock(rows, 0)
    for row in range(16):
        top = 200 + row * 140
        fill(rows, 48, top, 1083, 130, CARD)
        for i in range(18):
            digit(rows, 80 + i * 30, top + 40, i * 7 + row)
        for i in range(5):
            digit(rows, 870 + i * 30, top + 50, i + row * 3)
    return rows


def clock(rows, figure):
    for i in range(4):
        digit(rows, 150 + i * 30, 60, figure + i, GROUND)


def noise(rows):
    state = 1
    for row in rows:
        for i in range(len(row)):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            row[i] = max(0, min(255, row[i] + (state >> 24) % 3 - 1))


def invert(rows):
    for row in rows:
        row[:] = bytes(255 - level for level in row)


CHANGES = {
    "identical": lambda rows: None,
    "digit": lambda rows: digit(rows, 900, 1010, 7),
    "clock": lambda rows: clock(rows, 4),
    "noise": noise,
    "fully changed": invert,
}


def png(rows):
    """Each row by the filter, of none, sub and up, whose bytes are least: as most encoders choose."""
    out, above = bytearray(), bytes(WIDTH * 3)
    for row in rows:
        sub = bytes((b - a) & 255 for a, b in zip(bytes(3) + bytes(row[:-3]), row))
        up = bytes((b - a) & 255 for a, b in zip(above, row))
        cost = lambda line: sum(min(b, 256 - b) for b in line)
        kind, line = min(((0, bytes(row)), (1, sub), (2, up)), key=lambda choice: cost(choice[1]))
        out += bytes([kind]) + line
        above = bytes(row)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(out), 6)) + chunk(b"IEND", b"")


def timed(command):
    """Milliseconds on the clock, and of processors."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    taken = (time.perf_counter() - begun) * 1e3
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 21, 22):
        raise SystemExit(f"{command}: exit {process.returncode}")
    return taken, (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    simdrive, odiff = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        a = folder / "a.png"
        a.write_bytes(png(screen()))
        print(f"fastest of {rounds}, ms: on the clock / of processors")
        print(f"{'change':14} {'simdrive':>16} {'odiff':>16} {'odiff/simdrive':>20}")
        for name, change in CHANGES.items():
            rows = screen()
            change(rows)
            b = folder / "b.png"
            b.write_bytes(png(rows))
            ours = [simdrive, "compare", str(a), str(b)]
            theirs = [odiff, str(a), str(b)]
            times = ([], [])
            for _ in range(rounds + 1):
                for into, command in zip(times, (ours, theirs)):
                    into.append(timed(command))
            # the first round warms up
            ours, theirs = ([min(column) for column in zip(*one[1:])] for one in times)
            told = lambda one: f"{one[0]:7.1f} / {one[1]:6.1f}"
            ratios = f"{theirs[0] / ours[0]:8.2f} / {theirs[1] / ours[1]:5.2f}"
            print(f"{name:14} {told(ours):>16} {told(theirs):>16} {ratios:>20}")


main()
