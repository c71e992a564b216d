"""The health of a consumer, for probes and dashboards. Nothing here sends requests or blocks.

``problem`` describes the first of these conditions that is true:

- a broker refuses the login, TLS fails, the consumer has never reached a broker, or partitions of its manual
  assignment do not exist;
- ``run`` ended with an error, and the application has not called ``run`` or ``poll`` since;
- a broker is throttling the consumer for five seconds or longer because of a quota (KIP-219);
- the coordinator has refused the member permanently, can't be found or reached, or has not answered a heartbeat within
  the request timeout;
- another member holds the instance id, and this one is retrying;
- the application has not polled within ``max.poll.interval.ms``, or a callback of ``close`` or ``unsubscribe`` has
  taken longer than that, so the member has left the group (KIP-848, "Rebalance Triggers");
- a rebalance callback raised, or a rebalance is taking longer than the rebalance timeout;
- a local assignor failed, and the group has had no new target since;
- the topic of an assigned partition was deleted, or a subscribed topic does not exist;
- a partition is stalled: no replica has answered a fetch for it, even with an empty response, for longer than a fetch
  may take. A leader's redirect to another replica (KIP-392) does not count as an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum

from attrs import evolve, field, fields

from kafka_nextgen.engine.member.membership import Membership
from kafka_nextgen.engine.observability.counters import Counters
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.engine.observability.rebalance import RebalanceCause
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.fetching import FetchState, Truncation
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Health", "Limits", "Watchdog", "assess", "collect_health", "since", "stalled_among"]


@frozen(kw_only=True)
class Health:
    """The state of a consumer at one moment; ``problem`` describes what is wrong, None if nothing is.

    - ``status`` is UNSUBSCRIBED for a manual assignment too: such a consumer is not in a group.
    - ``since_heartbeat_s`` counts from the last heartbeat answered without an error, ``unanswered_s`` from the first
      one sent after it, ``since_poll_s`` from the beginning of the last poll (None before the first).
    - ``rebalancing`` is the cause of the current rebalance, ``rebalancing_s`` its duration so far.
    - ``silence_s`` contains the seconds since the last response for each active partition; paused ones are omitted.
      ``stalled`` are those that have had no response for too long.
    - ``gone`` are partitions whose topic was deleted, even if there is a new topic of the same name. ``missing`` are
      topics subscribed to by name that do not exist.
    - ``truncations`` contains the latest truncation of each assigned partition whose log lost records that had been
      read. Reading continues, so they are not a ``problem``.
    - ``coordinator_error`` is why the coordinator can't be found or reached. ``assignor_error`` is why a local assignor
      failed; it is reset by the next target.
    - ``instance_id_wait_s`` is how much longer the member will retry an instance id that another member holds.
    - ``standby_place`` is 0 for an active member, 1 for the standby that takes over first (``group.target.size``).
    - ``run_error`` is the error that ended ``run``; it is reset when the application runs or polls again.
    - ``throttle`` describes which broker is throttling this client for five seconds or longer, and until when.
    """

    status: Status | ClassicStatus
    phase: Phase = Phase.IDLE
    member_id: str = ""
    member_epoch: int = -1
    since_heartbeat_s: float | None = None
    unanswered_s: float = 0.0
    since_poll_s: float | None = None
    rebalancing: RebalanceCause | None = None
    rebalancing_s: float = 0.0
    silence_s: Mapping[TopicPartition, float] = field(factory=dict)
    stalled: tuple[TopicPartition, ...] = ()
    gone: tuple[TopicPartition, ...] = ()
    missing: tuple[str, ...] = ()
    truncations: tuple[Truncation, ...] = ()
    coordinator_error: str | None = None
    instance_id_wait_s: float | None = None
    assignor_error: str | None = None
    standby_place: int = 0
    throttle: str | None = None
    run_error: str | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The fields for ``json.dumps``: enums as their values, partitions as ``topic[0]``."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(Health)}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(each) for key, each in value.items()}
    if isinstance(value, TopicPartition | Truncation):
        return str(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


@frozen
class Limits:
    """The time limits (seconds) for a response and for a rebalance."""

    answer_s: float
    rebalance_s: float


def assess(health: Health, limits: Limits, unreachable: str | None) -> Health:
    """Add ``problem`` to ``health``. ``unreachable`` describes why the consumer can't read anything, or is None."""
    problem = unreachable
    for rule in _RULES:
        problem = problem or rule(health, limits)
    return evolve(health, problem=problem)


def stalled_among(silence_s: Mapping[TopicPartition, float], limits: Limits) -> tuple[TopicPartition, ...]:
    """The partitions that have had no response for too long."""
    return tuple(sorted(tp for tp, silent_s in silence_s.items() if silent_s > limits.answer_s))


#: The statuses in which the member sends nothing to the coordinator.
_OUT: Collection[Status | ClassicStatus] = (
    Status.UNSUBSCRIBED,
    Status.STALE,
    Status.FATAL,
    ClassicStatus.UNSUBSCRIBED,
    ClassicStatus.STALE,
    ClassicStatus.FATAL,
)


def _run_failed(health: Health, limits: Limits) -> str | None:
    if health.run_error is None:
        return None
    return f"run() has ended; nothing is read until the application calls run() or poll() again: {health.run_error}"


def _refused(health: Health, limits: Limits) -> str | None:
    if health.status in (Status.FATAL, ClassicStatus.FATAL):
        return "the coordinator refused this member permanently; poll() raises the reason"
    return None


