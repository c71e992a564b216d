"""What ``docs/proof/bug-to-scenario.md`` shows: a planted bug, the command that finds it, and its scenario."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from kafka_nextgen.membership import reconciliation
from tests.scenarios.files import FOLDER, PLAYERS, files, player_of, scenario_in
from tests.verification.scenario_language import parse
from tests.verification.simulation import replay
from tests.verification.simulation.__main__ import main
from tests.verification.simulation.mutants import MUTANTS, Mutant, Part, planted
from tests.verification.simulation.stories.ladder import Shape, ladder_of, svg
from tests.verification.simulation.stories.telling import Story, rule_shown

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "proof" / "bug-to-scenario.md").read_text()
FIND, AGAIN, DRAW = re.findall(r"\$ python -m tests\.verification\.simulation(?:\.replay)? (.*)", PAGE)
(STORY,) = re.findall(r"```scenario\n(.*?)```", PAGE, re.DOTALL)
BUG = MUTANTS[FIND.split("--plant ")[1]]
MOST_COMMANDS = 15


def commands_in(story: str) -> list[str]:
    return [
        line for block in parse(story).blocks for line in block.written if not line.startswith(("#", "worlds cluster"))
    ]


def shows_the_bug(story: str) -> str:
    """What a story finds with the bug; without it nothing is found, and it plays to its end."""
    commands = commands_in(story)
    assert len(commands) <= MOST_COMMANDS
    return rule_shown(commands, story, BUG)


def test_the_story_on_the_page_is_what_happens() -> None:
    comments = [line.removeprefix("# ") for line in STORY.splitlines() if line.startswith("#")]
    with planted(BUG):
        assert Story(tuple(commands_in(STORY)), "").text(*comments) == STORY
    shows_the_bug(STORY)


def test_the_command_on_the_page_tells_that_story() -> None:
    ended = CliRunner().invoke(main, FIND.split())
    assert ended.exit_code == 1
    assert ended.stdout[ended.stdout.index("\n# Seed ") :].strip() == STORY.strip()


@pytest.mark.parametrize("picture", [(), ("--svg", "ladder.svg")])
def test_the_ladder_of_that_story_ends_with_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, picture: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    file, *plant = AGAIN.split()
    Path(file).write_text(STORY)
    sound = CliRunner().invoke(replay.main, [file])
    assert sound.exit_code == 0
    broken = CliRunner().invoke(replay.main, [file, *plant, *picture])
    assert broken.exit_code == 1
    drawn = Path(picture[1]).read_text() if picture else broken.stdout
    assert "target epoch=3 c0=- c3=-" in drawn  # what the last command did is told, too
    assert drawn.index("broken: TimerKey(") > drawn.index("target epoch=3")
    assert "does not run" in broken.output


def test_a_machine_that_stumbles_over_itself_is_drawn_to_there() -> None:
    def stumble(*_: object) -> None:
        raise KeyError("t0")

    bug = Mutant("stumbles", Part.MEMBER, lambda garden: garden.set(reconciliation, "proceed", stumble))
    scenario = parse("worlds cluster\ntopic t0 1\nmember c0\ntick 3s\n")
    with planted(bug):
        ladder = ladder_of(scenario, player_of(scenario))
    assert ladder.broken == "KeyError: 't0'"
    assert [row.what for row in ladder.rows][-2:] == ["-> c0 epoch=2 assignment=-", "broken: KeyError: 't0'"]


def test_the_ladder_on_the_page_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, _, picture = DRAW.split()
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(replay.main, [str(ROOT / file), "--svg", picture]).exit_code == 0
    root = ElementTree.fromstring((tmp_path / picture).read_text())
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"c0", "c1", "node0", "node1"} <= set(texts)
    ended = CliRunner().invoke(replay.main, [str(ROOT / file)])
    assert ended.exit_code == 0
    head, *lines = ended.stdout.splitlines()
    assert head.split() == ["c0", "c1", "node0", "node1"]
    assert any(re.search(r"o-+>\s+\|\s+c0 -> heartbeat", line) for line in lines)
    assert any(re.search(r"<-.*-o .*-> c0 NOT_COORDINATOR \(node0\)|<-.*o\s+\|\s+-> c0 NOT", line) for line in lines)


DRAWN = [path for path in files() if not PLAYERS.keys().isdisjoint(scenario_in(path).worlds)]


@pytest.mark.parametrize("folder", sorted({path.relative_to(FOLDER).parts[0] for path in DRAWN}))
def test_every_scenario_without_sockets_can_be_drawn(folder: str) -> None:
    for path in DRAWN:
        if path.relative_to(FOLDER).parts[0] == folder:
            scenario = scenario_in(path)
            ladder = ladder_of(scenario, player_of(scenario))
            said = [row.what for row in ladder.rows if row.shape is not Shape.COMMAND]
            assert {row.of for row in ladder.rows if row.of} <= set(ladder.columns), path
            assert len(ladder.text().splitlines()) == len(ladder.rows) + 1
            ElementTree.fromstring(svg(ladder))
            assert said or "quietly" in path.read_text(), path


def test_what_can_not_be_drawn_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "far.txt"
    file.write_text("worlds tcp\ntopic foo 1\n")
    assert "can be drawn" in CliRunner().invoke(replay.main, [str(file)]).output
    file.write_text("worlds pair\nsing\n")
    assert "no verb 'sing'" in CliRunner().invoke(replay.main, [str(file)]).output
    file.write_bytes(b"\xff")
    assert "far.txt is no text" in CliRunner().invoke(replay.main, [str(file)]).output


def test_a_picture_that_can_not_be_written(tmp_path: Path) -> None:
    ended = CliRunner().invoke(
        replay.main, [str(ROOT / DRAW.split()[0]), "--svg", str(tmp_path / "none" / "ladder.svg")]
    )
    assert ended.exit_code == 2
    assert "ladder.svg: No such file or directory" in ended.output
