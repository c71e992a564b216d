"""Topics to Parquet files: each record in exactly one, however often the export is interrupted."""

from __future__ import annotations

import errno
import gc
import json
import os
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import confluent_kafka
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from confluent_kafka.admin import AdminClient, NewPartitions
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.source_context_pb2 import SourceContext

import kafka_nextgen
from kafka_nextgen import MisuseError, OffsetOutOfRangeError, UnknownTopicError
from kafka_nextgen.cli.export import export as export_command
from kafka_nextgen.cli.main import cli
from kafka_nextgen.errors import ArrowSchemaError
from kafka_nextgen.scanning.export import Export
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro
from tests.scanning.conftest import ORDER, avro, write_orders
from tests.support.waiting import GUARD_S
from tests.values.decoding import framed


class InterruptedHereError(Exception):
    """What ends an export in the middle."""


def ids(folder: Path) -> list[int]:
    files = sorted(folder.glob("*.parquet"))
    return sorted(number for file in files for number in pyarrow.parquet.read_table(file)["id"].to_pylist())


def run(servers: str, folder: Path, interrupt_after: int | None = None, file_rows: int = 5) -> int:
    """Export in files of so many rows, batches of two; ends with ``InterruptedHereError`` after so many batches."""
    left = [interrupt_after]

    def note_rows(_: int) -> None:
        if left[0] is not None:
            left[0] -= 1
            if not left[0]:
                raise InterruptedHereError

    task = Export(folder, {"topics": "orders"}, file_rows=file_rows)
    begin, end = task.edges or (None, None)
    topics = task.partitions or "orders"
    with task.continuing():
        found = kafka_nextgen.scan(topics, bootstrap_servers=servers, since=begin, until=end, value=Avro(ORDER))
    with found:
        return task.run(found, note_rows)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_nextgen.scanning.export.BATCH_ROWS", 2)


def test_files_have_at_least_so_many_rows_but_for_the_last(servers: str, tmp_path: Path) -> None:
    files = run(servers, tmp_path)
    rows = [pyarrow.parquet.read_metadata(file).num_rows for file in sorted(tmp_path.glob("*.parquet"))]
    assert len(rows) == files
    assert all(5 <= each <= 6 for each in rows[:-1])
    assert ids(tmp_path) == list(range(30))


def test_a_file_that_has_so_many_rows_is_complete(servers: str, tmp_path: Path) -> None:
    assert run(servers, tmp_path, file_rows=2) == 15


@pytest.mark.parametrize("after", [1, 2, 3, 4, 9])
def test_an_interrupted_export_goes_on(servers: str, tmp_path: Path, after: int) -> None:
    with pytest.raises(InterruptedHereError):
        run(servers, tmp_path, interrupt_after=after)
    assert not set(tmp_path.glob("*.parquet")) or ids(tmp_path) != list(range(30))
    run(servers, tmp_path)
    assert ids(tmp_path) == list(range(30))


def test_the_writer_of_an_interrupted_run_does_not_write_to_the_next_one_s_file(servers: str, tmp_path: Path) -> None:
    with pytest.raises(InterruptedHereError) as interrupted:
        run(servers, tmp_path, interrupt_after=1)
    run(servers, tmp_path)
    del interrupted  # its traceback kept the first writer open
    gc.collect()
    assert ids(tmp_path) == list(range(30))


@pytest.mark.parametrize("is_put", [True, False])
def test_a_file_that_was_not_noted_is_written_again_whether_it_was_put_in_its_place_or_not(
    servers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_put: bool
) -> None:
    put = Path.replace

    def replace(partial: Path, path: Path) -> Path:
        is_here = path.name == "part-000001.parquet"
        done = put(partial, path) if is_put or not is_here else path
        if is_here:
            raise InterruptedHereError
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        with pytest.raises(InterruptedHereError):
            run(servers, tmp_path)
    run(servers, tmp_path)
    assert ids(tmp_path) == list(range(30))


