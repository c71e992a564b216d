"""Every arrow of the assigning table is walked, by two steps from every phase; and random walks come to rest."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.assigning.computing import ACTIONS
from kafka_nextgen.membership.assigning.machine import RULES
from tests.membership.assigning.conversation import WALKED, Conversation, blocked, computing, installing, preparing
from tests.support.examples import examples

STEPS = {
    "heard": Conversation.hear,
    "told": lambda talk: talk.hear(compute=True),
    "share": lambda talk: talk.share(6, 0),
    "failed elsewhere": lambda talk: talk.hear(failure="assignor 'mine' of member B failed"),
    "prepared": Conversation.prepare,
    "prepared for another": lambda talk: talk.prepare(assignor="another"),
    "computed": Conversation.compute,
    "raised": Conversation.raise_error,
    "installed": Conversation.install,
    "lost": Conversation.lose,
    "left": Conversation.end,
    "a moment": lambda talk: talk.passes(0.2),
    "a minute": lambda talk: talk.passes(60),
    **{code.name: lambda talk, code=code: talk.refuse(code) for code in (*ACTIONS, ErrorCode.INVALID_ASSIGNMENT)},
}


@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=30))
def test_whatever_happens_in_whatever_order_it_comes_to_rest(steps: list[str]) -> None:
    talk = Conversation()
    for step in steps:
        before, lines = talk.phase, STEPS[step](talk)  # type: ignore[operator]
        sent = [line for line in lines if line.startswith(("prepare", "install"))]
        assert len(sent) <= 1, "one request at a time"
        assert not ("compute mine" in lines and before == "blocked"), "one computation at a time"
    talk.passes(60)
    assert (talk.phase, talk.machine.deadline()) == ("idle", None)


def test_every_arrow_is_walked() -> None:
    for start, first, second in product((Conversation, preparing, computing, installing, blocked), STEPS, STEPS):
        talk = start()
        for step in (first, second):
            STEPS[step](talk)  # type: ignore[operator]
    arrows = {(row.status, row.event, to) for row in RULES for to in row.to}
    assert arrows - WALKED == set()
