"""``kafka-nextgen broker``: run the embedded broker in the foreground until SIGINT or SIGTERM."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TextIO

import click

from kafka_nextgen.cli.assignors.loading import load_assignor_classes
from kafka_nextgen.cli.faults import faults_of
from kafka_nextgen.cli.options import config_option, history_option, open_history_file, read_properties
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics
from kafka_nextgen.processing.stopping import StopHandle, stopped_by_signals
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.broker.security.users import parse_users
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.testing.faults.fault import Definition
from kafka_nextgen.testing.faults.lines import parse_faults

__all__ = ["broker"]

#: A function that serves metrics on a loopback port; ``kafka_nextgen.prometheus``, an extra, has one.
Serve = Callable[[Callable[[], CoordinatorMetrics]], AbstractContextManager[int]]

_SCRAPE_S = 5.0  # if counting the groups takes longer, the broker is stuck
#: How often the broker checks for a signal: one that another thread received does not wake the event loop.
_SIGNAL_CHECK_S = 0.2


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
    default=Profile.V4_4.value,
    show_default=True,
    help="The release of Kafka to imitate.",
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The directory for topics, records and groups. Default: keep them in memory.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve metrics for Prometheus over HTTP on this port of the loopback interface; 0 lets the system choose.",
)
@click.option(
    "--users",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Users who may log in to listeners with SASL: NAME=PASSWORD, one per line.",
)
@click.option(
    "--rules",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Access rules: allow|deny PRINCIPAL OPERATIONS TYPE NAME [HOST], one per line.",
)
@click.option(
    "--faults",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Faults to inject: API KIND [SELECTION], one per line, as in docs/guides/faults.md.",
)
@click.option(
    "--no-extensions",
    is_flag=True,
    help="Serve only the features of the Apache Kafka release being imitated.",
)
@history_option
@config_option
def broker(
    listen: tuple[str, int],
    profile: str,
    data_dir: Path | None,
    metrics_port: int | None,
    users: TextIO | None,
    rules: TextIO | None,
    faults: TextIO | None,
    no_extensions: bool,
    history: Path | None,
    config: tuple[str, ...],
) -> None:
    """Run a broker for development and tests.

    Any Kafka client can use it. Without --data-dir all data is lost when it ends, without --users there is no
    authentication, and without --rules every client may do everything. With --faults it prints on exit how many
    requests each fault affected, and exits with 1 if any fault was not met. --config listeners=SASL_SSL://:9093,...
    overrides --listen. Other assignors are given as MODULE:CLASS: --config
    group.consumer.assignors=uniform,shop.assignors:ByCustomer.
    """
    host, port = listen
    definitions = parse_faults(faults or ())
    properties = load_assignor_classes(read_properties(config))
    with open_history_file(history) as tell:
        made = Broker(
            properties,
            host=host,
            port=port,
            profile=profile,
            data_dir=data_dir,
            users=parse_users(users or ()),
            rules=rules,
            extensions=not no_extensions,
            history=tell,
        )
        serve_metrics = None if metrics_port is None else _metrics_server(metrics_port)
        asyncio.run(_serve(made, serve_metrics, definitions))


async def _serve(broker: Broker, serve_metrics: Serve | None, faults: Sequence[Definition]) -> None:
    with stopped_by_signals(StopHandle()) as stop:
        await broker.start()
        try:
            with _serving_metrics(broker, serve_metrics), faults_of(broker, faults):
                for listener in broker.listeners:
                    click.echo(f"Listening on {broker.bootstrap_servers_of(listener)}{_named(listener)}")
                while not stop.is_stopped:
                    await asyncio.sleep(_SIGNAL_CHECK_S)
        finally:
            await broker.close()
        click.echo("Stopped.")


def _named(listener: str) -> str:
    return "" if listener == "PLAINTEXT" else f" ({listener})"


@contextmanager
def _serving_metrics(broker: Broker, serve: Serve | None) -> Iterator[None]:
    """Serve the broker's metrics while the block runs, if a port was given."""
    if serve is None:
        yield
        return
    loop = asyncio.get_running_loop()

    async def read() -> CoordinatorMetrics:
        return broker.metrics()

    with serve(lambda: asyncio.run_coroutine_threadsafe(read(), loop).result(_SCRAPE_S)) as bound:
        click.echo(f"Metrics at http://127.0.0.1:{bound}/metrics")
        yield


def _metrics_server(port: int) -> Serve:
    try:
        from kafka_nextgen.prometheus import serve
    except ImportError as error:
        raise ConfigError(f"--metrics-port: {error}") from None
    return lambda read: serve(read, port)