def test_a_file_is_on_disk_before_it_has_its_name(
    servers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    put = Path.replace

    def replace(partial: Path, path: Path) -> Path:
        steps.append("named")
        return put(partial, path)

    monkeypatch.setattr(os, "fsync", lambda _: steps.append("synced"))
    monkeypatch.setattr(Path, "replace", replace)
    files = run(servers, tmp_path)
    assert steps == ["synced", "named"] * (len(steps) // 2)
    assert len(steps) > 4 * files, "each file, and the state behind it"


def test_what_was_written_after_the_export_began_is_not_in_it(tmp_path: Path) -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(30))
        with pytest.raises(InterruptedHereError):
            run(cluster.bootstrap_servers, tmp_path, interrupt_after=4)
        write_orders(cluster.bootstrap_servers, range(30, 40))
        run(cluster.bootstrap_servers, tmp_path)
    assert ids(tmp_path) == list(range(30))


def test_partitions_that_were_added_after_the_export_began_are_not_in_it(tmp_path: Path) -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(30))
        with pytest.raises(InterruptedHereError):
            run(cluster.bootstrap_servers, tmp_path, interrupt_after=4)
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        admin.create_partitions([NewPartitions("orders", 4)])["orders"].result(GUARD_S)
        write_orders(cluster.bootstrap_servers, range(30, 40), partitions=4)
        run(cluster.bootstrap_servers, tmp_path)
    assert ids(tmp_path) == list(range(30))


def test_an_export_whose_remaining_records_were_deleted_does_not_go_on(tmp_path: Path) -> None:
    with Cluster() as cluster:
        admin = _interrupted_export(cluster, tmp_path)
        for deleted in admin.delete_records([confluent_kafka.TopicPartition("orders", 2, 9)]).values():
            deleted.result(GUARD_S)
        lost = r"orders\[2\]: offsets . to 10 are left to export, but the log only has 9 to 10: export to another"
        with pytest.raises(OffsetOutOfRangeError, match=lost):
            run(cluster.bootstrap_servers, tmp_path)


@pytest.mark.parametrize("orders", [3, 60], ids=["shorter", "longer"])
def test_an_export_whose_topic_was_created_again_does_not_go_on(tmp_path: Path, orders: int) -> None:
    with Cluster() as cluster:
        admin = _interrupted_export(cluster, tmp_path)
        admin.delete_topics(["orders"])["orders"].result(GUARD_S)
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(orders))
        with pytest.raises(UnknownTopicError, match="'orders' was deleted and created again since the export began"):
            run(cluster.bootstrap_servers, tmp_path)


def test_a_complete_export_of_a_topic_that_was_created_again_stays_as_it_is(tmp_path: Path) -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(30))
        files = run(cluster.bootstrap_servers, tmp_path)
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        admin.delete_topics(["orders"])["orders"].result(GUARD_S)
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(3))
        assert run(cluster.bootstrap_servers, tmp_path) == files
    assert ids(tmp_path) == list(range(30))


def _interrupted_export(cluster: Cluster, folder: Path) -> AdminClient:
    cluster.create_topic("orders", 3)
    write_orders(cluster.bootstrap_servers, range(30))
    with pytest.raises(InterruptedHereError):
        run(cluster.bootstrap_servers, folder, interrupt_after=4)
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def test_an_export_that_is_done_stays_as_it_is(servers: str, tmp_path: Path) -> None:
    files = run(servers, tmp_path)
    assert run(servers, tmp_path) == files
    assert ids(tmp_path) == list(range(30))


def test_a_folder_has_one_export(servers: str, tmp_path: Path) -> None:
    run(servers, tmp_path)
    with pytest.raises(MisuseError, match="has an export with topics = orders, and this one has audit: export to"):
        Export(tmp_path, {"topics": "audit"})
    with pytest.raises(MisuseError, match="has an export with since = nothing, and this one has 2h: export to"):
        Export(tmp_path, {"topics": "orders", "since": "2h"})


