"""Options of commands for the format of values: a file with a schema, or a registry.

With a registry, the type of the subject's latest schema is the format, and that version defines the columns. An export
that is continued keeps the version that it began with, so all of its files have the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from kafka_nextgen.lazy_attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.values import SchemaRegistry, ValueFormat

__all__ = ["REGISTRY_VARIABLE", "SchemaFiles", "Subject", "format_options", "refuse_without_registry", "registry_of"]

Command = TypeVar("Command", bound=Callable[..., object])

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
REGISTRY_VARIABLE = "KAFKA_NEXTGEN_REGISTRY"
_OPTIONS = (
    click.option("--avro", type=_FILE, help="A file with the Avro schema of the values."),
    click.option("--json", type=_FILE, help="A file with the JSON Schema of the values, which are JSON."),
    click.option("--protobuf", type=_FILE, help="A FileDescriptorSet with the Protobuf message of the values."),
    click.option("--message", help="With --protobuf: the full name of the message."),
    click.option("--framed", is_flag=True, help="With a file: values begin with the id of a schema, which is ignored."),
    click.option(
        "--registry",
        metavar="URL",
        envvar=REGISTRY_VARIABLE,
        show_envvar=True,
        help="The schema registry that has the schemas of the values. The URL may contain a user and a password.",
    ),
    click.option("--registry-ca", type=_FILE, help="With --registry: a PEM file with the CA certificates to trust."),
    click.option(
        "--registry-max-answer-bytes",
        type=click.IntRange(min=1),
        help="With --registry: the maximum size of an answer. Default: 2 MiB.",
    ),
    click.option("--subject", help="With --registry: the subject; TOPIC-value if one topic is given."),
)
_OF_THE_REGISTRY = ("registry_ca", "registry_max_answer_bytes", "subject")


def format_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@frozen
class SchemaFiles:
    """Files with schemas, at most one of which is given."""

    avro: Path | None
    json: Path | None
    protobuf: Path | None
    message: str | None
    framed: bool

    def format(self) -> ValueFormat | None:
        """Return the format of the values; None for bytes. Raises ValueError for options that contradict each other."""
        from kafka_nextgen.values import Avro, Json, Protobuf  # imported here, because most commands do not need them

        given = [each for each in (self.avro, self.json, self.protobuf) if each is not None]
        if len(given) > 1:
            raise ValueError("specify only one format: --avro, --json or --protobuf")
        if (self.message is None) != (self.protobuf is None):
            raise ValueError("--protobuf and --message must be given together")
        if self.framed and not given:
            raise ValueError("--framed needs --avro, --json or --protobuf")
        if self.avro is not None:
            return Avro(self.avro.read_text(), framed=self.framed)
        if self.json is not None:
            return Json(self.json.read_text(), framed=self.framed)
        return None if self.protobuf is None else Protobuf(self.protobuf.read_bytes(), self.message, framed=self.framed)


def refuse_without_registry(given: Mapping[str, object]) -> None:
    """Raise ValueError if the parameters of a command have an option of the registry, but no registry."""
    without_effect = [name for name in _OF_THE_REGISTRY if given["registry"] is None and given[name] is not None]
    if without_effect:
        option = f"--{without_effect[0].replace('_', '-')}"
        raise ValueError(f"{option} needs --registry (or the variable {REGISTRY_VARIABLE}): add it, or omit {option}")


def registry_of(url: str, ca: Path | None, max_answer_bytes: int | None) -> SchemaRegistry:
    """Return the client that the options describe. Raises the errors of ``SchemaRegistry``."""
    from kafka_nextgen.values.registry.client import MOST_ANSWER_BYTES, SchemaRegistry

    tls = None if ca is None else {"ssl.ca.location": str(ca)}
    return SchemaRegistry(url, tls=tls, max_answer_bytes=max_answer_bytes or MOST_ANSWER_BYTES)


@frozen
class Subject:
    """A version of a subject in a registry."""

    registry: SchemaRegistry
    name: str
    version: int

    @classmethod
    def of(
        cls, registry: SchemaRegistry, name: str | None, topics: Sequence[str], earlier: Mapping[str, str | None]
    ) -> Subject:
        """Use the version in the ``earlier`` options of an export, or request the latest one from the registry.

        Raises ValueError for several topics without a subject, and the errors of ``SchemaRegistry``.
        """
        if name is None and len(topics) != 1:
            raise ValueError("--registry needs --subject if several topics are given")
        subject = f"{topics[0]}-value" if name is None else name
        if earlier.get("subject") == subject:
            return cls(registry, subject, int(earlier["subject_version"] or 0))
        return cls(registry, subject, max(registry.versions_of(subject)))

    @property
    def options(self) -> dict[str, str | None]:
        """The options that an export stores."""
        return {"subject": self.name, "subject_version": str(self.version)}

    def format(self) -> ValueFormat:
        """Return the format of the values. Raises ValueError for a schema type that has no format."""
        from kafka_nextgen.values import Avro, Json, Protobuf
        from kafka_nextgen.values.schema_source import Pinned

        kind = self.registry.schema_of(self.name, self.version).type
        formats: dict[str, Callable[..., ValueFormat]] = {"AVRO": Avro, "JSON": Json, "PROTOBUF": Protobuf}
        if kind not in formats:
            raise ValueError(f"subject {self.name} has schemas of the type {kind}, not AVRO, JSON or PROTOBUF")
        source = self.registry.serialized() if kind == "PROTOBUF" else self.registry
        return formats[kind](registry=Pinned(source, source.schema_of(self.name, self.version)), subject=self.name)
