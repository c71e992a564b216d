"""Options of a query as they are read."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.options import SourceOptions, parse_source_options

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
ORDERS = {"subscribe": "orders"}
OFFSETS = ' {"orders":{"0":23,"1":7}} '


def parse(*parts: dict[str, str], streaming: bool = True) -> SourceOptions:
    options = {name: text for part in (SERVERS, ORDERS, *parts) for name, text in part.items()}
    return parse_source_options(options, is_streaming=streaming)


def refusal(options: dict[str, str], *, streaming: bool = True) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(options, streaming=streaming)
    return caught.value