def test_files_of_others_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "part-000000.parquet").write_bytes(b"of another")
    with pytest.raises(
        MisuseError, match=r"part-000000.parquet does not belong to the export: export to an empty folder"
    ):
        Export(tmp_path, {})


def test_an_export_whose_file_is_gone_does_not_go_on(servers: str, tmp_path: Path) -> None:
    run(servers, tmp_path)
    (tmp_path / "part-000001.parquet").unlink()
    with pytest.raises(MisuseError, match=r"part-000001.parquet is missing: put it back, or export to another folder"):
        run(servers, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="has no flock")
def test_two_exports_at_a_time_do_not_write_to_one_folder(servers: str, tmp_path: Path) -> None:
    def begin_another(_: int) -> None:
        with pytest.raises(MisuseError, match="another process is exporting to"):
            run(servers, tmp_path)

    task = Export(tmp_path, {"topics": "orders"})
    with kafka_nextgen.scan("orders", bootstrap_servers=servers, value=Avro(ORDER)) as found:
        assert task.run(found, begin_another) == 1


def test_an_export_that_another_process_has_gone_on_with_meanwhile_is_not_repeated(
    servers: str, tmp_path: Path
) -> None:
    """It would write the files of the other once more, from offsets that it has read before."""
    with kafka_nextgen.scan("orders", bootstrap_servers=servers, value=Avro(ORDER)) as found:
        task = Export(tmp_path, {"topics": "orders"})
        run(servers, tmp_path)
        with pytest.raises(
            MisuseError, match=r"another process has exported to .* in the meantime: run the export again"
        ):
            task.run(found)
    assert ids(tmp_path) == list(range(30))


@pytest.mark.skipif(sys.platform == "win32", reason="has no flock")
def test_a_file_system_without_locks_has_no_second_process_refused(
    servers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")  # as on NFS

    monkeypatch.setattr("fcntl.flock", flock)
    run(servers, tmp_path)
    assert ids(tmp_path) == list(range(30))


def test_an_error_of_whoever_notes_progress_is_not_taken_for_another_process(servers: str, tmp_path: Path) -> None:
    """A progress bar raises it if the terminal is not read."""

    def note_rows(_: int) -> None:
        raise BlockingIOError("write could not complete without blocking")

    found = kafka_nextgen.scan("orders", bootstrap_servers=servers, value=Avro(ORDER))
    with found, pytest.raises(BlockingIOError, match="write could not complete"):
        Export(tmp_path, {"topics": "orders"}).run(found, note_rows)


def test_an_incomplete_file_is_removed(servers: str, tmp_path: Path) -> None:
    with pytest.raises(InterruptedHereError):
        run(servers, tmp_path, interrupt_after=1)
    assert [each.name for each in tmp_path.iterdir()] == ["_export.json"]


def test_a_file_of_another_beside_those_of_the_export_is_refused(servers: str, tmp_path: Path) -> None:
    with pytest.raises(InterruptedHereError):
        run(servers, tmp_path, interrupt_after=4)
    (tmp_path / "part-000009.parquet").write_bytes(b"of another")
    with pytest.raises(
        MisuseError, match=r"part-000009.parquet does not belong to the export: export to an empty folder"
    ):
        run(servers, tmp_path)


@pytest.mark.parametrize("text", ["{", '{"version": 2, "options": {}, "files": 0, "partitions": []}'])
def test_a_state_that_can_not_be_read_is_no_new_export(tmp_path: Path, text: str) -> None:
    (tmp_path / "_export.json").write_text(text)
    with pytest.raises(MisuseError, match=r"_export.json can't be read .*: export to another folder"):
        Export(tmp_path, {"topics": "orders"})


@pytest.mark.parametrize(
    "kind",
    [
        {"type": "fixed", "name": "span", "size": 12, "logicalType": "duration"},
        {"type": "record", "name": "nothing", "fields": []},
    ],
    ids=["duration", "empty record"],
)
def test_a_type_that_parquet_lacks_is_refused_before_anything_is_written(
    servers: str, tmp_path: Path, kind: dict[str, object]
) -> None:
    span = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, {"name": "n", "type": kind}]}
    task = Export(tmp_path / "out", {})
    found = kafka_nextgen.scan("orders", bootstrap_servers=servers, value=Avro(span))
    with found, pytest.raises(ArrowSchemaError, match=r"column 'n' is .*, for which Parquet has no type: leave the"):
        task.run(found)
    assert not (tmp_path / "out").exists()


