"""The page: what it carries, that nothing in it can run, and how large it becomes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.history import page as page_module
from kafka_nextgen.history.analysis import Analysis, analyze, sorted_by_time
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.page import SCRIPTS, page_data, render
from tests.history.made_log import made_answers
from tests.history.page.reading import LEFT_OUT, document_in, facts_in
from tests.history.story import story

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    "{{style}} {{data}}",
    "\u2028\u2029\u0000\ud800",
    "&lt;b&gt;",
    "'\"`${alert(1)}",
]


class _Tags(HTMLParser):
    """What a browser makes of a page: its elements, and the texts of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.policy = ""
        self.texts: dict[str, list[str]] = {"script": [], "style": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(name for name, _ in attrs)
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in self.texts:
            self.texts[self.tags[-1]].append(data)


def _parsed(page: str) -> _Tags:
    tags = _Tags()
    tags.feed(page)
    return tags


def _renamed(name: str) -> Analysis:
    """Facts in which every text is this name."""
    made = made_answers(rebalances=8, partitions=3, members=2)
    return Analysis({kind: [_named(fact, name) for fact in facts] for kind, facts in made.facts.items()})


def _named(fact: Fact, name: str) -> Fact:
    return evolve(fact, **{each.name: name for each in fields(type(fact)) if "str" in str(each.type)})


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("longest", [0, 1 << 30], ids=["packed", "plain"])
def test_no_name_becomes_markup(name: str, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "_LONGEST_PLAIN", longest)
    harmless = _parsed(render(_renamed("orders"), "title", made=0, notes=["torn"]))
    page = render(_renamed(name), name, made=0, notes=[name])
    assert page.encode()
    hostile = _parsed(page)
    assert hostile.tags == harmless.tags
    assert hostile.attributes == harmless.attributes
    assert document_in(page)["notes"] == [name]
    assert {group["group"] for group in document_in(page)["groups"]} == {name}


def test_the_policy_lets_only_its_own_script_and_style_run() -> None:
    parsed = _parsed(render(made_answers(rebalances=3), "title", made=0))
    [style], [_, script] = parsed.texts["style"], parsed.texts["script"]
    assert "default-src 'none'" in parsed.policy
    assert f"script-src '{_hash(script)}'" in parsed.policy
    assert f"style-src '{_hash(style)}'" in parsed.policy
    assert not {name for name in parsed.attributes if name.startswith("on") or name in ("src", "style")}


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_make_no_markup_of_texts_and_load_nothing(name: str) -> None:
    script = page_module._file(name)
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(|import ", script
    )
    assert "</script" not in script
    assert "<!--" not in script


def test_a_page_refers_to_nothing_elsewhere() -> None:
    assert not re.findall(r"(?:https?:)?//[a-z]|url\(|@import", render(Analysis({}), "title", made=0))


def test_facts_come_back_from_a_page() -> None:
    made = made_answers(rebalances=10, groups=2)
    document = document_in(render(made, "title", made=0))
    assert facts_in(document) == _carried(made)
    assert len(set(document["texts"])) == len(document["texts"]), "each text once"


def _carried(answers: Analysis) -> dict[str, list[Fact]]:
    """What a page carries of them, and in which order."""
    return {
        name: sorted(
            (evolve(fact, **LEFT_OUT.get(name, {})) for fact in sorted_by_time(answers.facts[name])),
            key=lambda fact: (fact.group, fact.cluster),
        )
        for name in FACTS
    }


LINES = st.lists(
    st.sampled_from(
        [
            "1 coordinator:1 group_epoch A @1 cause=joined",
            "2 consumer:a assigned A @1 orders[0-2]",
            "3 consumer:a revoked A @1 orders[1]",
            "4 consumer:b assigned B @2 orders[1]",
            "5 poller:p lag orders[1] offset=3 end=9",
            "6 coordinator:1 fenced A @2 cause=poll_timeout",
            "7 consumer:a lost A @2 orders[0] offset=9",
            "8 consumer:a committed A orders[0] offset=4",
        ]
    ),
    max_size=12,
)


@given(LINES)
def test_facts_of_any_log_come_back(lines: list[str]) -> None:
    found = analyze(story("\n".join(lines)))
    carried = facts_in(json.loads(json.dumps(page_data(found, "title", made=0))))
    assert carried == _carried(found)


def test_a_rebalance_takes_less_than_two_hundred_bytes() -> None:
    made = made_answers(rebalances=800, partitions=24, members=6, lag_every_s=600)
    few = made_answers(rebalances=1, partitions=24, members=6, lag_every_s=600)
    assert len(render(made, "title", made=0)) - len(render(few, "title", made=0)) < 800 * 200


def test_lag_is_thinned_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_LAG_POINTS", 100)
    made = made_answers(rebalances=20, partitions=4)
    page = render(made, "title", made=0)
    lags = facts_in(document_in(page))["lags"]
    assert len(lags) <= 100 < len(made.facts["lags"])
    assert max(each.lag for each in lags) == max(each.lag for each in made.facts["lags"])  # type: ignore[union-attr]
    assert [note for note in document_in(page)["notes"] if f"of {len(made.facts['lags'])} lag points" in note]
