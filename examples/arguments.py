"""The options all examples share."""

from __future__ import annotations

import argparse
import sys

__all__ = ["parse_arguments"]


def parse_arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bootstrap-servers", default="localhost:9092", help="host:port,...")
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--group", default="billing")
    parser.add_argument("--to", default="invoices", help="the topic that is written to")
    parser.add_argument("--transactional-id", default="billing-1", help="its own for each process that runs")
    parser.add_argument("--instance", default="worker-1", help="the name of the static member")
    parser.add_argument("--max-messages", type=int, default=sys.maxsize, help="stop after so many records")
    return parser.parse_args()