# ---- the command


def export(servers: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["export", *arguments, "-b", servers])


def test_the_command_writes_parquet(servers: str, tmp_path: Path) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_text('{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}')
    done = export(servers, "orders", "--to", str(tmp_path / "out"), "--avro", str(schema), "--file-rows", "10")
    assert done.exit_code == 0, done.stderr
    assert ids(tmp_path / "out") == list(range(30))
    assert done.stdout.splitlines()[-1] == f"3 files in {tmp_path / 'out'}"


def test_the_command_writes_what_is_between_since_and_until(servers: str, tmp_path: Path) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(ORDER))
    edges = ["--since", "2026-11-26T14:10:00", "--until", "2026-11-26T14:20:00"]
    done = export(servers, "orders", "--to", str(tmp_path / "out"), "--avro", str(schema), *edges)
    assert (done.exit_code, ids(tmp_path / "out")) == (0, list(range(10, 20))), done.stderr


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--on-error", "skip"], "on_error = skip"),
        (["--framed"], "framed = True"),
        (["--since", "2026-11-26"], "since = 2026-11-26"),
        (["--until", "2026-11-26"], "until = 2026-11-26"),
    ],
)
def test_an_export_goes_on_with_the_options_that_it_began_with(
    servers: str, tmp_path: Path, given: list[str], told: str
) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(ORDER))
    same = ["empty", "--to", str(tmp_path / "out"), "--avro", str(schema)]
    assert export(servers, *same, *given).exit_code == 0
    other = export(servers, *same)
    assert (other.exit_code, f"has an export with {told}" in other.stderr) == (1, True), other.stderr


@pytest.mark.parametrize(
    ("option", "schema", "value"),
    [
        ("--avro", ORDER, b"\x0e"),
        ("--json", {"type": "object", "properties": {"id": {"type": "integer"}}}, b'{"id": 7}'),
    ],
)
def test_values_may_be_framed_and_bad_ones_left_out(tmp_path: Path, option: str, schema: Any, value: bytes) -> None:
    (tmp_path / "schema").write_text(json.dumps(schema))
    with Cluster() as cluster:
        cluster.create_topic("orders", 1)
        write_orders(cluster.bootstrap_servers, range(2), lambda number: framed(1, value) if number else b"bad", 1)
        given = ["--to", str(tmp_path / "out"), option, str(tmp_path / "schema"), "--framed", "--on-error", "skip"]
        done = export(cluster.bootstrap_servers, "orders", *given)
    assert (done.exit_code, ids(tmp_path / "out")) == (0, [7]), done.stderr


def test_the_command_does_not_go_on_beyond_the_end_of_the_log(servers: str, tmp_path: Path) -> None:
    """As after an unclean election of a leader that lacks records which were exported."""
    schema, state = tmp_path / "order.avsc", tmp_path / "out" / "_export.json"
    schema.write_text(json.dumps(ORDER))
    given = ["orders", "--to", str(tmp_path / "out"), "--avro", str(schema)]
    assert export(servers, *given).exit_code == 0
    document = json.loads(state.read_text())
    document["partitions"][1].update({"next": 12, "end": 15})
    state.write_text(json.dumps(document))
    done = export(servers, *given)
    lost = "orders[1]: offsets 12 to 15 are left to export, but the log ends at offset 10: export to another folder"
    assert (done.exit_code, lost in done.stderr) == (1, True), done.stderr


