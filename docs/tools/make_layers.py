"""Draw docs/internals/plots/layers.svg from the contract that import-linter checks.

    python docs/tools/make_layers.py

``PARTS`` gives each group of layers a name; their order and what is in them come from ``pyproject.toml``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from pictures import Picture

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["layers_picture"]

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "internals" / "plots" / "layers.svg"
CONTRACT = "Imports point down only"
#: The uppermost layer of each part, the part's name and its colour.
PARTS = {
    "cli": ("commands", "violet"),
    "testing": ("tools, and the test double", "violet"),
    "aio": ("what applications import", "blue"),
    "engine": ("the I/O thread of a consumer", "blue"),
    "values": ("what this thread drives", "blue"),
    "offsets_topic": ("messages and their meaning", "green"),
    "membership": ("the protocol: state machines", "green"),
    "wire": ("the wire format", "green"),
    "migrating": ("configuration, assignors, history", "amber"),
    "errors": ("values that everything may import", "faint"),
}
LINE, HEAD, GAP, TOP, CHARS = 19, 26, 8, 64, 60


def _layers() -> list[list[str]]:
    """The layers of the contract from the top, each with its packages."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = (each["layers"] for each in contracts if each["name"] == CONTRACT)
    return [[name.removeprefix("kafka_nextgen.") for name in layer.split(" | ")] for layer in found]


def _parts() -> Iterator[tuple[str, str, list[list[str]]]]:
    """Name, colour and layers of each part. Raises ValueError if ``PARTS`` names a layer that is not there."""
    layers = _layers()
    tops = [number for number, layer in enumerate(layers) if PARTS.keys() & set(layer)]
    if len(tops) != len(PARTS) or tops[0] != 0:
        raise ValueError(f"PARTS must name one package in the first layer of each part: {layers}")
    for begin, end in zip(tops, [*tops[1:], len(layers)], strict=True):
        (key,) = PARTS.keys() & set(layers[begin])
        yield *PARTS[key], layers[begin:end]


def layers_picture() -> str:
    """The picture, as it should be."""
    parts = [(name, colour, list(_lines(layers))) for name, colour, layers in _parts()]
    height = TOP + sum(HEAD + LINE * len(lines) + GAP * 2 for _, _, lines in parts) + 4
    told = " ".join(f"{name}: {' '.join(lines)}." for name, _, lines in parts)
    picture = Picture("The layers of the code", f"From the top: {told} Imports point down only.", height)
    picture.text(16, 28, "The layers of kafka_nextgen", "title")
    picture.text(16, 49, "imports point down only; ▾ separates layers of a part", "faint")
    y = TOP
    for name, colour, lines in parts:
        tall = HEAD + LINE * len(lines) + GAP
        picture.rect(16, y, Picture.WIDTH - 32, tall, "fill box")
        picture.rect(16, y, 8, tall, colour)
        picture.text(34, y + 20, name, f"bold {colour}")
        for number, line in enumerate(lines):
            picture.text(34, y + HEAD + 14 + LINE * number, line, "mono")
        y += tall + GAP
    return str(picture)


def _lines(layers: list[list[str]]) -> Iterator[str]:
    yield from wrap(" ▾ ".join(" ".join(layer) for layer in layers), CHARS)


if __name__ == "__main__":
    PICTURE.write_text(layers_picture())
