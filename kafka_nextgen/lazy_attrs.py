"""attrs classes whose methods are generated when the first of them is needed.

attrs writes and compiles the source of ``__init__``, ``__eq__`` and the rest: of more than a hundred classes when a
consumer is imported, and of many that the process never uses. ``define`` and ``frozen`` of this module create a class
with the same slots, and leave its methods for later.

How: attrs decorates a twin of the class, with the same bases and the same body, and the twin's methods move to the
class. If attrs would do more to a class than add methods, it decorates that class immediately (``_needs_attrs``).

Type checkers see attrs itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["define", "frozen"]

if TYPE_CHECKING:
    from attrs import define as define
    from attrs import frozen as frozen
else:
    from functools import partial
    from types import FunctionType

    import attrs

    _FIELD = type(attrs.field())
    _SAMPLE = vars(attrs.frozen(repr=False, eq=False)(type("Sample", (), {})))
    _OF_FROZEN = {name: _SAMPLE[name] for name in ("__setattr__", "__delattr__")}

    #: The options of attrs that change which methods a class has, and the methods.
    _METHODS = {
        "init": {"__init__", "__getstate__", "__setstate__", "__replace__"} & _SAMPLE.keys(),
        "repr": {"__repr__"},
        "eq": {"__eq__", "__ne__"},
        "order": {"__lt__", "__le__", "__gt__", "__ge__"},
    }
    #: With these options, attrs generates little more than ``__init__``, in half the time.
    _LITTLE = {"repr": False, "eq": False, "order": False}
    _USUALLY = {"init": True, "repr": True, "eq": True, "order": False}
    _OPTIONS = {"kw_only", *_USUALLY} - {"init"}
    #: What attrs, ``match`` and ``inspect.signature`` ask of a class.
    _PROPERTIES = {"__attrs_attrs__", "__attrs_props__", "__match_args__"} & _SAMPLE.keys() | {"__signature__"}
    #: If a class defines one of these, attrs adapts the others.
    _OWN = {"__slots__", "__setattr__", "__delattr__", *_METHODS["init"], *_METHODS["eq"]}

    def define(cls=None, **options):
        """Decorate a class as ``attrs.define`` does."""
        decorate = partial(_decorate, attrs.define, options)
        return decorate if cls is None else decorate(cls)

    def frozen(cls=None, **options):
        """Decorate a class as ``attrs.frozen`` does."""
        decorate = partial(_decorate, attrs.frozen, options)
        return decorate if cls is None else decorate(cls)

    def _decorate(decorator, options, cls):
        annotations = cls.__annotations__  # its own, or an empty dictionary
        body = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        body["__annotations__"] = annotations
        is_frozen = decorator is attrs.frozen or cls.__setattr__ is _OF_FROZEN["__setattr__"]
        if _needs_attrs(cls, body, options, is_frozen):
            return decorator(**options)(cls)
        return _Later(partial(decorator, **options), cls, body).create(_methods(body, options), is_frozen)

    def _needs_attrs(cls, body, options, is_frozen):
        return bool(
            options.keys() - _OPTIONS
            or _OWN & body.keys()
            or issubclass(cls, BaseException)
            or any(getattr(base, "__attrs_own_setattr__", False) for base in cls.__bases__)
            or any(_is_special(name, value, body["__annotations__"], is_frozen) for name, value in body.items())
        )

    def _is_special(name, value, annotations, is_frozen):
        """Whether attrs does something with this attribute that ``_Later`` does not."""
        if isinstance(value, _FIELD):  # a field without a type, or one that is checked or converted when it is set
            checks = (value.converter, value._validator, value.on_setattr)  # noqa: SLF001
            return name not in annotations or not (is_frozen or checks == (None, None, None))
        if isinstance(value, property):
            return any(map(_names_its_class, (value.fget, value.fset)))
        if isinstance(value, (classmethod, staticmethod)):
            return _names_its_class(value.__func__)
        return _names_its_class(value) or (hasattr(value, "__set_name__") and name not in annotations)

    def _names_its_class(function):
        """Whether it uses ``super()`` or ``__class__``, which are bound to the class that is replaced."""
        return isinstance(function, FunctionType) and "__class__" in function.__code__.co_freevars

    def _methods(body, options):
        """The methods that attrs generates for this class."""
        wanted = {**_USUALLY, **options}
        names = set().union(*(names for option, names in _METHODS.items() if wanted[option]))
        return names - body.keys()

    def _fields(body):
        kinds = ("ClassVar", "typing.ClassVar")
        return [name for name, kind in body["__annotations__"].items() if not str(kind).startswith(kinds)]

    class _Later:
        """A class, and how attrs makes its methods."""

        def __init__(self, decorate, former, body):
            self._decorate = decorate
            self._kind, self._name, self._bases = type(former), former.__name__, former.__bases__
            self._body = {**body, "__qualname__": former.__qualname__}
            self._class = None
            self._made = set()

        def create(self, methods, is_frozen):
            """Return the class, without the code of its methods."""
            fields = _fields(self._body)
            body = {name: value for name, value in self._body.items() if name not in fields}
            body["__slots__"] = self._slots(fields)
            body.update({name: _method(self, name) for name in methods})
            body.update({name: _Property(self, name) for name in _PROPERTIES})
            if is_frozen:
                body.update(_OF_FROZEN)
            if "__eq__" in methods and "__hash__" not in body:
                body["__hash__"] = _method(self, "__hash__") if is_frozen else None
            self._class = self._kind(self._name, self._bases, body)
            return self._class

        def _slots(self, fields):
            inherited = [vars(base) for each in self._bases for base in each.__mro__]
            slots = [*fields, "__weakref__"]
            return tuple(name for name in slots if not any(name in names for names in inherited))

        def attribute(self, name):
            """Return this attribute of the class as attrs makes it. Many classes never need more than ``__init__``."""
            if name not in self._made:
                options = _LITTLE if name == "__init__" else {}
                twin = self._decorate(**options)(self._kind(self._name, self._bases, dict(self._body)))
                attributes = vars(twin)  # if the class has no fields of its own, they are gone with the twin
                made = {name} if name == "__init__" else attributes.keys() - self._kept()
                for each in made:
                    setattr(self._class, each, attributes[each])
                self._made |= made
            return getattr(self._class, name)

        def _kept(self):
            """The attributes that attrs does not make."""
            return {*self._body, *_fields(self._body), "__slots__", "__weakref__", "__attrs_base_of_slotted__"}

    def _method(later, name):
        def method(self, /, *args, **kwargs):
            return later.attribute(name)(self, *args, **kwargs)

        return method

    class _Property:
        """An attribute of a class that attrs has not made."""

        __slots__ = ("_later", "_name")

        def __init__(self, later, name):
            self._later, self._name = later, name

        def __get__(self, instance, owner):
            if self._name == "__signature__":  # there is none: inspect.signature uses the generated __init__
                self._later.attribute("__init__")
                raise AttributeError(self._name)
            return self._later.attribute(self._name)
