"""The options for decoding keys and values. Reading them is pure: it reads no file and sends no request to a registry.

The options of values begin with ``value``, those of keys with ``key``. A format may be given for either, or for both.
With a registry, values are framed, and their schemas come from the registry. With ``valueFramed``, the registry is not
used for values: the option says whether they have a frame, whose id is then skipped.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Literal, cast

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.spark.option_values import OptionValues

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.value_columns import OnError

__all__ = [
    "DECODING_OPTIONS",
    "REGISTRY_PREFIXES",
    "DecodingOptions",
    "Field",
    "FieldOptions",
    "Format",
    "RegistryOptions",
    "read_decoding",
]

Field = Literal["key", "value"]
Format = Literal["json", "avro", "protobuf"]

_FIELDS: Final[tuple[Field, ...]] = ("key", "value")
_FORMATS: Final = ("json", "avro", "protobuf")
_OF_FIELD: Final = ("Schema", "SchemaFile", "Message", "Subject", "Framed")

_REGISTRY: Final = "schemaRegistry."
_URL: Final = f"{_REGISTRY}url"
_OF_REGISTRY: Final = (_URL, *(_REGISTRY + name for name in ("user", "password", "token", "framing", "maxAnswerBytes")))
_TLS, _HEADER = f"{_REGISTRY}ssl.".lower(), f"{_REGISTRY}header.".lower()

#: Prefixes, in lower case, of registry options that end with a TLS key or the name of a header.
REGISTRY_PREFIXES: Final = (_TLS, _HEADER)

#: All options that are read here, except those with a prefix.
DECODING_OPTIONS: Final = (
    *(f"{name}Format" for name in _FIELDS),
    *(name + option for name in _FIELDS for option in _OF_FIELD),
    *_OF_REGISTRY,
    "onError",
)


@frozen
class FieldOptions:
    """How keys or values are decoded, as given by the options: the schema may be in a file, or in the registry.

    ``is_framed`` is None without the option: then the registry is used, if there is one.
    """

    field: Field
    format: Format
    schema: str | None
    schema_file: str | None
    message: str | None
    subject: str | None
    is_framed: bool | None

    def option(self, name: str) -> str:
        """Return the name of one of its options, such as ``valueSchema`` for ``Schema``."""
        return self.field + name

    def registry_of(self, registry: RegistryOptions | None) -> RegistryOptions | None:
        """Return the registry if it has the schemas of this field."""
        return registry if self.is_framed is None else None


@frozen
class RegistryOptions:
    """The settings for a registry. Their ``repr`` does not show credentials or the URL, which may contain
    credentials."""

    url: Secret
    user: tuple[str, Secret] | None = field(default=None, repr=False)
    token: Secret | None = None
    framing: str = "confluent"
    tls: tuple[tuple[str, Secret], ...] = ()
    headers: tuple[tuple[str, Secret], ...] = ()
    max_answer_bytes: int | None = None


@frozen
class DecodingOptions:
    """How records are decoded: keys, values or both, and the policy for invalid ones."""

    fields: tuple[FieldOptions, ...]
    on_error: OnError = "raise"
    registry: RegistryOptions | None = None


def read_decoding(values: OptionValues, topics: Collection[str]) -> DecodingOptions | None:
    """Return how records are decoded; None without a format.

    Arguments:
        values: the options.
        topics: the topics that the options name; there may be others.

    Raises ``ConfigError``, whose ``key`` is the option.
    """
    fields = tuple(read for name in _FIELDS if (read := _field(values, name, topics)) is not None)
    registry = _registry(values, fields)
    on_error = values.word("onError", ("raise", "skip", "null"), "raise")
    if not fields:
        return None
    for each in fields:
        _check_schema(each, registry)
    return DecodingOptions(fields, cast("OnError", on_error), registry)


def _field(values: OptionValues, name: Field, topics: Collection[str]) -> FieldOptions | None:
    format_option = f"{name}Format"
    if format_option not in values:
        for option in (name + each for each in _OF_FIELD):
            if option in values:
                raise ConfigError(f"{option} needs {format_option}, which is one of {', '.join(_FORMATS)}", option)
        return None
    format_name = cast(Format, values.word(format_option, _FORMATS, ""))
    subject = values.text(f"{name}Subject")
    return FieldOptions(
        name,
        format_name,
        _not_empty(values, f"{name}Schema"),
        _not_empty(values, f"{name}SchemaFile"),
        _not_empty(values, f"{name}Message"),
        f"{next(iter(topics))}-{name}" if subject is None and len(topics) == 1 else subject,
        values.boolean(f"{name}Framed", default=False) if f"{name}Framed" in values else None,
    )


def _not_empty(values: OptionValues, option: str) -> str | None:
    text = values.text(option)
    if text == "":
        raise ConfigError(f"{option} is empty: give it a value, or remove it", option)
    return text


def _check_schema(read: FieldOptions, registry: RegistryOptions | None) -> None:
    """Refuse options that contradict each other, or a format without a schema."""
    schema, file, message = (read.option(name) for name in ("Schema", "SchemaFile", "Message"))
    has_schema = read.schema is not None or read.schema_file is not None
    told, used = f"{read.option('Format')}={read.format}", read.registry_of(registry)
    if read.schema is not None and read.schema_file is not None:
        raise ConfigError(f"{schema} and {file} are given: remove one", schema)
    if read.message is not None and read.format != "protobuf":
        raise ConfigError(f"{message} is for protobuf only, not for {told}: remove it", message)
    if read.message is None and read.format == "protobuf" and (has_schema or used is None):
        raise ConfigError(f"{message} is required, as package.Message, with {told}", message)
    if not has_schema and read.format != "json" and used is None:
        raise _no_schema(read, registry, told)
    if used is not None:
        _check_registered(read, used, has_schema)


def _no_schema(read: FieldOptions, registry: RegistryOptions | None, told: str) -> ConfigError:
    schema, file, framed = (read.option(name) for name in ("Schema", "SchemaFile", "Framed"))
    if registry is not None:
        return ConfigError(f"with {framed}, {_URL} is not used: remove {framed}, or give {schema} or {file}", framed)
    if read.format == "avro":
        return ConfigError(f"{told} needs {schema}, {file} or {_URL}", schema)
    how = "the file that protoc --include_imports --descriptor_set_out writes"
    return ConfigError(f"{told} needs {file}, {how}, or {schema}, the same in base64, or {_URL}", file)


def _check_registered(read: FieldOptions, registry: RegistryOptions, has_schema: bool) -> None:
    """Refuse options that keys or values with registered schemas can't have."""
    schema, subject, framing = read.option("Schema"), read.option("Subject"), f"{_REGISTRY}framing"
    if read.format == "protobuf" and registry.framing != "confluent":
        raise ConfigError(
            f"{framing}={registry.framing} can't be used with {read.option('Format')}=protobuf: Apicurio's serializer "
            "puts the name of the message in front of each value. Configure producers to write Confluent's frame",
            framing,
        )
    if not has_schema and not read.subject:
        raise ConfigError(
            f"{subject} is required, for instance orders-{read.field}: the latest schema of that subject defines the "
            f"columns of all topics. {schema} may define them instead",
            subject,
        )


