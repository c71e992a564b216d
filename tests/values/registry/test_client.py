"""``SchemaRegistry``: what it asks for, what it keeps, and what it tries again."""

from __future__ import annotations

import json
import logging
import pickle
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote
from urllib.request import Request, urlopen
from uuid import UUID

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient, SchemaRegistryError

from kafka_nextgen import ConfigError, Secret
from kafka_nextgen.errors import OutageError, RegistryError
from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values import Avro, RegisteredSchema, SchemaRegistry, SchemaSource
from kafka_nextgen.values.framing import number_of
from kafka_nextgen.values.registry import client as client_module
from kafka_nextgen.values.registry import lookups
from kafka_nextgen.values.registry.http_exchange import Address
from kafka_nextgen.values.schema_source import SubjectSource, source_of
from tests.support.chains import assert_nowhere_in_the_chain
from tests.support.waiting import GUARD_S, eventually, slowness
from tests.values.decoding import decoded, framed

TEXT = '{"type": "string"}'
OTHER = '{"type": "long"}'


@contextmanager
def failing(status: int | None = None, match: str | None = None) -> Iterator[None]:
    with pytest.raises(RegistryError, match=match) as caught:
        yield
    assert caught.value.http_status_code == status


def test_a_schema_is_asked_for_once_and_kept(registry: StandIn) -> None:
    schema_id = registry.register("orders-value", TEXT)
    client = SchemaRegistry(registry.url)
    assert isinstance(client, SchemaSource)
    for _ in range(2):
        assert client.schema_by_id(schema_id) == RegisteredSchema("AVRO", TEXT, (), schema_id)
    assert registry.requests == [("GET", f"/schemas/ids/{schema_id}")]


def test_a_schema_is_found_by_its_guid_also_by_the_number_that_stands_for_it(registry: StandIn) -> None:
    guid = registry.guid_of(registry.register("orders-value", TEXT, "JSON"))
    client = SchemaRegistry(registry.url)
    for found in (client.schema_by_guid(guid), client.schema_by_id(number_of(UUID(guid)))):
        assert found == RegisteredSchema("JSON", TEXT, ())
    assert registry.requests == [("GET", f"/schemas/guids/{guid}")]


def test_a_version_of_a_subject_is_kept_and_the_latest_asked_for_anew(registry: StandIn) -> None:
    registry.register("orders/value", TEXT)
    client = SchemaRegistry(registry.url)
    assert client.schema_of("orders/value").text == client.schema_of("orders/value", 1).text == TEXT
    registry.register("orders/value", OTHER)
    assert client.schema_of("orders/value").text == OTHER
    assert client.schema_of("orders/value", 1).text == TEXT
    assert len(registry.requests) == 3
    assert [client.schema_of("orders/value", version).id for version in client.versions_of("orders/value")] == [1, 2]
    assert isinstance(client, SubjectSource)
    with failing(404):
        client.versions_of("none")


@pytest.mark.parametrize("body", ["{}", "[1.0]", "[true]", '["1"]', "["])
def test_versions_that_are_none_are_refused(registry: StandIn, body: str) -> None:
    registry.fail(200, body)
    with failing(None, "the answer is not (JSON|a list of versions)"):
        SchemaRegistry(registry.url).versions_of("orders")


def test_threads_that_want_the_same_share_one_request(registry: StandIn) -> None:
    schema_id = registry.register("orders-value", TEXT)
    client = SchemaRegistry(registry.url, timeout_s=GUARD_S)
    with ThreadPoolExecutor(8) as pool:
        with registry.hanging():
            asked = [pool.submit(client.schema_by_id, schema_id) for _ in range(8)]
            registry.wait_for_requests(1, GUARD_S)
        assert {each.result().text for each in asked} == {TEXT}
    assert len(registry.requests) == 1


