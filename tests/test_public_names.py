"""Every public name is on a page of the API reference, with a docstring."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import GenericAlias
from typing import TypeVar

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "reference" / "api"
SHOWN = re.findall(
    r"^\.\. auto(?:class|exception|function|data)::[ ]([\w.]+)",
    "\n".join(page.read_text() for page in PAGES.glob("*.md")),
    re.MULTILINE,
)
STABILITY = (Path(__file__).parents[1] / "docs" / "start" / "stability.md").read_text()
#: The modules that applications import from, and the plugin for pytest. Some names are in two of them.
PUBLIC = (
    *re.findall(r"`(kafka_nextgen[\w.]*)`", STABILITY.partition("Public modules:")[2].partition("\n\n")[0]),
    "pytest_kafka_nextgen",
)


def value_of(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def our_members(kind: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties of a class, also inherited ones, that this library defines."""
    if getattr(kind, "_is_protocol", False):
        return  # what a value has to have, as the class says
    for base in inspect.getmro(kind):
        if base.__module__.partition(".")[0] == "kafka_nextgen":
            for name, member in vars(base).items():
                if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, property)):
                    yield name, getattr(kind, name)


def is_shown(value: object, name: str) -> bool:
    """Whether a page has the value, under this name of any module. Errors are shown as a module."""
    if isinstance(value, TypeVar) or getattr(value, "__module__", "") == "kafka_nextgen.errors":
        return True
    return any(each.endswith(f".{name}") and value_of(each) is value for each in SHOWN)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_on_a_page(module: str) -> None:
    pytest.importorskip("pyspark" if ".spark" in module else "attrs")
    names = import_module(module).__all__
    assert [name for name in names if not is_shown(value_of(f"{module}.{name}"), name)] == []


def test_no_name_is_shown_twice() -> None:
    assert [name for name, count in Counter(SHOWN).items() if count > 1] == []


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_has_a_docstring(name: str) -> None:
    pytest.importorskip("pyspark" if ".spark" in name else "attrs")
    value = value_of(name)
    is_alias = isinstance(value, GenericAlias)  # such as Callable[[], int], which is a type in Python 3.10
    if isinstance(value, type) and not is_alias:
        assert value.__doc__
        assert [member for member, of in our_members(value) if not inspect.getdoc(of)] == []
    elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        assert inspect.getdoc(value)
