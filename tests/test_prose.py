"""``scripts/prose``: what each rule finds, what it leaves alone, and what counts as prose."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.toml_files import read_toml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "scripts" / "prose"
RULES: dict[str, dict[str, Any]] = read_toml(FOLDER / "rules.toml")

#: A text that each expression of a rule finds. Words of a list that are no expression are texts themselves.
BAD = {
    "dialect": """
        It hears of them. It learns about topics. It is told of them. It waits for so many seconds. It waits for ever.
        It answers at once. It is gone for good. It begins anew. It is done by hand. The value in force is 5.
        It goes on to read. The time of what is sent. More than what is sent. There is no such thing.
        There is no such topic. It is not known whether it came. A topic that is not known. It is no position.
        Members, of which none reads. All but the last. All went well but for one. The latter is read.
        The former is read. It says nothing of that. It stands for a topic. One takes the place of another.
        One after the other. It reads any more. It has nought. It is as it were done.
    """,
    "fragments": """
        The names are those of Kafka. It works, and so does the other one. It fails, and neither does it end.
        It waits, but neither does it end. Only then does it read. It is in the place of another.
    """,
    "weasel": """
        A number of times. We utilise it. It leverages that. A seamless change. It blazingly ends. It ends needlessly.
    """,
    "terms": """
        It is a kafka cluster. It is apache Kafka. See kip-848. It re-balances. A heart-beat message is sent.
        All consumer-groups end. There is a consumergroup. The group id of the consumer. The offset number.
        It is de-serialized. The through-put. It is python code. It is json text. It is avro data. It is protoBuf data.
        It is multi-threaded. The co-ordinator. It has a blacklist. The master and slaves. The server-side broker.
    """,
    "repeated": "It reads the the topic.",
    "cliches": "At the end of the day, it works.",
    "hedging": "I would argue that it works.",
    "malapropisms": "It is a serial experience.",
    "mondegreens": "It works for all intensive purposes.",
    "nonwords": "It works irregardless of that.",
    "oxymorons": "It usually always works.",
    "redundancy": "It is the exact same offset.",
}

GOOD = {
    "dialect": "The member is notified of topics. It waits forever. The former owner rebalances at once.",
    "fragments": "The names match those of Kafka. It works, and so is reading. It does not end, either.",
    "archaic": "It therefore begins after that.",
    "weasel": "It takes 5 ms, and needs two connections to end.",
    "terms": "Kafka (KIP-848) has consumer groups, kafka-python has Protobuf. `kafka-consumer-groups.sh` reads JSON.",
    "repeated": "It had had that, and it knows that that is so.",
    "cliches": "In the end it works.",
    "hedging": "It works.",
    "malapropisms": "It is a series of events.",
    "mondegreens": "It works in nearly all cases.",
    "nonwords": "It works regardless of that.",
    "oxymorons": "It usually works.",
    "redundancy": "It is the same offset.",
}


@pytest.fixture(scope="module")
def script() -> Iterator[dict[str, Any]]:
    path = [*sys.path]
    yield runpy.run_path(str(FOLDER / "__main__.py"))
    sys.path[:] = path


Find = Callable[..., list[Any]]


@pytest.fixture
def find(script: dict[str, Any], tmp_path: Path) -> Find:
    """The findings in a page, or in another file, by the name of what finds them."""

    def found(text: str, name: str = "page.md", by: str = "findings") -> list[Any]:
        file = tmp_path / name
        file.write_text(text)
        return [each for prose in script["prose_of"](file) for each in script[by](prose)]

    return found


def expressions(rule: str) -> list[str]:
    return [*RULES[rule].get("swap", ()), *RULES[rule].get("avoid", ())]


def bad_texts(rule: str) -> list[str]:
    """Its sentences, and those words of its list that are no expression."""
    words = (
        [f"It is {each} so." for each in expressions(rule) if re.fullmatch("[a-z ]+", each)] if rule in RULES else []
    )
    return [each.strip() for each in re.findall(r"[^.]+\.", BAD.get(rule, ""))] + (
        words if rule in ("archaic", "weasel") else []
    )


def test_every_rule_has_texts() -> None:
    assert {*RULES} <= {*GOOD}
    assert {rule for rule in GOOD if not bad_texts(rule)} == set()


@pytest.mark.parametrize("rule", RULES)
def test_every_expression_has_a_text_that_it_finds(rule: str) -> None:
    flags = 0 if RULES[rule].get("match_case") else re.IGNORECASE
    texts = "\n".join(bad_texts(rule))
    assert [each for each in expressions(rule) if not re.search(rf"\b(?:{each})\b", texts, flags)] == []


@pytest.mark.parametrize("rule", GOOD)
def test_a_rule_finds_each_bad_text(rule: str, find: Find) -> None:
    found = {text: [each.rule.split(".")[0] for each in find(text)] for text in bad_texts(rule)}
    assert [text for text, rules in found.items() if rule not in rules] == []


@pytest.mark.parametrize("rule", GOOD)
def test_a_rule_leaves_a_good_text_alone(rule: str, find: Find) -> None:
    assert find(GOOD[rule]) == []


def test_a_finding_says_where_it_is_and_what_to_write(find: Find) -> None:
    (found,) = find("# Page\n\nThe member waits for\never, and reads.\n")
    assert found.place.endswith("page.md:3")
    assert found.message == "'for ever': write 'forever'."


@pytest.mark.parametrize(
    "code",
    [
        "```text\nfor ever\n```",
        "`for ever`",
        "[a topic](anew.md)",
        "https://example.com/anew",
        '"for ever"',
        "<!-- anew -->",
        "{:anew}",
    ],
)
def test_code_links_and_quotations_are_no_prose(code: str, find: Find) -> None:
    assert find(f"A page.\n\n{code}\n") == []


def test_the_prose_of_a_module_is_in_its_docstrings_and_comments(find: Find) -> None:
    module = '''"""Waits for ever."""

ANEW = "for ever"  # it begins anew
#: It is done
#: by hand.


def wait() -> None:
    """Wait.

    ::

        for ever

    at once  | Waits for ever.
    Wait `at once` at once.
    """  # noqa: anew
'''
    assert [each.place.rpartition(":")[2] for each in find(module, "module.py")] == ["1", "16", "3", "5"]


def test_suggestions_are_long_sentences_and_passive_voice(find: Find) -> None:
    assert find("It reads records, and commits them.", by="suggestions") == []
    assert find("A record is quickly handled by it.", by="suggestions") == []
    (passive,) = find("A record is quickly handled.", by="suggestions")
    assert passive.rule == "passive"
    (long,) = find(f"It reads {'one record and ' * 20}another.", by="suggestions")
    assert (long.rule, long.message) == ("length", "a sentence of 63 words")


def test_the_exit_code_says_whether_there_is_a_finding(
    script: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = ROOT / "docs" / "start"
    monkeypatch.setattr(sys, "argv", ["prose", str(pages)])
    assert script["main"]() == 0
    assert re.match(r"0 findings in \d[\d,]* words\n", capsys.readouterr().err)
    monkeypatch.setitem(script["main"].__globals__, "findings", lambda prose: [Finding(prose.place(0))])
    assert script["main"]() == 1
    assert "start/index.md:1: why [rule]\n" in capsys.readouterr().out


class Finding:
    """A finding at a place."""

    message, rule = "why", "rule"

    def __init__(self, place: str) -> None:
        self.place = place


def test_quoted_pages_and_programs_are_left_out(script: dict[str, Any]) -> None:
    files = [file.relative_to(ROOT).as_posix() for file in script["files_in"]([ROOT / "docs"])]
    assert "docs/start/index.md" in files
    assert [name for name in files if "founding-documents" in name or name.startswith("docs/tools/")] == []
