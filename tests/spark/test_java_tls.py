"""Java's keys of TLS, as far as they need no file."""

from __future__ import annotations

import pytest

from kafka_nextgen.security_config import EndpointIdentification
from tests.spark.keys_of_java import config, refusal


@pytest.mark.parametrize(
    ("written", "expected"),
    [("", EndpointIdentification.NONE), ("https", EndpointIdentification.HTTPS), (" ", EndpointIdentification.NONE)],
)
def test_an_empty_endpoint_algorithm_checks_no_names(written: str, expected: EndpointIdentification) -> None:
    made = config({"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": written})
    assert made.ssl_endpoint_identification_algorithm is expected


def test_names_are_checked_without_an_endpoint_algorithm() -> None:
    assert config({"security.protocol": "SSL"}).ssl_endpoint_identification_algorithm is EndpointIdentification.HTTPS


def test_cipher_suites_have_the_names_of_openssl() -> None:
    ciphers = {"security.protocol": "SSL", "ssl.cipher.suites": "ECDHE-RSA-AES256-GCM-SHA384"}
    assert config(ciphers).ssl_cipher_suites == "ECDHE-RSA-AES256-GCM-SHA384"
    error = refusal({"security.protocol": "SSL", "ssl.cipher.suites": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"})
    assert "openssl ciphers -stdname" in str(error)


CONTRADICTIONS: list[tuple[dict[str, str], str]] = [
    ({"ssl.truststore.certificates": "a", "ssl.truststore.location": "b"}, "can't be given beside"),
    ({"ssl.truststore.password": "s3cret"}, "needs kafka.ssl.truststore.location"),
    ({"ssl.keystore.password": "s3cret"}, "needs kafka.ssl.keystore.location"),
    ({"ssl.keystore.key": "s3cret"}, "certificate.chain is needed"),
    ({"ssl.keystore.certificate.chain": "a"}, "ssl.keystore.key is needed"),
    (
        {"ssl.keystore.key": "s3cret", "ssl.keystore.certificate.chain": "a", "ssl.keystore.location": "b"},
        "can't be given beside",
    ),
    ({"ssl.keystore.key": "s3cret", "ssl.keystore.certificate.chain": "a"}, "has nothing in PEM"),
    ({"ssl.truststore.certificates": "ca.pem"}, "has nothing in PEM"),
]


@pytest.mark.parametrize(("keys", "says"), CONTRADICTIONS)
def test_keys_that_contradict_each_other_are_refused_without_reading_a_file(keys: dict[str, str], says: str) -> None:
    error = refusal({"security.protocol": "SSL"}, keys)
    assert says in str(error)
