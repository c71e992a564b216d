"""Classes whose methods attrs generates later behave like those of attrs."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
from functools import total_ordering
from typing import ClassVar, Generic, TypeVar

import attrs
import pytest

from kafka_nextgen import lazy_attrs
from kafka_nextgen.lazy_attrs import define, frozen

T = TypeVar("T")


@frozen
class Place:
    """A frozen class with all kinds of fields."""

    EARTH: ClassVar[str] = "Earth"

    name: str
    _size: int = 1
    streets: list[str] = attrs.field(factory=list, eq=False, repr=False)

    @property
    def size(self) -> int:
        return self._size


@frozen
class Town(Place):
    mayor: str | None = None
    name: str = "Springfield"


@define
class Box(Generic[T]):
    content: T


@define
class Counted:
    number: int = attrs.field(default=0, converter=int)


@frozen(kw_only=True, order=True)
class Ranked:
    rank: int = attrs.field(validator=attrs.validators.ge(1))


@define(eq=False)
class Thing:
    name: str = "a"


@total_ordering
@frozen
class Card:
    value: int

    def __hash__(self) -> int:
        return 7

    def __lt__(self, other: Card) -> bool:
        return self.value < other.value


class Labelled(Box[str]):
    def __init__(self, number: int) -> None:
        super().__init__(f"box {number}")


@frozen
class Loud:
    word: str

    def __str__(self) -> str:
        return super().__str__().upper()


def is_generated(cls: type) -> bool:
    return vars(cls)["__init__"].__code__.co_filename.startswith("<attrs generated")


def a_class() -> type[Place]:
    """A class that nothing has used."""

    @frozen
    class Fresh(Place):
        last: int = 7

    return Fresh


def test_methods_are_generated_when_the_class_is_first_used() -> None:
    fresh = a_class()
    assert not is_generated(fresh)
    fresh("a")
    assert is_generated(fresh)


@pytest.mark.parametrize(
    "use",
    [
        attrs.fields,
        inspect.signature,
        lambda cls: cls.__match_args__,
        lambda cls: repr(object.__new__(Place)) if cls is Place else cls("a") == cls("a"),
        lambda cls: object.__new__(cls).__setstate__({"name": "a"}),
    ],
)
def test_whatever_needs_a_method_has_it_generated(use: object) -> None:
    fresh = a_class()
    use(fresh)  # type: ignore[operator]
    assert is_generated(fresh)


def test_values_are_compared_hashed_shown_copied_and_changed() -> None:
    place = Place("here", size=2)
    assert repr(place) == "Place(name='here', _size=2)"
    assert place == Place("here", 2, ["High Street"])
    assert len({place, Place("here", 2), Place("there", 2)}) == 2
    assert pickle.loads(pickle.dumps(place)) == copy.copy(place) == copy.deepcopy(place) == place
    assert attrs.evolve(place, name="there").name == "there"
    assert (place.size, place.EARTH, place.streets) == (2, "Earth", [])


def test_frozen_means_that_nothing_can_be_set() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Place("here").name = "there"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Box(1).lid = 2  # type: ignore[attr-defined]


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    assert [each.name for each in attrs.fields(Town)] == ["_size", "streets", "mayor", "name"]
    assert repr(Town(3)) == "Town(_size=3, mayor=None, name='Springfield')"
    assert Labelled(3).content == "box 3"


def test_match_and_signatures_see_the_fields() -> None:
    match Box(1):
        case Box(content):
            assert content == 1
    assert list(inspect.signature(Place).parameters) == ["name", "size", "streets"]


def test_values_of_define_can_be_changed_but_not_hashed() -> None:
    box = Box(1)
    box.content = 2
    assert box == Box(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(box)
    assert Thing() != Thing()
    assert len({Thing(), Thing()}) == 2


def test_converters_and_validators_are_in_force() -> None:
    counted = Counted()
    counted.number = "4"  # type: ignore[assignment]
    assert counted.number == 4
    assert Ranked(rank=1) < Ranked(rank=2)
    with pytest.raises(ValueError, match="rank"):
        Ranked(rank=0)


def test_methods_of_the_class_itself_stay() -> None:
    assert (hash(Card(1)), Card(1) == Card(1), Card(1) >= Card(1), Card(1) > Card(2)) == (7, True, True, False)


def test_a_class_that_calls_super_is_left_to_attrs() -> None:
    assert is_generated(Loud)
    assert str(Loud("hey")) == "LOUD(WORD='HEY')"


def test_methods_survive_a_garbage_collection_while_they_move(monkeypatch: pytest.MonkeyPatch) -> None:
    later = lazy_attrs._Later  # type: ignore[attr-defined]
    kept = later._kept

    def collect(self: object) -> object:
        gc.collect()
        return kept(self)

    monkeypatch.setattr(later, "_kept", collect)

    @define
    class Sheet:
        number: int

    @define
    class Page(Sheet):
        """Without fields of its own, nothing in its dictionary refers to the class."""

    assert repr(Page(1)).endswith("Page(number=1)")