def _not_polled(health: Health, limits: Limits) -> str | None:
    if health.status not in (Status.STALE, ClassicStatus.STALE):
        return None
    if health.phase is not Phase.IDLE and health.rebalancing is None:
        return "a callback is taking longer than max.poll.interval.ms: the member left its group without waiting for it"
    since = "" if health.since_poll_s is None else f", last polled {health.since_poll_s:.0f} s ago"
    late = f"the application has not polled within max.poll.interval.ms{since}"
    return f"{late}: the member left its group, and rejoins at the next poll"


def _callback(health: Health, limits: Limits) -> str | None:
    if health.phase is not Phase.FAILED:
        return None
    return "on_partitions_assigned raised: poll() calls it again; until it returns, nothing new is read"


def _unreached(health: Health, limits: Limits) -> str | None:
    if health.status in _OUT or health.coordinator_error is None:
        return None
    return f"the coordinator can't be reached: {health.coordinator_error}"


def _in_use(health: Health, limits: Limits) -> str | None:
    if health.instance_id_wait_s is None:
        return None
    return f"another member holds this group.instance.id: retrying for {health.instance_id_wait_s:.0f} s"


def _unheard(health: Health, limits: Limits) -> str | None:
    heard_s = health.since_heartbeat_s if health.since_heartbeat_s is not None and health.member_epoch >= 0 else 0.0
    silent_s = 0.0 if health.status in _OUT else max(heard_s, health.unanswered_s)
    return f"no heartbeat was answered for {silent_s:.0f} s" if silent_s > limits.answer_s else None


def _slow(health: Health, limits: Limits) -> str | None:
    if health.rebalancing is None or health.rebalancing_s <= limits.rebalance_s:
        return None
    at = health.status.value if health.phase is Phase.IDLE else health.phase.value
    return f"rebalancing ({health.rebalancing.value}) for {health.rebalancing_s:.0f} s, now at: {at}"


def _gone(health: Health, limits: Limits) -> str | None:
    if not health.gone:
        return None
    return f"{format_partitions(health.gone)}: the topic was deleted; nothing is read from it"


def _missing(health: Health, limits: Limits) -> str | None:
    if not health.missing:
        return None
    return f"subscribed to {', '.join(health.missing)}, which does not exist yet; waiting"


def _stalled(health: Health, limits: Limits) -> str | None:
    if not health.stalled:
        return None
    longest_s = max(health.silence_s[tp] for tp in health.stalled)
    return f"no leader has answered a fetch of {format_partitions(health.stalled)} for {longest_s:.0f} s"


_RULES: tuple[Callable[[Health, Limits], str | None], ...] = (
    _run_failed,
    _refused,
    _not_polled,
    _callback,
    lambda health, _: health.throttle,
    _unreached,
    _in_use,
    _unheard,
    lambda health, _: health.assignor_error,
    _slow,
    _gone,
    _missing,
    _stalled,
)


def collect_health(
    counters: Counters, fetches: LockedFetches, membership: Membership, limits: Limits, now: float
) -> Health:
    """Collect the health of a consumer, without ``problem``; ``now`` is in monotonic seconds."""
    silence_s = fetches.under_lock(lambda state: state.planning.silence_s(now))
    health = Health(
        status=Status.UNSUBSCRIBED,
        since_poll_s=since(counters.polls.began_at, now),
        run_error=counters.polls.run_error,
        silence_s=silence_s,
        stalled=stalled_among(silence_s, limits),
        gone=tuple(sorted(fetches.under_lock(FetchState.gone))),
        truncations=fetches.under_lock(lambda state: state.results.truncations()),
    )
    driver = membership.driver
    if driver is None:
        return health
    member, history = driver.member, driver.history
    return evolve(
        health,
        status=member.status,
        phase=member.phase,
        member_id=member.member_id,
        member_epoch=member.member_epoch,
        since_heartbeat_s=since(driver.last_heartbeat_at, now),
        unanswered_s=since(counters.group.unanswered_since, now) or 0.0,
        rebalancing=history.under_way,
        rebalancing_s=history.since_s(now),
        coordinator_error=driver.coordinator_error,
        instance_id_wait_s=driver.instance_id_wait_s(now),
        missing=membership.missing.names,
        assignor_error=membership.assignor_error,
        standby_place=0 if driver.standby is None else driver.standby.place,
    )


def since(at: float | None, now: float) -> float | None:
    """The seconds since ``at``; None if it is None."""
    return None if at is None else max(0.0, now - at)


logger = logger_of("kafka_nextgen.fetch")


class Watchdog:
    """Logs when partitions stall and when they recover, and calls the hooks for those that stall.

    ``name`` is used in log messages.
    """

    def __init__(self, name: str, health: Callable[[], Health], hooks: HookList) -> None:
        self._name = name
        self._health = health
        self._hooks = hooks
        self._stalled: frozenset[TopicPartition] = frozenset()

    def look(self) -> None:
        """Report the partitions that have stalled or recovered since the last call."""
        health = self._health()
        stalled = frozenset(health.stalled)
        fresh, over = stalled - self._stalled, self._stalled - stalled
        self._stalled = stalled
        if over:
            logger.info("%s: %s no longer stalled", self._name, format_partitions(over))
        if fresh:
            longest_s = max(health.silence_s[tp] for tp in fresh)
            text = "%s: %s stalled: no leader has answered a fetch for %.0f s; retrying"
            logger.warning(text, self._name, format_partitions(fresh), longest_s)
            self._hooks.each(lambda hooks: hooks.stalled(tuple(sorted(fresh)), longest_s))
