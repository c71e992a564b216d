"""``kafka-nextgen assignors explain``: of a file, of a live group of either protocol, and what is asked wrongly."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.assignors import RangeAssignor
from kafka_nextgen.cli.assignors.loading import load_assignor_classes
from kafka_nextgen.cli.main import cli
from kafka_nextgen.errors import ConfigError


def explained(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["assignors", "explain", *arguments], input=stdin)


def described(**more: object) -> str:
    members = [
        {"member_id": "m1", "rack_id": "a", "subscribed_topics": ["orders"], "target": "orders[0-3]"},
        {"member_id": "m2", "rack_id": "b", "subscribed_topics": ["orders"], "target": None, "assignment": "-"},
    ]
    return json.dumps([{"group": "billing", "assignor": "uniform", "members": members, **more}])


RACKS = {"orders": [["b"], ["a"], ["b"], ["a"]]}


def test_a_described_group_is_explained_by_its_own_assignor() -> None:
    done = explained("--file", "-", stdin=described())
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == dedent("""\
        uniform over 2 members and 4 partitions: 2 each (0 to 4 before); 2 moves, 2 kept (stickiness 50%); \
0 read from another rack (0 before).

        MEMBER  RACK  BEFORE  AFTER  GAINS        LOSES        ACROSS RACKS
        m1      a          4      2  -            orders[2-3]  -
        m2      b          0      2  orders[2-3]  -            -
        """)


def test_assignors_are_compared_over_topics_of_which_the_racks_are_told() -> None:
    done = explained("-f", "-", "-a", "uniform", "-a", "rack-aware", stdin=described(topics=RACKS))
    summaries = [line for line in done.stdout.splitlines() if "over 2 members" in line]
    assert [line.split("; ")[-1] for line in summaries] == [
        "2 read from another rack (2 before).",
        "0 read from another rack (2 before).",
    ]


def test_it_can_be_had_as_json() -> None:
    (document,) = json.loads(explained("-f", "-", "-a", "rack-aware", "--json", stdin=described(topics=RACKS)).stdout)
    assert document["is_valid"] is True
    no_loads = {"least_load": None, "most_load": None}
    assert document["before"] == {"fewest": 0, "most": 4, "spread": 4, "across_racks": 2, **no_loads}
    assert document["after"] == {"fewest": 2, "most": 2, "spread": 0, "across_racks": 0, **no_loads}
    assert (document["moves"], document["kept"], document["stickiness"]) == (2, 2, 0.5)
    assert [(one["member_id"], one["gains"], one["loses"]) for one in document["members"]] == [
        ("m1", {}, {"orders": [0, 2]}),
        ("m2", {"orders": [0, 2]}, {}),
    ]


def test_topics_may_be_told_by_their_size() -> None:
    done = explained("-f", "-", stdin=described(topics={"orders": 6}))
    assert "6 partitions: 3 each" in done.stdout


OWN = """
from kafka_nextgen.assignors import *

class Greedy(PartitionAssignor):
    name = "greedy"
    def assign(self, group):
        first = min(group.members)
        said = group.members[first].metadata
        if said.payload:
            raise ValueError(f"can't read {said.payload!r} of version {said.version}")
        return GroupAssignment({first: MemberAssignment({topic_id: {0} for topic_id in group.topics})})

class Nameless(PartitionAssignor):
    def assign(self, group): ...
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "greedy_ones.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "greedy_ones", raising=False)


@pytest.mark.usefixtures("own")
def test_an_assignor_of_ones_own_that_does_not_do_is_told_and_exits_with_1() -> None:
    done = explained("-f", "-", "-a", "greedy_ones:Greedy", stdin=described())
    assert done.exit_code == 1
    assert done.stdout.startswith("Not valid: greedy left orders[1-3] unassigned.\n")
    assert done.stderr == "Error: greedy can't assign this group\n"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("payload", [{"payload": "77656967687432"}, {"text": "weight2"}])
