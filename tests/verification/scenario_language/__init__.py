"""Scenarios: the protocol as text that is played and comes back with what really happened.

The language is described in ``docs/internals/scenarios.md``; ``grammar`` reads it, ``playing`` plays it. Here are the
worlds without I/O: the coordinator alone (``pure``), members joined to it by a virtual network (``pair``), and members
of classic groups against a coordinator that the scenario plays (``scripted``). ``tests.verification.worlds`` has those
with sockets.
"""

from __future__ import annotations

from tests.verification.scenario_language.grammar import Scenario, ScenarioError, parse
from tests.verification.scenario_language.playing import InvariantError, Player
from tests.verification.scenario_language.worlds import pair_player, pure_player, scripted_player

__all__ = [
    "InvariantError",
    "Player",
    "Scenario",
    "ScenarioError",
    "pair_player",
    "parse",
    "pure_player",
    "scripted_player",
]
