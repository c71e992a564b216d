"""A short run of every decoder, the same each time: all that was recorded, changed a few hundred times.

``python -m tests.verification.fuzz`` runs for longer, and finds its way by what the inputs reach.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.verification.fuzz.decoders import DECODERS, find
from tests.verification.fuzz.decoders.decoder import last_refusal
from tests.verification.fuzz.mutation import mutate

INPUTS = 400

each = pytest.mark.parametrize("name", DECODERS)


@each
def test_what_was_recorded_is_read(name: str) -> None:
    decoder = find(name)
    seeds = decoder.seeds()
    assert seeds
    for data in seeds:
        decoder.run(data)


@each
def test_what_is_changed_is_read_or_refused(name: str) -> None:
    decoder = find(name)
    random, seeds = Random(1), decoder.seeds()
    refused = 0
    for _ in range(INPUTS):
        decoder.run(mutate(random, random.choice(seeds), seeds, decoder.most_bytes))
        refused += bool(last_refusal())
    assert refused > 0


def test_a_number_of_more_digits_than_python_s_integers_may_have_is_json() -> None:
    find("json-values").run(b"1" * 5000)
    assert last_refusal() == "the value is not an object"
