"""Every decoder that bytes of a peer get to, as the fuzzer runs it; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tests.verification.fuzz.decoders.decoder import Decoder

#: The module of each, the most important first.
DECODERS: Mapping[str, str] = {
    "compiled-records": "compiled_records",
    "compiled-objects": "compiled_objects",
    "steady-answers": "steady_answers",
    "avro-values": "avro_values",
    "json-values": "json_values",
    "protobuf-values": "protobuf_values",
    "records": "records",
    "responses": "frames",
    "requests": "frames",
    "compression": "records",
    "produced": "records",
    "stream": "stream",
    "offsets-topic": "offsets_topic",
    "embedded": "embedded",
    "sasl-client": "sasl",
    "sasl-server": "sasl",
}

_PLANTED = "planted"


def find(name: str) -> Decoder:
    """The decoder of that name, be it one of those that are at fault on purpose."""
    module = import_module(f"{__name__}.{DECODERS.get(name, _PLANTED)}")
    (decoder,) = (each for each in vars(module).values() if isinstance(each, Decoder) and each.name == name)
    return decoder
