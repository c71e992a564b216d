"""Shared by the commands for topics: the argument with topic names, and requests to the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from kafka_nextgen.admin.async_topic_admin import AsyncTopicAdmin
from kafka_nextgen.cli.options import ClusterOptions

__all__ = ["ask", "count_of", "names_argument"]

T = TypeVar("T")

names_argument = click.argument("names", nargs=-1, required=True, metavar="TOPIC...")


def ask(cluster: ClusterOptions, request: Callable[[AsyncTopicAdmin], Awaitable[T]]) -> T:
    """Return the result of a request to the cluster."""

    async def ask() -> T:
        async with AsyncTopicAdmin(cluster.config) as admin:
            return await request(admin)

    return asyncio.run(ask())


def count_of(number: int, what: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
