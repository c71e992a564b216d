"""The commands reach a secured broker by the keys in a file, where no other user of the machine sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_nextgen.cli.main import cli
from kafka_nextgen.cli.options import read_properties
from kafka_nextgen.errors import ConfigError
from tests.cli.running import kafka_nextgen
from tests.support.certificates import Certificates
from tests.support.chains import assert_nowhere_in_the_chain
from tests.support.clients import create_topic, unique
from tests.support.secured_kafka import PASSWORDS, SecuredKafka


@pytest.fixture
def client_file(secured_embedded: SecuredKafka, certificates: Certificates, tmp_path: Path) -> str:
    file = tmp_path / "client.properties"
    lines = [
        "# how alice reaches the cluster",
        "",
        f"bootstrap.servers={secured_embedded.servers['SASL_SSL']}",
        "security.protocol=SASL_SSL",
        f"ssl.ca.location={certificates.authority}",
        "sasl.mechanism = SCRAM-SHA-512",
        "sasl.username = alice",
        f"sasl.password = {PASSWORDS['alice']}",
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def run(*arguments: str, stdin: str = "") -> str:
    done = kafka_nextgen(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lines_go_in_and_out_and_the_group_is_seen(secured_embedded: SecuredKafka, client_file: str) -> None:
    topic, group = create_topic(secured_embedded.in_the_clear["SASL_SSL"], "secured"), unique("secured")
    run("produce", topic, "--config-file", client_file, stdin="one\ntwo\n")
    reading = ["--config-file", client_file, "--from-beginning", "--max-messages", "2", "--timeout", "20"]
    assert run("consume", topic, "-g", group, *reading).splitlines() == ["one", "two"]
    assert group in run("groups", "list", "--config-file", client_file)


def test_what_is_on_the_command_line_goes_before_the_file(client_file: str) -> None:
    done = kafka_nextgen("groups", "list", "--config-file", client_file, "-c", "sasl.password=a-guess")
    assert done.returncode == 1
    assert "invalid credentials" in done.stderr
    assert "a-guess" not in done.stderr


@pytest.mark.parametrize("pair", ["=s3cret", " =s3cret", "sasl.password: s3cret", "sasl.password s3cret"])
def test_the_value_in_what_is_no_pair_is_not_shown(pair: str) -> None:
    with pytest.raises(ConfigError, match="takes NAME=VALUE") as caught:
        read_properties([pair])
    assert "s3cret" not in f"{caught.value} {caught.value.key}"


def test_a_file_that_is_not_utf_8_is_refused_in_one_line_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_bytes("sasl.password=s3creté".encode("latin-1"))
    done = CliRunner().invoke(cli, ["groups", "list", "--config-file", str(file)])
    assert (done.exit_code, done.output) == (
        2,
        f"Error: {file} is not UTF-8: convert it, or write other characters as \\uXXXX\n",
    )
    assert done.exception is not None
    assert_nowhere_in_the_chain("s3cret", done.exception)