def _registry(values: OptionValues, fields: Collection[FieldOptions]) -> RegistryOptions | None:
    others = [name for name in values.given if name.startswith(_REGISTRY.lower())]
    if not others:
        return None
    url = values.text(_URL)
    if not url:
        raise ConfigError(f"{_URL} is required with {', '.join(sorted(others))}", _URL)
    if all(each.is_framed is not None for each in fields):
        raise ConfigError(f"{_URL} needs valueFormat or keyFormat, without valueFramed or keyFramed", _URL)
    user, password = values.text(f"{_REGISTRY}user"), values.text(f"{_REGISTRY}password")
    if (user is None) != (password is None):
        raise ConfigError(f"{_REGISTRY}user and {_REGISTRY}password must be given together", f"{_REGISTRY}password")
    token = values.text(f"{_REGISTRY}token")
    if token is not None and user is not None:
        raise ConfigError(f"{_REGISTRY}user and {_REGISTRY}token are given: remove one", f"{_REGISTRY}token")
    return RegistryOptions(
        Secret(url),
        None if user is None or password is None else (user, Secret(password)),
        None if token is None else Secret(token),
        values.word(f"{_REGISTRY}framing", ("confluent", "apicurio"), "confluent"),
        _with_prefix(values, _TLS, "ssl."),
        _with_prefix(values, _HEADER, ""),
        values.optional_number(f"{_REGISTRY}maxAnswerBytes", 1),
    )


def _with_prefix(values: OptionValues, prefix: str, instead: str) -> tuple[tuple[str, Secret], ...]:
    found = {name: text for name, text in values.given.items() if name.startswith(prefix)}
    return tuple((instead + name.removeprefix(prefix), Secret(text.strip())) for name, text in sorted(found.items()))
