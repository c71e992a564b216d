"""Handle the responses to lookups of committed offsets, according to the member's protocol.

An error never means that there is no committed offset: the lookup is retried or fails, and reading waits for it. A
partition that is missing from the response does not mean this either: it is requested again after a pause. A partition
that the coordinator's broker does not know is left out of the result.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.membership.offsets.commits import try_again
from kafka_nextgen.membership.offsets.effects import Refused
from kafka_nextgen.membership.offsets.ending import end_lookup
from kafka_nextgen.membership.offsets.events import LookupAnswered, LookupLost
from kafka_nextgen.membership.offsets.retry_state import paused
from kafka_nextgen.membership.offsets.settings import OffsetContext
from kafka_nextgen.membership.offsets.state import Lookup, LookupRequest, OffsetState, Outcome, replaced
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions

__all__ = ["answered", "lost"]

Offsets = Mapping[TopicPartition, OffsetAndMetadata | None]


def answered(state: OffsetState, event: LookupAnswered, at: OffsetContext) -> Outcome:
    """Store the offsets found and handle the error codes."""
    state, request, lookup = _returned(state, event.number)
    if lookup is None:
        return state, ()
    codes = dict.fromkeys(lookup.left, event.code) if event.code else dict(event.codes)
    codes = {tp: code for tp, code in codes.items() if code and tp in lookup.left}
    lookup = _found(lookup, {tp: event.offsets[tp] for tp in lookup.left & event.offsets.keys() - codes.keys()})
    actions = {tp: state.rules.fetch.get(code, ErrorAction.FAIL) for tp, code in codes.items()}
    failed = next((tp for tp, action in actions.items() if action is ErrorAction.FAIL), None)
    if failed is not None:
        code = codes[failed]
        return end_lookup(state, lookup, Refused({failed: code}, code, error_class(code)))
    left_out = {tp for tp, action in actions.items() if action is ErrorAction.LEAVE_OUT}
    lookup = evolve(lookup, left=lookup.left - left_out)
    if not lookup.left:
        return _with(state, lookup), ()
    if not lookup.left & codes.keys():
        reason = f"the response to OffsetFetch lacks {format_partitions(lookup.left)}"
        return _with(state, evolve(lookup, retry=paused(lookup.retry, at, reason))), ()
    acts = frozenset(actions.values())
    retry, effects = try_again(lookup.retry, acts, codes, request.member_epoch, at, insists=True)
    return _with(state, evolve(lookup, retry=retry)), effects


def lost(state: OffsetState, event: LookupLost, at: OffsetContext) -> Outcome:
    """Retry after a pause."""
    state, _, lookup = _returned(state, event.number)
    if lookup is None:
        return state, ()
    return _with(state, evolve(lookup, retry=paused(lookup.retry, at, event.reason))), ()


def _returned(state: OffsetState, number: int) -> tuple[OffsetState, LookupRequest, Lookup | None]:
    """Remove the request from the requests in flight. Return it and its lookup, which is None if it has ended."""
    request = state.lookup_requests[number]
    requests = {other: each for other, each in state.lookup_requests.items() if other != number}
    state = evolve(state, lookup_requests=requests)
    lookup = next((each for each in state.lookups if each.operation == request.operation), None)
    return state, request, None if lookup is None else evolve(lookup, request=None)


def _found(lookup: Lookup, offsets: Offsets) -> Lookup:
    return evolve(lookup, found={**lookup.found, **offsets}, left=lookup.left - offsets.keys())


def _with(state: OffsetState, lookup: Lookup) -> OffsetState:
    return evolve(state, lookups=replaced(state.lookups, lookup))
