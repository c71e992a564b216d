"""What helps contributors is true: examples, hooks, issue forms and workflows name what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DECISIONS = sorted((ROOT / "docs" / "internals" / "decisions").glob("[0-9]*.md"))
SCRIPTS = re.compile(r"(?<![\w/])(\.ci/\w+(?:\.\w+)?|scripts/\w+|(?:tests|docs)/[\w/]+(?:\.\w+)?)")


def name_of(path: Path) -> str:
    return path.name


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


@pytest.mark.parametrize("change", ["A Kafka API", "A configuration key", "A member rule", "An assignor"])
def test_each_kind_of_change_has_an_example(change: str) -> None:
    section = re.search(rf"^### {change}.*?(?=^##)", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    assert section is not None
    _, example = section[0].split("**Example:**")
    assert len(re.findall(r"`\w+`\s\(`kafka_nextgen/", example)) >= 2, "tests/test_docs.py checks these"


def test_the_example_of_a_member_rule_is_a_row_of_the_table() -> None:
    (row,) = re.findall(r"`(row\(.*?\))`", CONTRIBUTING)
    assert row in (ROOT / "kafka_nextgen" / "membership" / "transitions.py").read_text()


@pytest.mark.parametrize("path", [ROOT / ".pre-commit-config.yaml", *WORKFLOWS], ids=name_of)
def test_scripts_and_tests_that_are_run_exist(path: Path) -> None:
    named = set(SCRIPTS.findall(path.read_text()))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_hooks_run_the_tools_of_the_development_environment() -> None:
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    tools = {hook["entry"].split()[0] for hook in repository["hooks"]}
    assert tools == {".venv/bin/ruff", ".venv/bin/lint-imports", ".venv/bin/pytest", "bash"}


@pytest.mark.parametrize("path", [path for path in FORMS if path.name != "config.yml"], ids=name_of)
def test_an_issue_form_can_be_filled_in(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= form.keys()
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert len({each["id"] for each in fields}) == len(fields)
    assert all(each["attributes"]["label"] for each in fields)
    assert any(each.get("validations", {}).get("required") for each in fields)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_actions_are_pinned_to_a_commit(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text())
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_a_workflow_gives_no_job_more_rights_than_it_names(path: Path) -> None:
    assert read(path)["permissions"] == {"contents": "read"}


def test_decisions_are_numbered_and_listed() -> None:
    listed = re.findall(r"\| \[(\d+)\]\(([\w-]+\.md)\) \|", (DECISIONS[0].parent / "index.md").read_text())
    assert [name for _, name in listed] == [path.name for path in DECISIONS]
    assert [number for number, _ in listed] == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]
    assert [path.name for path in DECISIONS if "\n## Decision\n" not in path.read_text()] == []
