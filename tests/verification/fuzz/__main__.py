"""Fuzz the decoders: changed copies of what real clients and a real Kafka say, until something gives.

Whatever is found is kept in a folder: the input, and beside it what it led to. ``--try FILE`` tries one such input.
Coverage leads the way if atheris is installed (``pip install 'kafka-nextgen[fuzz]'``), otherwise what decoders answer.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from tests.verification.fuzz.campaign import Campaign
from tests.verification.fuzz.decoders import DECODERS, find
from tests.verification.fuzz.effort import Effort

_ENGINES = ("atheris", "mutator")
_DEFAULT_ENGINE = "atheris" if importlib.util.find_spec("atheris") else "mutator"


def _table(campaigns: list[Campaign], spent_s: dict[str, float]) -> Table:
    table = Table("decoder", "engine", "seconds", "inputs", "findings")
    for campaign in campaigns:
        spent = spent_s.get(campaign.decoder, 0.0)
        cells = f"{spent:.0f}", f"{campaign.inputs:,}", str(len(campaign.findings))
        table.add_row(campaign.decoder, campaign.engine, *cells)
    return table


def _run(campaigns: list[Campaign], folder: Path, console: Console) -> None:
    spent_s: dict[str, float] = {}
    with Live(console=console, refresh_per_second=2, get_renderable=lambda: _table(campaigns, spent_s)):
        for campaign in campaigns:
            begin = time.monotonic()

            def tell(of: Campaign, begin: float = begin) -> None:
                spent_s[of.decoder] = time.monotonic() - begin
                for finding in of.findings.values():
                    finding.keep_in(folder, of.decoder)

            campaign.run(tell)
            tell(campaign)


def _say(campaigns: list[Campaign], folder: Path, console: Console) -> bool:
    for campaign in campaigns:
        for finding in campaign.findings.values():
            console.print(f"\n[bold]{campaign.decoder}[/]: {finding.path_in(folder, campaign.decoder)}")
            console.print(finding.what, markup=False, highlight=False)
    return any(campaign.findings for campaign in campaigns)


@click.command(help=__doc__)
@click.option("--decoder", "names", multiple=True, type=click.Choice(list(DECODERS)), help="Only this one; repeatable.")
@click.option("--seconds", default=30.0, show_default=True, help="For each decoder.")
@click.option("--seed", default=1, show_default=True, help="Of the random numbers.")
@click.option("--engine", type=click.Choice(_ENGINES), default=_DEFAULT_ENGINE, show_default=True)
@click.option("--findings", type=click.Path(path_type=Path), default=Path("build/fuzz"), show_default=True)
@click.option("--try", "file", type=click.Path(exists=True, path_type=Path), help="Try this input only.")
@click.option("--list", "only_list", is_flag=True, help="Say which decoders there are.")
def main(
    names: tuple[str, ...], seconds: float, seed: int, engine: str, findings: Path, file: Path | None, only_list: bool
) -> None:
    console = Console()
    chosen = [find(name) for name in names or DECODERS]
    if only_list:
        for decoder in chosen:
            console.print(f"[bold]{decoder.name}[/]: {decoder.about}, {len(decoder.seeds())} seeds")
    elif file is not None:
        for decoder in chosen:
            Effort(decoder).run(file.read_bytes())
            console.print(f"{decoder.name} takes or refuses it")
    else:
        campaigns = [Campaign(decoder.name, engine, seconds, seed) for decoder in chosen]
        _run(campaigns, findings, console)
        sys.exit(_say(campaigns, findings, console))


if __name__ == "__main__":
    main()