def test_another_schema_is_another_export(servers: str, tmp_path: Path) -> None:
    schema = tmp_path / "order.avsc"
    order = ["orders", "--to", str(tmp_path / "out"), "--avro", str(schema)]
    for field, exit_code, told in [("id", 0, ""), ("number", 1, "has an export with avro = a file with the SHA-256 ")]:
        schema.write_text(f'{{"type": "record", "name": "Order", "fields": [{{"name": "{field}", "type": "long"}}]}}')
        done = export(servers, *order)
        assert (done.exit_code, told in done.stderr) == (exit_code, True), done.stderr
    assert ids(tmp_path / "out") == list(range(30))


def test_values_are_json_or_protobuf_by_the_schema_that_is_given(tmp_path: Path) -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", 3)
        write_orders(cluster.bootstrap_servers, range(1), lambda number: b'{"id": %d}' % number)
        schema = tmp_path / "order.json"
        schema.write_text('{"type": "object", "properties": {"id": {"type": "integer"}}}')
        done = export(cluster.bootstrap_servers, "orders", "--to", str(tmp_path / "json"), "--json", str(schema))
        assert (done.exit_code, ids(tmp_path / "json")) == (0, [0]), done.stderr
        cluster.create_topic("contexts")
        descriptors = tmp_path / "context.pb"
        descriptors.write_bytes(FileDescriptorSet(file=[_file_of(SourceContext)]).SerializeToString())
        given = ["--protobuf", str(descriptors), "--message", "google.protobuf.SourceContext"]
        done = export(cluster.bootstrap_servers, "contexts", "--to", str(tmp_path / "protobuf"), *given)
        assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, f"0 files in {tmp_path / 'protobuf'}"), done.stderr


def _file_of(message: type[Any]) -> FileDescriptorProto:
    file = FileDescriptorProto()
    message.DESCRIPTOR.file.CopyToProto(file)
    return file


def test_with_a_registry_the_columns_are_those_of_the_subject_when_the_export_began(tmp_path: Path) -> None:
    later = {**ORDER, "fields": [*ORDER["fields"], {"name": "note", "type": "string", "default": ""}]}
    with Cluster() as cluster, StandIn() as registry:
        cluster.create_topic("orders", 3)
        schema_id = registry.register("orders-value", json.dumps(ORDER))
        write_orders(cluster.bootstrap_servers, range(30), lambda number: framed(schema_id, avro(number)))
        given = ["orders", "--to", str(tmp_path / "out"), "--registry", registry.url, "--file-rows", "10"]
        for _ in range(2):
            done = export(cluster.bootstrap_servers, *given)
            assert (done.exit_code, ids(tmp_path / "out")) == (0, list(range(30))), done.stderr
            registry.register("orders-value", json.dumps(later))
        document = json.loads((tmp_path / "out" / "_export.json").read_text())
        assert (document["options"]["subject"], document["options"]["subject_version"]) == ("orders-value", "1")
        other = export(cluster.bootstrap_servers, *given, "--subject", "none")
        assert (other.exit_code, "subjects/none/versions: the schema does not exist" in other.stderr) == (1, True)
        both = export(cluster.bootstrap_servers, "a", "b", "--to", str(tmp_path / "two"), "--registry", registry.url)
        assert (both.exit_code, "--registry needs --subject if several topics" in both.stderr) == (2, True)


