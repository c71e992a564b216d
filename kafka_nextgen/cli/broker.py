"""``kafka-nextgen broker``: the embedded broker in the foreground, until SIGINT or SIGTERM."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from kafka_nextgen.broker import Broker
from kafka_nextgen.cli.options import config_option, read_properties
from kafka_nextgen.coordinator.settings import Profile
from kafka_nextgen.processing.stopping import STOP_SIGNALS

__all__ = ["broker"]


class _Address(click.ParamType[tuple[str, int]]):
    """HOST:PORT; the host may be an IPv6 address in brackets."""

    name = "HOST:PORT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        host, colon, port = str(value).rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
            self.fail(f"{value!r} is not HOST:PORT", param, ctx)
        return host.strip("[]"), int(port)


@click.command()
@click.option(
    "--listen",
    type=_Address(),
    default="127.0.0.1:9092",
    show_default=True,
    metavar="HOST:PORT",
    help="Where to listen; port 0 lets the system choose.",
)
@click.option(
    "--profile",
    type=click.Choice([profile.value for profile in Profile]),
    default=Profile.V4_3.value,
    show_default=True,
    help="The release of Kafka to be like.",
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep topics, records and groups in this directory; in memory without it.",
)
@config_option
def broker(listen: tuple[str, int], profile: str, data_dir: Path | None, config: tuple[str, ...]) -> None:
    """Run a broker for development and tests.

    Any Kafka client can use it. Without --data-dir nothing is kept when it ends, and nobody is asked who they are.
    """
    host, port = listen
    asyncio.run(_serve(Broker(read_properties(config), host=host, port=port, profile=profile, data_dir=data_dir)))


async def _serve(broker: Broker) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop.set)
    await broker.start()
    try:
        click.echo(f"Listening on {broker.bootstrap_servers}")
        await stop.wait()
    finally:
        await broker.close()
    click.echo("Stopped.")
