"""``kafka-nextgen groups validate-regex``."""

from __future__ import annotations

import click

from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import print_json, say

__all__ = ["validate_regex"]


@click.command("validate-regex")
@click.argument("pattern")
@json_option
@reaching
def validate_regex(reach: Reach, pattern: str, as_json: bool) -> None:
    """Try PATTERN as a subscription, and show the topics it matches now.

    Tried here, with google-re2: Kafka has no way to ask a broker, whose RE2/J differs in corners. Whole names match.
    """
    with reach.open() as admin:
        checked = admin.validate_regex(pattern, reach.timeout_s)
    if as_json:
        print_json(
            {
                "pattern": pattern,
                "is_valid": checked.is_valid,
                "topics": list(checked.topics),
                "error": checked.error,
                "advice": checked.advice,
            }
        )
    if checked.error is not None:
        raise click.ClickException(checked.error)
    if not as_json:
        for line in checked.topics or ("It matches no topic there is.",):
            say(line)
    if checked.advice:
        say(f"Warning: {checked.advice}", err=True)
