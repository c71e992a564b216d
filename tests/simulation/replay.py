"""``python -m tests.simulation.replay FILE``: play a scenario, and draw it as a ladder."""

from __future__ import annotations

from pathlib import Path

import click

from kafka_nextgen.scenarios import ScenarioError, parse
from tests.scenarios.files import PLAYERS
from tests.simulation.stories.ladder import ladder_of
from tests.simulation.stories.ladder_svg import svg as svg_of

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_FILE)
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into this file.")
@click.option("--width", default=160, help="So wide a text.", show_default=True)
def main(file: Path, svg: Path | None, width: int) -> None:
    """Draw the scenario in a file."""
    try:
        scenario = parse(file.read_text())
        world = next((each for each in scenario.worlds if each in PLAYERS), None)
        if world is None:
            raise click.UsageError(
                f"{file} is played in {', '.join(scenario.worlds)}; one of {', '.join(PLAYERS)} can be drawn"
            )
        ladder = ladder_of(scenario, PLAYERS[world](scenario))
    except ScenarioError as error:
        raise click.ClickException(f"{file}: {error}") from None
    if svg is None:
        click.echo(ladder.text(width), nl=False)
    else:
        svg.write_text(svg_of(ladder))


if __name__ == "__main__":
    main()