def test_what_members_say_is_read_from_the_file(payload: dict[str, str]) -> None:
    said = [{"name": "other"}, {"name": "greedy", "reason": 1, "metadata": {"version": 3, **payload}}]
    member = {"member_id": "m1", "subscribed_topics": ["orders"], "client_assignors": said}
    done = explained("-f", "-", "-a", "greedy_ones:Greedy", stdin=json.dumps({"members": [member]}))
    assert done.exit_code == 1
    assert "greedy can't assign this group: ValueError: can't read b'weight2' of version 3." in done.stdout


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "name a group"),
        (["-g", "billing", "-f", "-"], "name a group"),
        (["-f", "-", "-a", "unifrom"], "there is no assignor 'unifrom' here; use uniform, range, rack-aware"),
        (["-f", "-", "-a", "nowhere:Greedy"], "nowhere:Greedy can't be imported"),
        (["-f", "-", "-a", "greedy_ones:Nameless"], "must be a string that is not blank"),
        (["-f", "-", "-a", "json:dumps"], "must be PartitionAssignor objects or classes"),
        (["-f", "missing.json"], "No such file"),
    ],
)
def test_what_was_asked_wrongly_exits_with_2(arguments: list[str], complaint: str) -> None:
    done = explained(*arguments, stdin=described())
    assert done.exit_code == 2
    assert complaint in done.stderr
    assert done.stdout == ""


def saying(word: object) -> str:
    return json.dumps({"members": [{"member_id": "a", "client_assignors": [word]}]})


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "has 0 groups, but exactly one is expected"),
        ("3", "must be an object, not int"),
        ("{}", "members are missing"),
        ('{"members": [{}]}', "members[0]: member_id is missing"),
        ('{"members": [{"member_id": 3}]}', "members[0]: member_id must be text, not 3"),
        ('{"members": [{"member_id": "a", "subscribed_topics": "t"}]}', "subscribed_topics must be a list"),
        ('{"members": [{"member_id": "a", "subscribed_topics": [1]}]}', "subscribed_topics must be names"),
        (
            '{"members": [{"member_id": "a", "target": "orders"}]}',
            "members[0]: target: 'orders' is not a set of partitions",
        ),
        (
            '{"members": [{"member_id": "a", "target": {"orders": [0, -1]}}]}',
            "members[0]: target: orders must have a list of partition numbers, not [0, -1]",
        ),
        (
            '{"members": [{"member_id": "a", "target": {"orders": 3}}]}',
            "members[0]: target: orders must have a list of partition numbers, not 3",
        ),
        (saying(1), "members[0]: client_assignors[0]: must be an object"),
        (saying({}), "client_assignors[0]: name is missing"),
        (saying({"name": "x", "metadata": {"version": True}}), "version must be a number, not True"),
        (saying({"name": "x", "metadata": {"payload": "x"}}), "metadata: payload is not hexadecimal: 'x'"),
        ('{"members": [{"member_id": "a"}, {"member_id": "a"}]}', "two members have the same member_id"),
        ('{"members": [], "topics": {"t": -1}}', "topics: t: a number of partitions is needed"),
        ('{"members": [], "topics": []}', "topics: must be an object, not list"),
        ('{"members": []}', "the group has no assignor yet"),
    ],
)
def test_a_file_that_describes_no_group_exits_with_2_and_says_where(document: str, complaint: str) -> None:
    done = explained("-f", "-", stdin=document)
    assert done.exit_code == 2
    assert complaint in done.stderr


# ---- assignors of one's own


KEY = "group.consumer.assignors"


def test_a_class_is_found_by_its_module_and_names_stay_names() -> None:
    properties = load_assignor_classes({KEY: "uniform, kafka_nextgen.assignors:RangeAssignor", "num.partitions": "a:b"})
    assert properties == {KEY: ["uniform", RangeAssignor], "num.partitions": "a:b"}


def test_the_current_directory_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_the_shop.py").write_text("from kafka_nextgen.assignors import RangeAssignor as ByShop")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert load_assignor_classes({"group_consumer_assignors": "of_the_shop:ByShop"}) == {
        "group_consumer_assignors": [RangeAssignor]
    }


@pytest.mark.parametrize("name", ["nowhere:X", "kafka_nextgen.assignors:X", ":X", "kafka_nextgen.assignors:"])
def test_what_is_not_there_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} can't be imported") as refused:
        load_assignor_classes({KEY: name})
    assert refused.value.key == KEY
