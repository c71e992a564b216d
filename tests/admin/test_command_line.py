"""``kafka-nextgen groups``, on the embedded broker and on the real one: what people see, and what programs read."""

from __future__ import annotations

import json
import re
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.cli import output
from kafka_nextgen.cli.main import cli
from kafka_nextgen.types import format_partitions
from tests.admin.conftest import Scene
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import SESSION_TIMEOUT_MS, KafkaServer
from tests.support.waiting import eventually


def groups(kafka: KafkaServer, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["groups", *arguments, "-b", kafka.bootstrap_servers])


def plain(scene: Scene, text: str) -> str:
    """Return output with the names of this run replaced, and columns two spaces apart."""
    first, second, third = (member.group_metadata().member_id for member in scene.members)
    names = {
        scene.consumer_group: "CONSUMERS",
        scene.classic_group: "CLASSICS",
        scene.topic: "watched",
        scene.kafka.bootstrap_servers: "HERE",
        first: "FIRST",
        second: "SECOND",
        third: "THIRD",
    }
    for name, said in names.items():
        text = text.replace(name, said)
    return re.sub(" {2,}", "  ", text)


def table(text: str) -> str:
    return re.sub(" {2,}", "  ", dedent(text).lstrip("\n"))


def test_groups_are_listed_as_a_table(scene: Scene) -> None:
    done = groups(scene.kafka, "list", "--state", "stable")
    lines = plain(scene, done.stdout).splitlines()
    assert lines[0] == "GROUP  TYPE  STATE  PROTOCOL TYPE"
    assert "CONSUMERS  consumer  Stable  consumer" in lines
    assert "CLASSICS  classic  Stable  consumer" in lines
    assert (done.exit_code, done.stderr) == (0, "")


def test_groups_of_a_type_are_described_side_by_side(scene: Scene) -> None:
    done = groups(scene.kafka, "describe", scene.consumer_group, scene.classic_group)
    epoch = scene.members[0].group_metadata().member_epoch
    assert plain(scene, done.stdout) == table(f"""
        GROUP      TYPE      STATE   ASSIGNOR            EPOCH  TARGET EPOCH  MEMBERS  COORDINATOR
        CONSUMERS  consumer  Stable  uniform             {epoch}  {epoch}     2        HERE (node 1)
        CLASSICS   classic   Stable  cooperative-sticky  -      -             1        HERE (node 1)
        """)
    only = groups(scene.kafka, "describe", scene.consumer_group, scene.classic_group, "--type", "classic")
    assert [line.split()[0] for line in only.stdout.splitlines()] == ["GROUP", scene.classic_group]


def test_filters_take_lists_with_commas(scene: Scene) -> None:
    def listed(*filters: str) -> set[str]:
        return {line.split()[0] for line in groups(scene.kafka, "list", *filters).stdout.splitlines()}

    both = {scene.consumer_group, scene.classic_group}
    assert both <= listed("--type", "consumer,Classic")
    assert both & listed("--type", "classic,share") == {scene.classic_group}
    assert both <= listed("--state", "Empty, stable")


def test_members_are_shown_with_what_they_own_and_are_to_own(scene: Scene) -> None:
    lines = plain(scene, groups(scene.kafka, "members", scene.consumer_group).stdout).splitlines()
    header = "MEMBER  TYPE  INSTANCE  CLIENT  HOST  RACK  EPOCH  SUBSCRIPTION  ASSIGNMENT  TARGET"
    epoch = scene.members[0].group_metadata().member_epoch
    owned = [plain(scene, format_partitions(member.assignment())) for member in scene.members]
    assert lines[0] == header
    assert sorted(lines[1:]) == [
        f"FIRST  consumer  one  kafka-nextgen  /127.0.0.1  a  {epoch}  watched  {owned[0]}  =",
        f"SECOND  consumer  -  two  /127.0.0.1  -  {epoch}  watched  {owned[1]}  =",
    ]
    (classic,) = plain(scene, groups(scene.kafka, "members", scene.classic_group).stdout).splitlines()[1:]
    assert classic == "THIRD  classic  three  kafka-nextgen  /127.0.0.1  c  -  watched  watched[0-3]  -"


