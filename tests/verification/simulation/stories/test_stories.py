"""A finding is told in a few commands, which come to the same end as its seed did; and any run is told as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest
from attrs import evolve

from tests.verification.scenario_language import ScenarioError, parse
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.mutants import MUTANTS, planted
from tests.verification.simulation.mutants.planting import Mutant
from tests.verification.simulation.running import Mode, mode_of
from tests.verification.simulation.stories.drawn import draws_as_commands, named
from tests.verification.simulation.stories.lines import TellingJudge
from tests.verification.simulation.stories.recording import Recording
from tests.verification.simulation.stories.telling import (
    Story,
    UntoldError,
    ends_as,
    parsed,
    rule_of,
    rule_shown,
    tell,
    told,
)
from tests.verification.simulation.stories.verbs import CLUSTER, cluster_player
from tests.verification.simulation.stories.world import ClusterWorld

#: Of either half, of the log and of offsets, and of both protocols.
PLANTED = (
    "reports-too-little",
    "grants-what-is-taken",
    "stores-all-but-one",
    "no-sessions-after-fail-over",
    "classic-keeps-all-to-join",
)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_told_and_played(name: str) -> None:
    bug = MUTANTS[name]
    story = next(each for seed in range(1, 80) if (each := told_of(seed, bug)) is not None)
    assert len(story.commands) <= 15
    assert rule_shown(story.commands, story.text(), bug) == rule_of(story.finding)


def told_of(seed: int, bug: Mutant) -> Story | None:
    with suppress(UntoldError):
        return tell(seed, 400, bug=bug, tries=250, settles=False, by_draws=False)
    return None


def test_what_words_do_not_show_is_told_by_draws() -> None:
    bug = MUTANTS["grants-what-is-taken"]
    stories = (tell(seed, 400, bug=bug, tries=300) for seed in range(1, 80))
    story = next(each for each in stories if each is not None and each.is_drawn)
    assert len(story.commands) <= 30
    assert rule_shown(story.commands, story.text(), bug) == rule_of(story.finding)


def play(text: str) -> str:
    return cluster_player().play(parse(text))


def test_what_is_told_of_a_run_is_how_it_was() -> None:
    """Every line of it, what is found, and all that is counted; with the faults that the seeds have, in either mode."""
    came: Counter[Fault] = Counter()
    for seed in range(1, 13):
        mode = mode_of(seed)
        recording = Recording(seed, 300, mode, judge=(was := TellingJudge()))
        verdict = recording.run()
        world = ClusterWorld(judge := TellingJudge())
        draws = recording.dice.drawn
        for command in parsed(draws_as_commands(draws, 300, mode)):
            CLUSTER[command.verb](world, command)
        assert world.verdict == evolve(verdict, seed=0)
        assert list(lines_of(judge)) == list(lines_of(was)), seed
        came += verdict.faults
    assert len(came) > len(Fault) // 2


def test_every_fault_can_be_told() -> None:
    """By the draws that bring it: each stream of its own has a name that can be written."""
    streams = [name for fault in Fault for name in (f"rate of {fault.value}", f"{fault.value}, if at all")]
    draws = {(stream, 0): 0.75 for stream in streams}
    world = ClusterWorld()
    for command in parsed(draws_as_commands(draws, 1, None))[:-1]:
        CLUSTER[command.verb](world, command)
    assert world.draws == draws


def test_a_draw_that_decides_something_else_is_refused() -> None:
    recording = Recording(1, 60, settles=False)
    recording.run()
    draws = list(draws_as_commands(recording.dice.drawn, 60, None))
    commands = list(named(draws, parsed(draws)))
    place = next(at for at, command in enumerate(commands) if command.endswith(" jitter"))
    assert ends_as(commands) is None
    with pytest.raises(ScenarioError, match="decides jitter, and not latency"):
        ends_as([*commands[:place], commands[place].replace(" jitter", " latency"), *commands[place + 1 :]])


def lines_of(judge: TellingJudge) -> Iterator[str]:
    return (line for _, line in judge.told if line is not None)


def test_what_a_comprehension_draws_is_called_alike_on_every_python() -> None:
    """Before Python 3.12 it has a frame of its own."""
    own = "draw casting 0 0.7 __attrs_post_init__.pick\ndraw casting 6 0.7 classic_settings.chance\nrun 20\n"
    cluster_player().play(parse(f"worlds cluster\n{own}"))


def test_a_story_says_what_happened_until_it_broke() -> None:
    commands = ("topic t0 1", "member c0", "tick 3s")
    with planted(MUTANTS["publishes-once"]):
        text = Story(commands, "").text("Why.")
    assert text.startswith("# Why.\nworlds cluster\ntopic t0 1\n----\n   node0 coordinates\n\nmember c0\n----\n")
    assert "-> c0 epoch=2 assignment=" in text


def test_a_seed_without_a_finding_is_no_story() -> None:
    assert told(1, 100, Mode.SAFETY) == "# Seed 1 (safety) finds nothing.\n"


@pytest.mark.parametrize(
    ("commands", "complaint"),
    [
        ("grow t0 2", "there is no topic t0"),
        ("topic t0 1\ntopic t0 1", "there is a topic t0"),
        ("topic t0 1\nsettings max_size=2", "settings come before anything else"),
        ("restart c0", "there was no member c0"),
        ("crash c0", "there is no member c0"),
        ("compact node7", "there is no node node7; there are node0, node1, node2"),
        ("next c0", "next has 1 words"),
        ("draw c0/1 4 1.5", "1.5 is not from 0 to below 1"),
        ("topic t0 1\nrun 10", "a run of draws stands alone"),
        ("next node1 copied-after soon\ntopic t0 1\nmember c0\ntick 1s", "'soon' is no time"),
    ],
)
def test_what_can_not_be_commanded(commands: str, complaint: str) -> None:
    with pytest.raises(ScenarioError, match=complaint):
        play(f"worlds cluster\n{commands}\n")