def test_what_was_used_least_recently_is_given_up_first(registry: StandIn) -> None:
    ids = [registry.register("orders-value", json.dumps({"type": "fixed", "name": "F", "size": n})) for n in (1, 2, 3)]
    client = SchemaRegistry(registry.url, cache_size=2)
    for schema_id in (ids[0], ids[1], ids[0], ids[2], ids[0], ids[1]):
        client.schema_by_id(schema_id)
    assert [path.rpartition("/")[2] for _, path in registry.requests] == [str(ids[n]) for n in (0, 1, 2, 1)]


def test_that_there_is_no_such_schema_is_remembered_for_a_while(registry: StandIn) -> None:
    for missing_s, requests in ((3600.0, 1), (0.0, 3)):
        client = SchemaRegistry(registry.url, missing_s=missing_s)
        for _ in range(2):
            with failing(404, "schemas/ids/7: the schema does not exist"):
                client.schema_by_id(7)
        assert len(registry.requests) == requests


def test_ten_times_as_many_missing_schemas_are_remembered(registry: StandIn) -> None:
    client = SchemaRegistry(registry.url, cache_size=1, missing_s=3600.0)
    for schema_id in (*range(11), *range(1, 11), 0):
        with failing(404):
            client.schema_by_id(schema_id)
    asked = [int(path.rpartition("/")[2]) for _, path in registry.requests]
    assert asked == [*range(11), 0], "the eleventh one replaced the first"


def test_remembering_a_missing_schema_does_not_keep_the_answer_in_memory(registry: StandIn) -> None:
    client = SchemaRegistry(registry.url)
    with failing(404):
        client.schema_by_id(7)
    ((_, remembered),) = client._lookups._missing.values()
    assert remembered.__traceback__ is None, "its frames would keep the registry's answer in memory"