def test_offsets_are_shown_with_the_lag(scene: Scene) -> None:
    done = groups(scene.kafka, "describe", scene.consumer_group, "--members", "--offsets")
    _, members, offsets = plain(scene, done.stdout).split("\n\n")
    assert members.startswith("Members of CONSUMERS\nMEMBER  TYPE")
    lines = offsets.splitlines()
    owned = [{tp.partition for tp in member.assignment()} for member in scene.members[:2]]
    assert lines == [
        "Offsets of CONSUMERS",
        "PARTITION  COMMITTED  END  LAG  MEMBER",
        *(f"watched[{n}]  4  10  6  FIRST" if n in owned[0] else f"watched[{n}]  -  10  -  SECOND" for n in range(4)),
    ]


@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["describe", "CONSUMERS", "CLASSICS"],
        ["describe", "CONSUMERS", "CLASSICS", "--members", "--offsets", "--authorized-operations"],
        ["members", "CONSUMERS"],
        ["offsets", "CONSUMERS"],
        ["config", "CONSUMERS", "--all"],
    ],
    ids=" ".join,
)
def test_a_terminal_of_80_columns_breaks_no_word(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    names = {"CONSUMERS": scene.consumer_group, "CLASSICS": scene.classic_group}
    arguments = [names.get(word, word) for word in command]
    outputs: list[str] = []

    def print_thrice() -> bool:
        for columns in (None, 80, None):
            with monkeypatch.context() as patch:
                patch.setattr(output, "_terminal_width", lambda columns=columns: columns)
                outputs.append(groups(scene.kafka, *arguments).stdout)
        return outputs[-3] == outputs[-1]

    eventually("no group of another test came or went in between", print_thrice)
    wide, narrow, _ = outputs[-3:]
    wide_words, narrow_words = set(wide.split()) - {"-"}, set(narrow.split())
    assert wide_words <= narrow_words
    values = {word for word in narrow_words if any(char.isdigit() for char in word)}
    assert values <= wide_words, "no part of a word"
    assert max(map(len, narrow.splitlines())) <= 80


def test_json_has_it_all(scene: Scene) -> None:
    done = groups(scene.kafka, "describe", scene.consumer_group, "--members", "--offsets", "--json")
    (group,) = json.loads(done.stdout)
    assert (group["type"], group["state"], group["member_count"]) == ("consumer", "Stable", 2)
    assert {member["instance_id"] for member in group["members"]} == {"one", None}
    assert all(member["assignment"] == member["target"] for member in group["members"])
    owned = sorted(number for member in group["members"] for number in member["assignment"][scene.topic])
    assert owned == [0, 1, 2, 3]
    assert {offset["lag"] for offset in group["offsets"]} == {6, None}
    configs = json.loads(groups(scene.kafka, "config", scene.consumer_group, "--json").stdout)
    (timeout,) = [each for each in configs if each["name"] == "consumer.session.timeout.ms"]
    assert (timeout["value"], timeout["source"]) == (int(SESSION_TIMEOUT_MS), "broker")
    listed = json.loads(groups(scene.kafka, "list", "--type", "consumer", "--json").stdout)
    assert scene.consumer_group in {group["group"] for group in listed}


def test_what_failed_is_on_stderr_beside_what_there_is(scene: Scene) -> None:
    nobody = unique("nobody")
    done = groups(scene.kafka, "describe", scene.classic_group, nobody)
    assert plain(scene, done.stdout).splitlines()[1].startswith("CLASSICS  classic")
    assert f"Error: group {nobody}: describing it: GROUP_ID_NOT_FOUND" in done.stderr
    assert done.exit_code == 1
    assert groups(scene.kafka, "offsets", nobody).exit_code == 1


def test_offsets_are_set_and_the_group_deleted(kafka: KafkaServer) -> None:
    group, topic = unique("reports"), create_topic(kafka.bootstrap_servers, "reported", 3)
    done = groups(kafka, "offsets", group, "--set", f"{topic}[0-1]=latest", "--set", f"{topic}[2]=3")
    assert [line.split() for line in done.stdout.splitlines()[1:]] == [
        [f"{topic}[0]", "0", "0", "0", "-"],
        [f"{topic}[1]", "0", "0", "0", "-"],
        [f"{topic}[2]", "3", "0", "0", "-"],
    ]
    done = groups(kafka, "delete", group, unique("nobody"))
    assert (done.stdout, done.exit_code) == (f"Deleted {group}.\n", 1)
    assert "GROUP_ID_NOT_FOUND" in done.stderr


def test_offsets_of_whole_topics_are_set_and_deleted(kafka: KafkaServer) -> None:
    group, topic = unique("reports"), create_topic(kafka.bootstrap_servers, "reported", 2)
    done = groups(kafka, "offsets", group, "--set", f"{topic}=3", "--set", f"{topic}[1]=earliest")
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [[f"{topic}[0]", "3"], [f"{topic}[1]", "0"]]
    other = create_topic(kafka.bootstrap_servers, "kept")
    groups(kafka, "offsets", group, "--set", f"{other}=7")
    done = groups(kafka, "offsets", group, "--delete", topic)
    rows = [line.split()[:2] for line in done.stdout.splitlines()[1:]]
    assert (done.exit_code, rows) == (0, [[f"{other}[0]", "7"]]), "other topics keep theirs"
    done = groups(kafka, "offsets", group, "--delete", topic)
    assert done.exit_code == 1


def test_a_configuration_is_shown_and_changed(kafka: KafkaServer) -> None:
    group, key = unique("configured"), "consumer.heartbeat.interval.ms"
    done = groups(kafka, "config", group, "--set", f"{key}=700")
    assert (done.exit_code, done.stderr) == (0, f"{group}: configured.\n")

    def rows() -> list[list[str]]:
        return [line.split() for line in groups(kafka, "config", group).stdout.splitlines()]

    eventually("the broker has learnt of it", lambda: [key, "700", "group"] in rows())
    assert ["consumer.session.timeout.ms", SESSION_TIMEOUT_MS, "broker"] in rows()
    assert all(row[0].startswith("consumer.") for row in rows()[1:])
    refused = groups(kafka, "config", group, "--set", f"{key}=1", "--dry-run")
    assert (refused.exit_code, "INVALID_CONFIG" in refused.stderr) == (1, True)


def test_a_pattern_is_tried(scene: Scene) -> None:
    done = groups(scene.kafka, "validate-regex", f"{scene.topic}|other")
    assert (done.stdout.splitlines(), done.exit_code) == ([scene.topic], 0)
    searching = groups(scene.kafka, "validate-regex", "^watch")
    assert (searching.stdout, searching.exit_code) == ("It matches no existing topic.\n", 0)
    assert "if you mean a search" in searching.stderr
    refused = groups(scene.kafka, "validate-regex", "(watch")
    assert (refused.exit_code, refused.stderr) == (1, "Error: pattern '(watch' is not valid RE2: missing ): (watch\n")


def test_a_pattern_that_kafka_alone_can_hold_has_an_exit_code_of_its_own(scene: Scene) -> None:
    large = r"((\w{1,20}){1,10}){1,6}"
    done = groups(scene.kafka, "validate-regex", large)
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("Unknown: ")
    document = json.loads(groups(scene.kafka, "validate-regex", large, "--json").stdout)
    assert (document["is_valid"], document["error"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["list", "--type", "new"], "'new' is not one of 'consumer', 'classic', 'share', 'streams'"),
        (["list", "--type", "classic,new"], "'new' is not one of 'consumer', 'classic', 'share', 'streams'"),
        (["list", "--state", "stable,,dead"], "an item of the list is empty"),
        (["offsets", "g", "--set", "orders[=1"], "write orders[0-3,7]"),
        (["offsets", "g", "--set", "orders[0]"], "--set takes PARTITIONS=OFFSET"),
        (["offsets", "g", "--set", "orders[0]=soon"], "--set takes an offset, earliest or latest, not 'soon'"),
        (["remove-members", "g"], "--instance-id or --member-id"),
        (["config", "g", "--set", "a"], "--set takes NAME=VALUE"),
        (["describe", "-c", "client.idd=a"], "did you mean client.id"),
        (["delete"], "Missing argument"),
    ],
)
def test_what_was_asked_wrongly_exits_with_2(arguments: list[str], complaint: str) -> None:
    done = CliRunner().invoke(cli, ["groups", *arguments])
    assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr
