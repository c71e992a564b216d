"""Which tests are run: the default tier, which needs no JVM and waits for no other process, or the whole.

A test is of the whole if it is marked ``whole`` or ``kafka``, or lives in one of ``WHOLE``. Without ``--all`` it is
left out, and the run says so; folders and modules of the whole are not even imported. A random test, by hypothesis or
marked ``random``, is of both tiers: the default tier draws a tenth of its examples, and the whole a quarter of them,
both the same in each run. ``--rest`` runs what the default tier does not: the whole, and random tests as the whole has
them.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest

from tests.support.examples import draw_for_the_whole
from tests.support.real_kafka import PREVIEW_VERSION, REAL_RELEASES

TESTS = Path(__file__).parents[1]

#: Folders whose tests start Java for themselves, for Spark and TLC: .ci/run has a process for these alone.
JAVA_ITSELF = {"pyspark", "verification/model"}

#: Folders, modules and tests of the whole.
WHOLE = {
    *JAVA_ITSELF,
    # other processes, which are started, killed and watched
    "processes",
    "flaky/test_flaky.py",
    "processing/test_signals.py",
    "sockets/test_fork.py",
    "testing/broker/transactions/test_survival.py",
    "cli/test_broker.py",
    "cli/test_demo.py",
    "cli/test_errors.py",
    "security/test_command_line.py",
    "spark/test_missing_packages.py",
    "test_examples.py::test_four_processes_share_by_what_they_say_and_read_each_record_once",
    "verification/fuzz/test_campaign.py",
    "opentelemetry/test_environments.py",
    "support/test_guardian.py",
    "support/test_watchdog.py",
    "test_packaging.py",
    "endtoend/test_broker_restarts.py",
    "endtoend/test_exactly_once.py",
    "endtoend/test_kill_broker.py",
    "endtoend/test_weighted_assignor.py",
    # groups that live for a while, by the clock
    "verification/soak/test_soak.py",
    "collecting/test_record_reader.py",
    "collecting/test_three_sources.py",
    "collecting/test_told_and_done.py",
    "endtoend/test_assignor_upgrade.py",
    "endtoend/test_churn.py",
    "endtoend/test_confluent_clients.py",
    "endtoend/test_failover.py",
    "endtoend/test_hot_standby.py",
    "endtoend/test_interop.py",
    "endtoend/test_local_assignors_elsewhere.py",
    "endtoend/test_patterns.py",
    "endtoend/test_static_members.py",
    "endtoend/test_three_sources.py",
    "endtoend/test_unreachable.py",
    # measurements
    "test_benchmarks.py",
    "test_benchmarks_of_delays.py",
    "test_benchmarks_of_history.py",
    "test_benchmarks_of_rates.py",
    "test_benchmarks_of_reading.py",
    "test_benchmarks_of_spark.py",
    "test_benchmarks_of_values.py",
    # long searches: planted bugs, places to interrupt at, random calls, two brokers side by side
    "verification/differential",
    "verification/simulation/exploring",
    "verification/simulation/stories/test_stories.py",
    "verification/simulation/test_mutants.py",
    "engine/test_injection.py",
    "engine/test_lent_injection.py",
    "engine/test_random_calls.py",
    "spark/test_injection.py",
}

_LEFT_OUT = "left_out"
_leaves_out = pytest.StashKey[bool]()


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers")
    group.addoption("--all", action="store_true", help="run the whole: also real Kafka, Spark, TLC, soak and mutants")
    group.addoption("--rest", action="store_true", help="run what --all adds to a run without it")


def choose_examples(config: pytest.Config) -> None:
    """Have random tests draw as many examples as their tier has; called before their modules are imported."""
    if _runs_the_whole(config):
        draw_for_the_whole()


def mark(item: pytest.Item) -> None:
    name = f"{_inside(item.path)}::{getattr(item, 'originalname', None)}"
    if _is_of_the_whole(item.path) or name in WHOLE or item.get_closest_marker("kafka"):
        item.add_marker("whole")
    if _draws_examples(item):
        item.add_marker("random")


@cache  # asked for each test of a module
def _is_of_the_whole(path: Path) -> bool:
    return not WHOLE.isdisjoint(_places_of(path))


@cache
def _places_of(path: Path) -> frozenset[str]:
    """A module and the folders it is in, as ``WHOLE`` names them."""
    return frozenset(accumulate(_inside(path).split("/"), "{}/{}".format))


@cache
def _inside(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def _draws_examples(item: pytest.Item) -> bool:
    called = getattr(item, "obj", None)
    return bool(getattr(called, "is_hypothesis_test", False))


def is_not_for(config: pytest.Config, path: Path) -> bool:
    """Return whether a folder or a module is of the whole and the run is not."""
    left_out = not _runs_the_whole(config) and _is_of_the_whole(path)
    if left_out:
        _note_left_out(config)
    return left_out


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave in ``items`` what this run is for, and deselect the others."""
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (kept if _is_chosen(config, item) else left_out).append(item)
    if not left_out:
        return
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
    _note_left_out(config)


def _is_chosen(config: pytest.Config, item: pytest.Item) -> bool:
    is_whole = item.get_closest_marker("whole") is not None
    if config.getoption("--rest"):
        return is_whole or item.get_closest_marker("random") is not None
    return not is_whole or bool(config.getoption("--all"))


def _runs_the_whole(config: pytest.Config) -> bool:
    return bool(config.getoption("--all") or config.getoption("--rest"))


def _note_left_out(config: pytest.Config) -> None:
    if hasattr(config, "workeroutput"):
        config.workeroutput[_LEFT_OUT] = True
    config.stash[_leaves_out] = True


def note_output_of(worker: object, config: pytest.Config) -> None:
    """Take down whether a process of pytest-xdist has left out tests."""
    if _LEFT_OUT in getattr(worker, "workeroutput", {}):
        config.stash[_leaves_out] = True


def say_what_was_left_out(reporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell that tests of the whole were asked for and not run, and by which option they are."""
    if config.stash.get(_leaves_out, False) and not config.getoption("--rest"):
        reporter.section("tiers")
        reporter.line("tests of the whole were left out; --all runs them, too (docs/internals/testing.md)")


def turn(item: pytest.Item) -> tuple[int, bool]:
    """Return a key to sort by: Spark and TLC, then what needs no Kafka, then one release of Kafka after the other.

    Processes that take one test after the other then have no two releases of Kafka busy at the same time. End-to-end
    tests come first among their like: they are long, and a run should end with short ones.
    """
    if not JAVA_ITSELF.isdisjoint(_places_of(item.path)):
        return 0, False
    return _release_of(item), "endtoend" not in item.path.parts


def _release_of(item: pytest.Item) -> int:
    if not item.get_closest_marker("kafka"):
        return 1
    releases = [*REAL_RELEASES, PREVIEW_VERSION]
    given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    named = (value for value in given if isinstance(value, str))  # some others can't be compared
    return 2 + min((releases.index(value) for value in named if value in releases), default=0)
