"""Draw a program from a seed: loads, expressions over them, and what happens between its actions.

A program is a value, and its ``repr`` is what a failed test shows.
"""

from __future__ import annotations

from random import Random

from attrs import frozen

#: The topics, and how many partitions they have.
TOPICS = {"a": 3, "b": 2}

_CONDITIONS = (
    "partition = 0",
    "partition = 1",
    "partition IN (0, 2)",
    "offset >= 4",
    "offset < 7",
    "offset = 3",
    "topic LIKE '%a'",
    "key = 'k1'",
    "key IN ('k0', 'k2')",
    "value LIKE '%1%'",
    "partition = 0 AND offset > 2",
    "partition = 1 OR offset = 0",
)


@frozen
class Load:
    """One ``load()``: the topics, options that have no effect on the rows, and whether its rows are cached."""

    topics: tuple[str, ...]
    min_partitions: int | None
    is_cached: bool


@frozen
class Expression:
    """An operation on loads, by number, and on other expressions."""

    operation: str
    inputs: tuple[Expression, ...] = ()
    argument: str = ""
    load: int = 0

    def loads(self) -> frozenset[int]:
        """The loads that it uses."""
        own = {self.load} if self.operation == "load" else set()
        return frozenset(own).union(*(each.loads() for each in self.inputs))

    def __repr__(self) -> str:
        name = f"load{self.load}" if self.operation == "load" else self.operation
        inside = ", ".join([*map(repr, self.inputs), *([repr(self.argument)] if self.argument else [])])
        return f"{name}({inside})" if inside else name


@frozen
class Action:
    """Collect the rows of an expression."""

    expression: Expression


@frozen
class Step:
    """What happens before an action: records come, or the first ones of a partition are deleted, or neither."""

    written: int
    deleted_from: str | None
    action: Action


@frozen
class Program:
    """Loads and steps.

    With ``pushes``, Spark's setting for filters is on. With ``plans_anew``, each load also has a filter that all
    records pass, so that each of its uses is planned anew.
    """

    seed: int
    pushes: bool
    plans_anew: bool
    loads: tuple[Load, ...]
    steps: tuple[Step, ...]


def draw_program(seed: int) -> Program:
    """The program of a seed."""
    random = Random(seed)
    pushes = random.random() < 0.6
    plans_anew = pushes and random.random() < 0.5
    grows = plans_anew or not pushes  # else it would depend on Spark's optimizer which uses are planned anew
    loads = tuple(_load(random) for _ in range(random.randint(1, 3)))
    steps = tuple(_step(random, loads, grows=grows, is_first=not number) for number in range(random.randint(2, 3)))
    return Program(seed, pushes, plans_anew, loads, steps)


def _load(random: Random) -> Load:
    topics = random.choice((("a",), ("b",), ("a", "b")))
    return Load(topics, random.choice((None, None, 4)), is_cached=random.random() < 0.25)


def _step(random: Random, loads: tuple[Load, ...], *, grows: bool, is_first: bool) -> Step:
    action = Action(_expression(random, len(loads), depth=random.randint(1, 3)))
    if is_first or not grows:
        return Step(0, None, action)
    deletes = random.random() < 0.2
    return Step(random.choice((0, 3, 6)), random.choice(("a", "b")) if deletes else None, action)


def _expression(random: Random, loads: int, depth: int) -> Expression:
    if depth == 0:
        return Expression("load", load=random.randrange(loads))
    operation = random.choice(("filter", "filter", "union", "join", "count", "view", "distinct", "limit all"))
    arity = 2 if operation in ("union", "join") else 1
    inputs = tuple(_expression(random, loads, depth - 1) for _ in range(arity))
    argument = random.choice(_CONDITIONS) if operation in ("filter", "view") else ""
    if operation == "join":
        argument = random.choice(("topic, partition, offset", "key", "offset"))
    return Expression(operation, inputs, argument)
