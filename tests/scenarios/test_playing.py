from __future__ import annotations

import pytest

from tests.scenarios.files import player_of
from tests.verification.scenario_language import InvariantError, Player, ScenarioError, parse, pure_player
from tests.verification.scenario_language.worlds import RAW

TOLD = "   target epoch=2 A=foo[0]\n-> A epoch=2 assignment=foo[0]\n"
SILENT = "worlds pure\ntopic foo 1\n\njoin A foo\n"


def play(text: str) -> str:
    scenario = parse(text)
    return player_of(scenario).play(scenario)


def test_what_happened_is_written_below_the_commands() -> None:
    assert play(SILENT) == f"{SILENT}----\n{TOLD}"


def test_what_came_true_comes_back_as_it_was() -> None:
    assert play(f"{SILENT}----\n{TOLD}") == f"{SILENT}----\n{TOLD}"


def test_a_false_expectation_is_replaced_and_comments_stay() -> None:
    false = "worlds pure\ntopic foo 1\n\n# A joins.\njoin A foo\n----\n-> A epoch=99 assignment=-\n"
    assert play(false) == f"worlds pure\ntopic foo 1\n\n# A joins.\njoin A foo\n----\n{TOLD}"


def test_an_expectation_of_something_where_nothing_happens_goes_with_its_separator() -> None:
    assert play("worlds pure\ntopic foo 1\n----\n-> A epoch=2\n") == "worlds pure\ntopic foo 1\n"


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("joni A foo", "line 2: no verb 'joni' here; there are add-members, announce-leaving, assign"),
        ("heartbeat A ownes=foo[0]", "line 2: heartbeat has no option ownes; there are epoch, owns"),
        ("heartbeat A owns=foo[0]", "line 2: there is no topic foo"),
        ("topic foo 1\ntopic foo 2", "line 3: there is a topic foo: grow it, or recreate it"),
        ("tick soon", "line 2: 'soon' is no time"),
        ("topic foo 1\nsettings profile=4.0", "line 3: settings come before anything else"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_line(commands: str, complaint: str) -> None:
    with pytest.raises(ScenarioError) as error:
        play(f"worlds pure\n{commands}\n")
    assert str(error.value).startswith(complaint)


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("subscribe B foo", "there is no member B"),
        ("close A leave=quickly", "leave is default, remain, leave"),
        ("deliver A->coordinator", "nothing is under way from A to coordinator"),
        ("hold A->B", "there is no link A->B; there are A->coordinator, coordinator->A"),
        ("slow A sing", "a task is assign, revoke, lose, commit, topics"),
        ("answer A revoke", "A runs no such callback"),
        ("commit A foo[0]=5\nanswer A commit error=OOPS", "there is no error code OOPS"),
        ("commit A foo[0]=5\nanswer A commit foo", "'foo' is not a set of partitions"),
        ("member B interval=5s", "an interval is for members with commit=auto"),
    ],
)
def test_what_a_member_cannot_do_is_refused(commands: str, complaint: str) -> None:
    with pytest.raises(ScenarioError, match=r"line \d+: ") as error:
        play(f"worlds pair\nmember A\n{commands}\n")
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("member B", "members of the scripted world have protocol=classic"),
        ("member B protocol=classic generation=3", "whoever is in a group has has, topics, too"),
        ("answer A join", "A has no join under way"),
        ("lose A letter", "a request is join, sync, heartbeat, leave"),
        ("subscribe A foo\nanswer A join leader members=A B", "there is no peer B"),
        ("subscribe A foo\nanswer A join king", "a join is answered to the leader, with skip or not, or to another"),
        ("answer A assign", "A runs no such callback, or another comes first"),
    ],
)
def test_what_a_scripted_coordinator_cannot_say_is_refused(commands: str, complaint: str) -> None:
    with pytest.raises(ScenarioError, match=r"line \d+: ") as error:
        play(f"worlds scripted\nmember A protocol=classic\n{commands}\n")
    assert complaint in str(error.value)


def test_an_invariant_speaks_when_it_is_broken_and_says_after_which_line() -> None:
    scenario = parse("worlds pure\ntopic foo 1\nmember A epoch=3 has=foo[0]\nmember B epoch=3 has=foo[0]\n\nstate\n")
    with pytest.raises(InvariantError, match=r"line 6: .* is with A and with B"):
        pure_player(scenario).play(scenario)


def test_where_nobody_can_look_inside_only_answers_are_told_and_epochs_are_relative() -> None:
    text = "worlds pure tcp\ntopic foo 1\n\njoin A foo\nheartbeat A epoch=E\nheartbeat A epoch=E+1\n"
    answers = "-> A epoch=E assignment=foo[0]\n-> A epoch=E assignment=unchanged\n-> A FENCED_MEMBER_EPOCH\n"
    assert play(text) == f"{text}----\n{answers}"


TWO = "worlds pure\ntopic foo 2\nmember A epoch=2 has=foo[0-1]\nepoch 3\nassign A foo[0]\nassign B foo[1]\n\n"


def test_interleave_tells_each_end_once() -> None:
    told = play(f"{TWO}interleave\n    a: heartbeat A; heartbeat A owns=foo[0]\n    b: heartbeat B epoch=0\n")
    assert told.split("----\n")[1].splitlines() == [
        "   in 1 of 3 orders, as a a b",
        "      Stable epoch=3 target=3",
        "      A epoch=3 has=foo[0]",
        "      B epoch=3 has=foo[1]",
        "   in 2 of 3 orders, as a b a",
        "      Reconciling epoch=3 target=3",
        "      A epoch=3 has=foo[0]",
        "      B epoch=3 has=-",
    ]


def test_interleave_leaves_everything_as_it_was() -> None:
    tried = play(f"{TWO}interleave\n    a: leave A\n    b: leave B\n\nstate\n")
    assert play(f"{TWO}state\n").split("----\n")[1] == tried.split("----\n")[-1]


def test_interleave_says_when_all_orders_end_alike() -> None:
    assert "   in every order\n" in play(f"{TWO}interleave\n    a: heartbeat A\n    b: tick 1s\n")


@pytest.mark.parametrize(
    ("steps", "count"), [("    a: tick 1s", 1), ("\n".join(f"    {n}: tick 1s" for n in range(7)), 5040)]
)
def test_interleave_wants_a_few_orders(steps: str, count: int) -> None:
    with pytest.raises(ScenarioError, match=f"{count} orders"):
        play(f"worlds pure\ninterleave\n{steps}\n")


def test_interleave_needs_a_state_to_compare() -> None:
    scenario = parse("worlds pure\ninterleave\n    a: tick 1s\n    b: tick 1s\n")
    with pytest.raises(ScenarioError, match="a world that can be looked into"):
        Player(pure_player(scenario).world, RAW).play(scenario)
