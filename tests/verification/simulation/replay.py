"""``python -m tests.verification.simulation.replay FILE``: play a scenario, and draw it as a ladder."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from tests.scenarios.files import PLAYERS
from tests.verification.scenario_language import ScenarioError, parse
from tests.verification.simulation.mutants import BUG, Mutant, planted
from tests.verification.simulation.stories.ladder import ladder_of
from tests.verification.simulation.stories.ladder import svg as svg_of

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_FILE)
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into this file.")
@click.option("--width", type=click.IntRange(20), default=160, help="So wide a text.", show_default=True)
@click.option("--plant", type=BUG, help="Play it with this planted bug.")
def main(file: Path, svg: Path | None, width: int, plant: Mutant | None) -> None:
    """Draw the scenario in a file. The exit status is 1 if something is broken in it: that is its last line."""
    try:
        scenario = parse(file.read_text())
        world = next((each for each in scenario.worlds if each in PLAYERS), None)
        if world is None:
            raise click.UsageError(
                f"{file} is played in {', '.join(scenario.worlds)}; one of {', '.join(PLAYERS)} can be drawn"
            )
        with nullcontext() if plant is None else planted(plant):
            ladder = ladder_of(scenario, PLAYERS[world](scenario))
    except ScenarioError as error:
        raise click.UsageError(f"{file}: {error}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"{file} is no text") from None
    if svg is None:
        click.echo(ladder.text(width), nl=False)
    else:
        try:
            svg.write_text(svg_of(ladder))
        except OSError as error:
            raise click.BadParameter(f"{svg}: {error.strerror}", param_hint="'--svg'") from None
    if ladder.broken is not None:
        raise click.ClickException(f"{file}: {ladder.broken}")


if __name__ == "__main__":
    main()
