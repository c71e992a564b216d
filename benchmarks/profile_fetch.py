"""Where the time of reading goes: shares of socket, decompression, CRC, copying, decoding, Arrow, Python and the GIL.

Run as ``python -m benchmarks.profile_fetch`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. A process reads a topic again and again while py-spy looks at what its threads are doing, so
many times a second, down into C. That slows it down, but its shares are right as far as samples go. py-spy must be
allowed to look at its children, as it is on Linux.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import click

from benchmarks.consuming.run import LAYOUTS, filled_topic
from benchmarks.kafka import kafka, which_kafka
from benchmarks.page import about_the_run, of_peers, write_section
from benchmarks.plots import Bar, draw_bars
from benchmarks.profiling.read import COUNTED, WAYS, Task
from benchmarks.profiling.samples import BUSY, Profile, profile_of, profile_table, profiles_table
from benchmarks.profiling.sampling import sampled

Profiles = Mapping[str, Profile]


def measure(bootstrap_servers: str, records: int, times: int, hz: int) -> Iterator[tuple[str, Profile]]:
    for layout in LAYOUTS[:2]:
        with filled_topic(bootstrap_servers, 6, records, 100, layout) as topic:
            for name, way in WAYS.items():
                task = Task(bootstrap_servers, topic.name, 6, records, max(1, times // way.slower), name)
                yield f"{name}, {layout.compression}", sample(task, hz)


def sample(task: Task, hz: int) -> Profile:
    """Look at a process that reads. Raises CalledProcessError, whose output says why."""
    return profile_of(sampled("benchmarks.profiling.read", task, hz), COUNTED)


def plot(profiles: Profiles) -> str:
    panels = {
        name: [Bar(what, [profile.share_of_work(what) * 100], is_ours=True) for what in BUSY]
        for name, profile in profiles.items()
    }
    draw_bars("profile-fetch", panels, "percent of all work")
    return (
        "![shares of the work of reading: socket, decompression, CRC, decoding, objects and others]"
        "(plots/profile-fetch.svg)"
    )


@click.command(help=__doc__)
@which_kafka
@click.option("--records", default=2_000_000, show_default=True)
@click.option("--rounds", "times", default=16, show_default=True, help="How often all of them are read into Arrow.")
@click.option("--hz", default=200, show_default=True, help="Samples a second.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(bootstrap_servers: str | None, version: str, records: int, times: int, hz: int, write: bool) -> None:
    load = os.getloadavg()[0]
    with kafka(bootstrap_servers, version) as servers:
        profiles = dict(measure(servers, records, times, hz))
    run = about_the_run(f"Kafka {version}", *of_peers(["py-spy", "pyarrow", "cramjam"]), load=load)
    profiles = {f"{name[0].upper()}{name[1:]}": profile for name, profile in profiles.items()}
    for name, profile in profiles.items():
        print(f"{name}:\n\n{profile_table(profile)}\n")
    body = f"{run}\n\n{profiles_table(profiles)}"
    print(body)
    if write:
        write_section("profile_fetch", f"{body}\n\n{plot(profiles)}")


if __name__ == "__main__":
    main()
