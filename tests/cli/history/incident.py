"""A log in which C joins, B's callback holds that rebalance up, and A is put out for not polling and reads on."""

from __future__ import annotations

from pathlib import Path

from kafka_nextgen.history.json_lines import encode_event
from tests.history.story import story

#: When C joins, in ms.
AT = 20_000

_STORY = """
    1.0  coordinator:1 joined A @1
    1.0  coordinator:1 group_epoch A @1 cause=joined
    1.1  consumer:a assigned A @1 orders[0-3]
    5.0  coordinator:1 joined B @2
    5.0  coordinator:1 group_epoch B @2 cause=joined
    5.3  consumer:a revoked A @1 orders[2-3]
    5.4  consumer:a assigned A @2 orders[]
    5.5  consumer:b assigned B @2 orders[2-3]
    15.0 poller:p lag orders[3] offset=100 end=110
    20.0 coordinator:1 joined C @3
    20.0 coordinator:1 group_epoch C @3 cause=joined reason=scaled_up
    20.1 consumer:a assigned A @3 orders[]
    26.0 consumer:b callback B @2 ms=5800 cause=revoked
    26.1 consumer:b revoked B @2 orders[3]
    26.1 consumer:b assigned B @3 orders[]
    27.0 consumer:c assigned C @3 orders[3]
    27.5 poller:p lag orders[3] offset=110 end=900
    40.0 coordinator:1 fenced A @3 cause=poll_timeout
    40.0 coordinator:1 group_epoch A @4 cause=poll_timeout
    40.2 consumer:b assigned B @4 orders[0]
    40.3 consumer:c assigned C @4 orders[1]
    41.0 consumer:a poll_gap A ms=31000
    41.0 consumer:a committed A orders[0] offset=50
    42.0 consumer:a lost A @3 orders[0] offset=80
    42.0 consumer:a lost A @3 orders[1] offset=10
"""


def incident_lines(group: str = "billing", cluster: str = "c") -> list[str]:
    return [encode_event(event) for event in story(_STORY, cluster, group)]


def write_incident(folder: Path, *, more: str = "", group: str = "billing") -> Path:
    log = folder / f"{group}.jsonl"
    log.write_text("\n".join(incident_lines(group)) + "\n" + more)
    return log
