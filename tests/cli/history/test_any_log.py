"""Whatever a log says, the report is told, in each of its forms."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings

from kafka_nextgen.cli.main import cli
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.json_lines import encode_event
from tests.history.making import EVENTS


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(EVENTS.filter(bool))
def test_any_log_is_reported(tmp_path: Path, events: list[Event]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{encode_event(event)}\n" for event in events))
    runner = CliRunner()
    page = tmp_path / "page.html"
    tables = runner.invoke(cli, ["history", "report", str(log), "--html", str(page)], catch_exceptions=False)
    assert tables.exit_code == 0, tables.output
    assert page.read_text().rstrip().endswith("</html>")
    document = runner.invoke(cli, ["history", "report", str(log), "--json"], catch_exceptions=False)
    assert json.loads(document.stdout)
    moment = runner.invoke(cli, ["history", "report", str(log), "--at", str(events[0].at)], catch_exceptions=False)
    assert moment.exit_code == 0, moment.output
