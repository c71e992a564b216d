"""Where the delay of a record goes at a steady rate, and how hard cores are to get meanwhile.

Run as ``python -m benchmarks.profile_latency`` from the root of the repository; ``--write`` puts the figures on the
page docs/benchmarks/index.md. Records are written and handled as for ``benchmarks.latency``: by nobody, by
confluent-kafka, by kafka_nextgen, by kafka_nextgen without a thread of the application's, by next to no client at all,
with some time wasted for each answer or none, and by kafka_nextgen once more while it notes when each record was
received and decoded. They take turns, after the broker was warmed up. Then far fewer records are written, so that each
comes alone, and cores are free: what a handler runs for a record is what an answer costs it. In the end py-spy looks at
kafka_nextgen at the first rate, for what its threads do and in which part of the code.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from statistics import median

import click
from attrs import Factory, define

from benchmarks.delays.feed import Acknowledged
from benchmarks.delays.steady import Steady, steady
from benchmarks.delays.strain import Strain, Watch
from benchmarks.delays.task import Delays, Window
from benchmarks.delays.trace import STAGES, TRACED, Trace
from benchmarks.kafka import kafka, which_kafka
from benchmarks.latency import BASELINE, WARM_UP_S
from benchmarks.latency import HANDLERS as EVERYBODY
from benchmarks.page import about_the_run, in_ms, of_peers, spread, table, write_section
from benchmarks.profiling.places import places_of, places_table
from benchmarks.profiling.samples import profile_of, profile_table
from benchmarks.turns import turns

HANDLERS = {
    **{name: EVERYBODY[name] for name in (BASELINE, "kafka_nextgen, for record in consumer")},
    "kafka_nextgen, handled by the thread that fetches": "one_thread.handle",
    "hand-written": "by_hand.handle",
    "hand-written, 0.15 ms wasted": "by_hand.handle_at_0_15_ms",
    "hand-written, 0.3 ms wasted": "by_hand.handle_at_0_3_ms",
}

NOBODY = "no reader"

RECORDS_PER_S, PARTITIONS = 5000, 6

#: At this rate nearly every record is an answer of its own.
ALONE_PER_S = 500

HANDLERS_ALONE = {**HANDLERS, "aiokafka, async for": EVERYBODY["aiokafka, async for"]}

#: How long each handler handles records before the first round.
UNCOUNTED_S = 10.0


@define
class Measured:
    """What each round brought."""

    nobody: list[Strain] = Factory(list)
    acknowledged: dict[str, list[Acknowledged]] = Factory(lambda: {name: [] for name in (NOBODY, *HANDLERS)})
    delays: dict[str, list[Delays]] = Factory(lambda: {name: [] for name in HANDLERS})
    traces: list[Trace] = Factory(list)
    alone: Mapping[str, Sequence[Delays]] = Factory(dict)


def measure(
    bootstrap_servers: str, rounds: int, seconds: float, warm_up_s: float = WARM_UP_S, uncounted_s: float = UNCOUNTED_S
) -> Measured:
    """Every handler once uncounted, then all in turns; in the end those that handle records that come alone."""
    measured = Measured()
    with steady(bootstrap_servers, PARTITIONS, RECORDS_PER_S, notes_acknowledged=True) as records:
        for handler in HANDLERS.values():
            records.handle(handler, 0.0, uncounted_s)
        for name in turns([NOBODY, *HANDLERS, TRACED], rounds):
            if name == TRACED:
                measured.traces.append(records.trace(warm_up_s, seconds))
            else:
                window_ns = _handle(measured, records, name, warm_up_s, seconds)
                measured.acknowledged[name].append(records.acknowledged(window_ns))
    with steady(bootstrap_servers, PARTITIONS, ALONE_PER_S) as records:
        measured.alone = records.handle_in_turns(HANDLERS_ALONE, rounds, warm_up_s, seconds)
    return measured


def _handle(measured: Measured, records: Steady, name: str, warm_up_s: float, seconds: float) -> Window:
    """Have somebody or nobody handle the records; returns when."""
    if name == NOBODY:
        strain, window_ns = _watched(seconds)
        measured.nobody.append(strain)
        return window_ns
    delays = records.handle(HANDLERS[name], warm_up_s, seconds, watches=True)
    measured.delays[name].append(delays)
    return delays.window_ns


def sample(bootstrap_servers: str, seconds: float, hz: int) -> Sequence[str]:
    """What the threads of a handler did, as py-spy tells it."""
    with steady(bootstrap_servers, PARTITIONS, RECORDS_PER_S) as records:
        return records.sample(TRACED, WARM_UP_S, seconds, hz)


#: The functions whose samples count on the application's thread.
COUNTED = (TRACED.split(".")[1],)


def _watched(seconds: float) -> tuple[Strain, Window]:
    watch, began = Watch(), time.monotonic_ns()
    time.sleep(seconds)
    return watch.strain(), (began, time.monotonic_ns())


def stages_table(traces: Sequence[Trace]) -> str:
    """Each stage of the delay, of a record in the middle and of a slow one."""
    rows = [
        (
            stage,
            in_ms([trace.median[number] for trace in traces]),
            in_ms([trace.slowest[number] for trace in traces]),
        )
        for number, stage in enumerate(STAGES)
    ]
    return table(("stage of a record's delay", "around the median, ms", "slowest 1 %, ms"), rows)


def strain_table(measured: Measured) -> str:
    """How busy the machine was, and how long threads waited for a core, by who handles the records."""
    rows = [(NOBODY, *_machine(measured.nobody), "", "", _acknowledged(measured, NOBODY), "")]
    for name, delays in measured.delays.items():
        strains = [each.strain for each in delays if each.strain is not None]
        ran, waited = median(each.ran for each in strains), median(each.waited for each in strains)
        p99 = in_ms([each.at(0.99) for each in delays])
        rows.append((name, *_machine(strains), f"{ran:.0%}", f"{waited:.0%}", _acknowledged(measured, name), p99))
    names = (
        "who handles the records",
        "cores busy",
        "a thread waits for one",
        "handler ran",
        "handler waited",
        "p99 until acknowledged, ms",
        "p99, ms",
    )
    return table(names, rows)


def _acknowledged(measured: Measured, name: str) -> str:
    return in_ms([each.p99_s for each in measured.acknowledged[name]])


def _machine(strains: Sequence[Strain]) -> tuple[str, str]:
    return spread([each.busy for each in strains]), f"{median(each.short for each in strains):.0%}"


def alone_table(alone: Mapping[str, Sequence[Delays]]) -> str:
    """What a handler ran for a record that came alone, and how old the record was by then."""
    rows = [
        (
            name,
            in_ms([each.cpu_s_per_record for each in delays]),
            in_ms([each.at(0.5) for each in delays]),
            in_ms([each.at(0.99) for each in delays]),
        )
        for name, delays in alone.items()
    ]
    return table((f"who handles {ALONE_PER_S} records a second", "ran for each, ms", "p50, ms", "p99, ms"), rows)


@click.command(help=__doc__)
@which_kafka
@click.option("--rounds", default=4, show_default=True)
@click.option("--seconds", default=8.0, show_default=True, help="How long each is looked at in each round.")
@click.option("--sampled-seconds", default=40.0, show_default=True, help="How long py-spy looks.")
@click.option("--hz", default=250, show_default=True, help="Samples a second.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    bootstrap_servers: str | None,
    version: str,
    rounds: int,
    seconds: float,
    sampled_seconds: float,
    hz: int,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        measured = measure(servers, rounds, seconds)
        samples = sample(servers, sampled_seconds, hz)
    run = about_the_run(f"Kafka {version}", *of_peers(["confluent-kafka", "aiokafka", "py-spy"]), load=load)
    tables = [strain_table(measured), stages_table(measured.traces), alone_table(measured.alone)]
    body = "\n\n".join([run, *tables, places_table(places_of(samples, COUNTED))])
    print(body, profile_table(profile_of(samples, COUNTED)), sep="\n\n")
    if write:
        write_section("profile_latency", body)


if __name__ == "__main__":
    main()
