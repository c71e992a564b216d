"""What a member wants done that is the same in both protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.offsets import events as offsets_ev
from kafka_nextgen.types import OffsetAndMetadata

if TYPE_CHECKING:
    from tests.verification.simulation.clients import Client

Callback = fx.CallOnAssigned | fx.CallOnRevoked | fx.CallOnLost


def _find_coordinator(client: Client, _effect: fx.FindCoordinator) -> None:
    client.network.coordinator = None


def _stop_fetching(client: Client, effect: fx.StopFetching) -> None:
    client.stopped |= effect.partitions
    client.committer.feed_offsets(offsets_ev.PartitionsStopped(effect.partitions))


def _commit_consumed(client: Client, effect: fx.CommitConsumed) -> None:
    timeout_s = max(0.0, effect.deadline - client.clock())
    offsets = {tp: OffsetAndMetadata(at) for tp, at in client.consumed.items() if tp in client.applied}
    meant = client.meaning(offsets)

    def ended(end: Any) -> None:
        if end.failure is None and client.auto_commit_interval_s is not None:
            client.committer.tell_committed(offsets, meant)
        client.feed(ev.CommitFinished(effect.number, None if end.failure is None else "refused"))

    found = {tp: OffsetAndMetadata(at) for tp, at in client.found.items()}
    client.committer.ask(lambda number: offsets_ev.CommitBeforeRevokingAsked(number, offsets, timeout_s, found), ended)


def apply_assignment(client: Client, effect: fx.ApplyAssignment) -> None:
    client.take_over(effect, client.clock())
    client.committer.feed_offsets(offsets_ev.AssignmentApplied(effect.partitions, effect.added))
    client.look_up()


def publish_epoch(client: Client, effect: fx.PublishEpoch) -> None:
    client.committer.feed_offsets(offsets_ev.EpochPublished(effect.member_id, effect.member_epoch))


def _call_back(client: Client, effect: Callback) -> None:
    client.callbacks.append(effect)
    if client.on_callback is not None:
        client.on_callback()


def _raise(client: Client, effect: fx.RaiseToApplication) -> None:
    if client.on_error is not None:
        client.on_error(effect)


def left(client: Client, _effect: fx.Left) -> None:
    if not client.is_subscribed:
        client.committer.feed_offsets(offsets_ev.GroupQuit())
    if client.on_left is not None:
        client.on_left()


MEMBER_EFFECTS: Mapping[type, Callable[[Any, Any], None]] = {
    fx.FindCoordinator: _find_coordinator,
    fx.StopFetching: _stop_fetching,
    fx.CommitConsumed: _commit_consumed,
    fx.ApplyAssignment: apply_assignment,
    fx.PublishEpoch: publish_epoch,
    fx.CallOnAssigned: _call_back,
    fx.CallOnRevoked: _call_back,
    fx.CallOnLost: _call_back,
    fx.RaiseToApplication: _raise,
    fx.Left: left,
}