def test_an_error_while_a_result_is_stored_is_raised_and_the_next_call_searches_again(
    registry: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema_id = registry.register("orders-value", TEXT)
    client = SchemaRegistry(registry.url)
    with monkeypatch.context() as patch:
        patch.setattr(lookups, "_cut", Mock(side_effect=MemoryError))
        with pytest.raises(MemoryError):
            client.schema_by_id(schema_id)
    assert client.schema_by_id(schema_id).text == TEXT


def test_an_id_that_exists_is_found_after_any_number_of_unknown_ids(registry: StandIn) -> None:
    registry.register("orders-value", TEXT)
    avro = Avro(registry=SchemaRegistry(registry.url, cache_size=1), reader_schema=TEXT)
    batch, bad = decoded(avro, [framed(number, b"\2x") for number in (*range(1000, 1030), 1)])
    assert (batch.column(0).to_pylist()[30], len(bad)) == ("x", 30)


# ---- references


def reference(name: str, subject: str, version: int = 1) -> dict[str, object]:
    return {"name": name, "subject": subject, "version": version}


def test_what_a_schema_refers_to_comes_along_in_order(registry: StandIn) -> None:
    registry.register("a", '"int"')
    registry.register("b", '"long"', references=[reference("A", "a")])
    top = registry.register("top", '"float"', references=[reference("B", "b"), reference("A", "a")])
    found = SchemaRegistry(registry.url).schema_by_id(top)
    assert found.references == (("A", '"int"'), ("B", '"long"'))


BOTH_CLIENTS = pytest.mark.parametrize(
    "make", [SchemaRegistry, lambda url: SchemaRegistryClient({"url": url})], ids=["own client", "confluent's client"]
)


@BOTH_CLIENTS
@pytest.mark.parametrize("lower", [[], [reference("A", "a")]], ids=["side by side", "one references the other"])
def test_a_name_for_two_schemas_is_refused(
    registry: StandIn, make: Callable[[str], Any], lower: list[dict[str, object]]
) -> None:
    registry.register("a", '"int"')
    registry.register("a", '"long"', references=lower)
    both = [reference("A", "a", 2), *(() if lower else (reference("A", "a"),))]
    top = registry.register("top", '"float"', references=both)
    with failing(None, "subjects/a/versions/.: two schemas are referenced by the name 'A'"):
        source_of(make(registry.url), "AVRO").schema_by_id(top)


def test_a_schema_that_refers_to_itself_is_refused(registry: StandIn) -> None:
    registry.fail(200, json.dumps({"schema": TEXT, "references": [reference("A", "a")]}))
    with failing(None, "references itself"):
        SchemaRegistry(registry.url).schema_by_id(1)


def test_a_schema_of_confluents_client_that_refers_to_itself_is_refused() -> None:
    schema = SimpleNamespace(
        schema_type="AVRO", schema_str=TEXT, references=[SimpleNamespace(name="A", subject="a", version=1)]
    )
    client = SimpleNamespace(get_schema=lambda _: schema, get_version=lambda *_: SimpleNamespace(schema=schema))
    with pytest.raises(RegistryError, match="subjects/a/versions/1: a schema references itself"):
        source_of(client, "AVRO").schema_by_id(1)


def delete(registry: StandIn, subject: str) -> None:
    """Delete a subject, even if other schemas reference it, which Confluent's registry refuses."""
    with urlopen(Request(f"{registry.url}/subjects/{quote(subject, safe='')}", method="DELETE")):
        pass


@BOTH_CLIENTS
def test_a_missing_reference_is_named_with_its_subject_and_version(
    registry: StandIn, make: Callable[[str], Any]
) -> None:
    registry.register("shop/c", '"int"')
    registry.register("b", '"long"', references=[reference("C", "shop/c")])
    top = registry.register("orders-value", '"float"', references=[reference("B", "b")])
    delete(registry, "shop/c")
    why = "version 1 of subject 'shop/c', referenced as 'C', is not in the registry: restore it there"
    _, bad = decoded(Avro(registry=make(registry.url), reader_schema="float"), [framed(top, bytes(4))])
    assert [each.reason for each in bad] == [f"schema {top}: {why}"]
    with failing(404, re.escape(why)):
        Avro(registry=make(registry.url), subject="orders-value")


def test_a_missing_reference_is_reported_for_the_schema_that_has_it(registry: StandIn) -> None:
    registry.register("c", '"int"')
    registry.register("c", '"string"')
    registry.register("b", '"long"', references=[reference("C", "c", 2)])
    top = registry.register("top", '"float"', references=[reference("B", "b")])
    delete(registry, "c")
    client = SchemaRegistry(registry.url)
    for _ in range(2):  # from the registry, and remembered
        with failing(404, "^subjects/b/versions/1: version 2 of subject 'c', referenced as 'C', is not"):
            client.schema_by_id(top)


def test_a_reference_whose_404_comes_from_a_proxy_is_not_missing(registry: StandIn) -> None:
    schema = SimpleNamespace(
        schema_type="AVRO", schema_str=TEXT, references=[SimpleNamespace(name="A", subject="a", version=1)]
    )
    there = SchemaRegistryClient({"url": registry.url})
    client = SimpleNamespace(get_schema=lambda _: schema, get_version=there.get_version)
    registry.fail(404, "no such page")
    with pytest.raises(SchemaRegistryError, match="404"):
        source_of(client, "AVRO").schema_by_id(1)


# ---- what is tried again


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again(registry: StandIn, status: int, caplog: pytest.LogCaptureFixture) -> None:
    schema_id = registry.register("orders-value", TEXT)
    registry.fail(status, times=2)
    assert SchemaRegistry(registry.url).schema_by_id(schema_id).text == TEXT
    assert len(registry.requests) == 3
    assert f"refused with status {status}; trying again in" in caplog.text


def test_pauses_double_up_to_five_seconds(registry: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(client_module, "time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr(client_module, "random", SimpleNamespace(random=lambda: 1.0))
    schema_id = registry.register("orders-value", TEXT)
    registry.fail(503, times=8)
    assert SchemaRegistry(registry.url, timeout_s=3600.0).schema_by_id(schema_id).text == TEXT
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_registry_that_asks_for_a_pause_gets_it(registry: StandIn) -> None:
    registry.fail(429, headers={"Retry-After": "9999"})
    with failing(429, "refused with status 429"):
        SchemaRegistry(registry.url, timeout_s=10.0).schema_by_id(1)
    assert len(registry.requests) == 1, "the pause would be too long"


@pytest.mark.parametrize("status", [400, 401, 403, 422])
def test_what_does_not_pass_is_not_tried_again(registry: StandIn, status: int) -> None:
    registry.fail(status)
    with failing(status, f"status {status}"):
        SchemaRegistry(registry.url).schema_by_id(1)
    assert len(registry.requests) == 1


@pytest.mark.parametrize(
    "body", ["<html>no such page</html>", '{"error_code": 404, "message": "HTTP 404 Not Found"}', "7"]
)
def test_a_404_of_another_server_does_not_say_that_there_is_no_such_schema(registry: StandIn, body: str) -> None:
    registry.fail(404, body)
    with failing(None, "status 404, but not from a schema registry: check the URL and its path"):
        SchemaRegistry(registry.url).schema_by_id(1)


def test_a_failure_is_not_remembered(registry: StandIn) -> None:
    schema_id = registry.register("orders-value", TEXT)
    client = SchemaRegistry(registry.url, timeout_s=10.0)
    registry.fail(429, headers={"Retry-After": "9999"}, times=1)
    with failing(429):
        client.schema_by_id(schema_id)
    assert client.schema_by_id(schema_id).text == TEXT


def test_the_next_address_is_asked_and_the_good_one_first_from_then_on(registry: StandIn) -> None:
    with StandIn() as broken:
        broken.fail(503)
        ids = [registry.register("orders-value", text) for text in (TEXT, OTHER)]
        client = SchemaRegistry(["http://127.0.0.1:1", f"{broken.url},{registry.url}"])
        assert [client.schema_by_id(schema_id).text for schema_id in ids] == [TEXT, OTHER]
        assert (len(broken.requests), len(registry.requests)) == (1, 2)


def test_an_address_that_hangs_leaves_time_for_the_next(registry: StandIn) -> None:
    schema_id = registry.register("orders-value", TEXT)
    with StandIn() as hanging, hanging.hanging():
        client = SchemaRegistry([hanging.url, registry.url], timeout_s=6.0 * slowness())
        assert client.schema_by_id(schema_id).text == TEXT


def test_a_call_ends_in_time_when_nothing_answers(registry: StandIn) -> None:
    client = SchemaRegistry(registry.url, timeout_s=0.3)
    with registry.hanging(), failing(None, "no answer within|took too long|no time was left"):
        client.schema_by_id(1)


@pytest.mark.usefixtures("tries_once")
def test_an_error_says_why_there_was_no_answer() -> None:
    with failing(None, "http://127.0.0.1:1: schemas/ids/1: can't be reached: Connection refused"):
        SchemaRegistry("http://127.0.0.1:1").schema_by_id(1)
    with failing(None, "http://a..b:80: schemas/ids/1: can't be reached"):
        SchemaRegistry("http://a..b").schema_by_id(1)


# ---- credentials


def test_a_user_and_a_token_are_sent(registry: StandIn) -> None:
    with StandIn(users={"u": "p:w"}, token="tok.en") as guarded:
        guarded.register("orders-value", TEXT)
        userinfo = guarded.url.replace("//", "//u:p%3Aw@")
        for client in (
            SchemaRegistry(guarded.url, user=("u", Secret("p:w"))),
            SchemaRegistry(guarded.url, token="tok.en"),
            SchemaRegistry(guarded.url, token=lambda: "tok.en"),
            SchemaRegistry(userinfo),
            pickle.loads(pickle.dumps(SchemaRegistry(guarded.url, user=("u", "p:w")))),
        ):
            assert client.schema_by_id(1).text == TEXT
        with failing(401, "access was refused with status 401: check the user or the token"):
            SchemaRegistry(guarded.url, user=("u", "wrong")).schema_by_id(1)


@pytest.mark.usefixtures("tries_once")
def test_secrets_are_shown_nowhere(registry: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    registry.fail(503)
    url = registry.url.replace("//", "//name:hunter2@")
    for client in (
        SchemaRegistry(url),
        SchemaRegistry(registry.url, user=("name", "hunter2")),
        SchemaRegistry(registry.url, token="hunter2"),
    ):
        assert repr(client) == f"<SchemaRegistry {registry.url}>"
        with pytest.raises(RegistryError) as caught:
            client.schema_by_id(1)
        assert_nowhere_in_the_chain("hunter2", caught.value)
    assert "hunter2" not in caplog.text
    assert "hunter2" not in repr(Address.of(url))
    assert "credentials are sent without encryption" in caplog.text


def test_a_token_function_that_fails_does_not_show_what_it_raised(registry: StandIn) -> None:
    def ask() -> str:
        raise ValueError("hunter2")

    with pytest.raises(OutageError, match="token raised ValueError") as caught:
        SchemaRegistry(registry.url, token=ask).schema_by_id(1)
    assert_nowhere_in_the_chain("hunter2", caught.value)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"url": "registry:8081"}, "the URL of a registry must look like"),
        ({"url": "ftp://hunter2@registry"}, "the URL of a registry must look like"),
        ({"url": "http://registry:port"}, "the URL of a registry must look like"),
        ({"url": "http://registry?x=hunter2"}, "the URL of a registry must look like"),
        ({"url": "http://[::1"}, "the URL of a registry must look like"),
        ({"url": []}, "url is empty"),
        ({"user": "u:hunter2"}, "user must be a tuple of a name and a password"),
        ({"user": ("u",)}, "user must be a tuple of a name and a password"),
        ({"user": ("u", "p"), "token": "t"}, "both given"),
        ({"token": "hunter2\nX: y"}, "token can't be sent"),
        ({"headers": {"X": "a\r\nY: b"}}, "the header 'X' can't be sent"),
        ({"headers": {"X:": "a"}}, "the header 'X:' can't be sent"),
        ({"url": "https://r", "tls": {"group.id": "g"}}, "tls takes keys such as ssl.ca.location"),
        ({"url": "https://r", "tls": {"ssl.ca.location": "/no/such/file"}}, "ssl.ca.location"),
    ],
)
def test_what_can_not_be_is_refused_when_it_is_made(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as caught:
        SchemaRegistry(**{"url": "http://registry:8081", **arguments})  # type: ignore[arg-type]
    assert_nowhere_in_the_chain("hunter2", caught.value)


@pytest.mark.usefixtures("tries_once")
def test_further_headers_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []

    def get(address: object, path: str, headers: dict[str, str], *_: object) -> object:
        sent.append(headers)
        raise client_module.UnreachableError("seen")

    monkeypatch.setattr(client_module, "get", get)
    with pytest.raises(RegistryError):
        SchemaRegistry("http://r", headers={"target-sr-cluster": "lsrc-1"}).schema_by_id(1)
    assert sent[0]["target-sr-cluster"] == "lsrc-1"


def test_a_forked_process_asks_for_itself(registry: StandIn) -> None:
    schema_id = registry.register("orders-value", TEXT)
    client = SchemaRegistry(registry.url, timeout_s=GUARD_S)
    with registry.hanging():
        threading.Thread(target=client.schema_by_id, args=(schema_id,), daemon=True).start()
        registry.wait_for_requests(1, GUARD_S)
        eventually("the search is noted", lambda: bool(client._lookups._searches))  # its request may arrive before
        lookups._begin_all_anew()  # as a fork does
        threading.Thread(target=client.schema_by_id, args=(schema_id,), daemon=True).start()
        registry.wait_for_requests(2, GUARD_S)


def test_a_pickle_of_a_registry_of_protobuf_still_asks_for_serialized_schemas(registry: StandIn) -> None:
    registry.register("orders-value", '"int"')
    pickle.loads(pickle.dumps(SchemaRegistry(registry.url).serialized())).schema_by_id(1)
    assert registry.requests == [("GET", "/schemas/ids/1?format=serialized")]