def test_a_registry_is_asked_for_serialized_descriptors_of_protobuf(tmp_path: Path) -> None:
    """It answers with the text of a .proto file otherwise, which no one here can read."""
    descriptor = b64encode(_file_of(SourceContext).SerializeToString()).decode()
    with Cluster() as cluster, StandIn() as registry:
        cluster.create_topic("orders", 1)
        schema_id = registry.register("orders-value", descriptor, "PROTOBUF")
        value = framed(schema_id, b"\0" + SourceContext(file_name="a.proto").SerializeToString())
        write_orders(cluster.bootstrap_servers, range(1), lambda _: value, partitions=1)
        registry.requests.clear()
        done = export(cluster.bootstrap_servers, "orders", "--to", str(tmp_path), "--registry", registry.url)
        assert done.exit_code == 0, done.stderr
        assert [path for _, path in registry.requests] == [
            "/subjects/orders-value/versions",
            "/subjects/orders-value/versions/1",
            "/subjects/orders-value/versions/1?format=serialized",
        ]
    (file,) = tmp_path.glob("*.parquet")
    assert pyarrow.parquet.read_table(file)["file_name"].to_pylist() == ["a.proto"]


def test_an_option_sets_the_size_limit_of_answers_of_the_registry(servers: str, tmp_path: Path) -> None:
    with StandIn() as registry:
        registry.register("orders-value", json.dumps(ORDER))
        given = ["orders", "--to", str(tmp_path), "--registry", registry.url, "--registry-max-answer-bytes"]
        small = export(servers, *given, "10")
        assert (small.exit_code, "the answer is larger than max_answer_bytes=10 allows" in small.stderr) == (1, True)
        registry.fail(200, json.dumps([1]).ljust(3 << 20), times=1)  # the versions of the subject
        large = export(servers, *given, str(4 << 20), "--on-error", "skip")
        assert large.exit_code == 0, large.stderr
        none = export(servers, *given, "0")
        assert (none.exit_code, "0 is not in the range x>=1" in none.stderr) == (2, True)


def test_options_that_contradict_each_other_are_wrong_usage(servers: str, tmp_path: Path) -> None:
    schema = tmp_path / "order.json"
    schema.write_text('{"type": "object", "properties": {"id": {"type": "integer"}}}')
    two = export(servers, "orders", "--to", str(tmp_path / "out"), "--json", str(schema), "--avro", str(schema))
    assert (two.exit_code, "specify only one format" in two.stderr) == (2, True)
    alone = export(servers, "orders", "--to", str(tmp_path / "out"), "--message", "Order")
    assert (alone.exit_code, "--protobuf and --message must be given together" in alone.stderr) == (2, True)
    bare = export(servers, "orders", "--to", str(tmp_path / "out"), "--on-error", "skip")
    assert (bare.exit_code, "--on-error needs --registry, --avro, --json or --protobuf" in bare.stderr) == (2, True)


def test_each_option_of_the_registry_is_refused_without_one(tmp_path: Path) -> None:
    schema = tmp_path / "order.json"
    schema.write_text('{"type": "object", "properties": {"id": {"type": "integer"}}}')
    values = {"--registry-ca": str(schema), "--registry-max-answer-bytes": "10", "--subject": "orders-value"}
    offered = {each for parameter in export_command.params for each in parameter.opts}
    assert {each for each in offered if each.startswith("--registry-")} <= set(values)
    for option, value in values.items():
        for form in [[], ["--json", str(schema)]]:
            done = export("127.0.0.1:1", "orders", "--to", str(tmp_path / "out"), *form, option, value)
            assert (done.exit_code, f"{option} needs --registry (or the variable" in done.stderr) == (2, True)
            assert f"add it, or omit {option}" in done.stderr


def test_an_interrupted_command_says_how_to_go_on(
    servers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Export, "run", interrupt)
        done = export(servers, "orders", "--to", str(tmp_path / "out"))
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        130,
        "interrupted: run the same command again to continue",
    )


def test_the_command_says_what_is_wrong_in_one_line(servers: str, tmp_path: Path) -> None:
    wrong = export(servers, "orders", "--to", str(tmp_path), "--since", "yesterday")
    assert (wrong.exit_code, len(wrong.stderr.splitlines())) == (2, 1)
    assert "since='yesterday' is neither" in wrong.stderr
    missing = export(servers, "ordres", "--to", str(tmp_path))
    assert missing.exit_code == 1
    assert "topic 'ordres' does not exist" in missing.stderr
