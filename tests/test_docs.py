"""The documents must not fall behind the code."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from kafka_nextgen.cli.groups import groups
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.wire import schemas as wire_schemas
from kafka_nextgen.wire.apis import EXTENSIONS
from kafka_nextgen.wire.schema import Message, Structure
from tests.cli.running import commands_of
from tests.testing.broker.security.requirements import NEEDS

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
INDEXES = [page for page in PAGES if "{toctree}" in page.read_text()]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("name", ["configuration", "consumer_settings", "membership", "metrics", "one_heartbeat"])
def test_a_page_made_from_the_code_is_what_the_code_says(name: str) -> None:
    script = runpy.run_path(str(ROOT / "docs" / "tools" / f"make_{name}.py"))
    assert script["PAGE"].read_text() == script[f"{name}_page"](), f"run python docs/tools/make_{name}.py"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())]
    missing = [link for link in links if link and "://" not in link and not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("index", INDEXES, ids=name_of)
def test_an_index_says_what_each_of_its_pages_is_for(index: Path) -> None:
    """On the site the tree of an index is the menu. Sphinx checks that every page is in one."""
    text = index.read_text()
    shown = set(re.findall(r"\]\(([\w/-]+)\.md\)", text))
    menu = {name for tree in re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL) for name in tree.split()}
    assert {name for name in menu if (index.parent / f"{name}.md").exists()} - shown - {"changelog"} == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_files_exist(page: Path) -> None:
    named = re.findall(r"`((?:kafka_nextgen|tests|docs|examples|findings|scripts|\.ci)/[\w./]*)`", page.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_is_said_to_be_in_a_file_is_there(page: Path) -> None:
    for name, file in re.findall(r"`(\w+)`\s\(`(kafka_nextgen/[\w/]+\.py)`\)", page.read_text()):
        defined = re.search(
            rf"^\s*(async def|def|class) {name}\b|^{name}\b.* = ", (ROOT / file).read_text(), re.MULTILINE
        )
        assert defined, f"{name_of(page)}: there is no {name} in {file}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_in_the_documents_is_python(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        compile(block, page.name, "exec")


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/internals/testing.md"])
def test_ci_runs_the_tests_as_the_pages_say(page: str) -> None:
    (command,) = re.findall(r"^\$ (.*/pytest -n .*)$", (ROOT / page).read_text(), re.MULTILINE)
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


def test_keys_in_the_readme_exist() -> None:
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        keys = re.findall(r'"([a-z]+(?:\.[a-z]+)+)": ', block)
        ConsumerConfig.parse({"bootstrap.servers": "localhost:9092", "group.id": "g"} | _defaults(keys))


def _defaults(keys: list[str]) -> dict[str, object]:
    """None stands for the default, so only the keys are checked."""
    return {key: None for key in keys if key not in ("bootstrap.servers", "group.id") and not key.startswith("group.c")}


def test_the_commands_about_groups_are_all_there_with_their_options() -> None:
    page = (ROOT / "docs" / "operations" / "groups.md").read_text()
    rows = re.findall(r"^\| `groups ([\w-]+)[^`]*` \|(.*)$", page, re.MULTILINE)
    commands = commands_of(groups)
    assert {name for name, _ in rows} == set(commands)
    for name, row in rows:
        options = {option for parameter in commands[name].params for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", row)) <= options


def extensions_in(structure: type[Structure]) -> Iterator[tuple[int, str]]:
    """The fields of a schema that Kafka has none of: their tags, and their names in Kafka's spelling."""
    for each in structure.FIELDS:
        if each.tag is not None and each.tag >= min(EXTENSIONS):
            yield each.tag, each.name.title().replace("_", "")
        inner = each.element or each.kind
        if isinstance(inner, type):
            yield from extensions_in(inner)


def test_all_extensions_are_on_their_page() -> None:
    page = (ROOT / "docs" / "concepts" / "extensions.md").read_text()
    for key, api in EXTENSIONS.items():
        (right,) = NEEDS[api].refused
        assert f"| {key} | {api} | {right.operation.name} |" in page
    schemas = [import_module(f"{wire_schemas.__name__}.{each.name}") for each in iter_modules(wire_schemas.__path__)]
    kinds = [kind for module in schemas for kind in vars(module).values() if isinstance(kind, type)]
    messages = [kind for kind in kinds if issubclass(kind, Message) and kind is not Message and kind.API_KEY >= 0]
    tagged = {field for message in messages for field in extensions_in(message)}
    assert {(10001, "StandbyPlace"), (10002, "StandbyPlace")} <= tagged  # of a described member, and of a heartbeat
    assert tagged - set(tags_on(page)) == set()


def tags_on(page: str) -> Iterator[tuple[int, str]]:
    """The tags of messages on the page about extensions, with their fields; a row may have several of each."""
    for tags, fields in re.findall(r"^\|[^|]*\| (1\d{4}(?:, 1\d{4})*) \| ([^|:.]+)", page, re.MULTILINE):
        yield from zip(map(int, tags.split(", ")), map(str.strip, fields.split(", ")), strict=False)
