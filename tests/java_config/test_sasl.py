"""Logins from Java's keys."""

from __future__ import annotations

import pytest

from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.properties.security_config import OauthMethod, SaslMechanism
from tests.spark.kafka_keys import PLAIN, config, read, refusal

SCRAM = PLAIN.replace("plain.Plain", "scram.Scram")
KERBEROS = "com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true serviceName=kafka;"
OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
JAAS = "sasl.jaas.config"
ID = "sasl.oauthbearer.client.credentials.client.id"
CLIENT_SECRET = "sasl.oauthbearer.client.credentials.client.secret"
HANDLER = "sasl.login.callback.handler.class"
RETRIEVER = "sasl.oauthbearer.jwt.retriever.class"
ONLY_PEM = "only ssl.truststore.location with ssl.truststore.type=PEM"
SASL = {"security.protocol": "SASL_SSL"}
URL = "sasl.oauthbearer.token.endpoint.url"
OIDC = {**SASL, "sasl.mechanism": "OAUTHBEARER", URL: "https://provider.example.com/token"}
CLIENT = f'{OAUTH} clientId="reader" clientSecret="s3cret" scope="kafka";'


@pytest.mark.parametrize(
    ("mechanism", "jaas", "expected"),
    [
        ("PLAIN", PLAIN, SaslMechanism.PLAIN),
        ("plain", PLAIN, SaslMechanism.PLAIN),
        ("SCRAM-SHA-256", SCRAM, SaslMechanism.SCRAM_SHA_256),
        ("SCRAM-SHA-512", SCRAM.replace(";", " tokenauth=false;"), SaslMechanism.SCRAM_SHA_512),
    ],
)
def test_a_user_logs_in_by_a_password(mechanism: str, jaas: str, expected: SaslMechanism) -> None:
    java = read(SASL, {"sasl.mechanism": mechanism, JAAS: jaas})
    made = java.consumer_config()
    assert (made.sasl_mechanism, made.sasl_username, made.sasl_password) == (expected, "alice", Secret("s3cret"))
    assert "s3cret" not in repr(java) + repr(made)


@pytest.mark.parametrize("mechanism", [{}, {"sasl.mechanism": "GSSAPI"}])
def test_kerberos_is_the_default_and_may_name_its_service_in_either_place(mechanism: dict[str, str]) -> None:
    for way in ({JAAS: KERBEROS}, {"sasl.kerberos.service.name": "kafka"}):
        made = config(SASL, mechanism, way)
        assert (made.sasl_mechanism, made.sasl_kerberos_service_name) == (SaslMechanism.GSSAPI, "kafka")


def test_a_key_table_is_named_by_the_environment() -> None:
    table, principal = ' keyTab="/etc/s3cret.keytab"', ' principal="a@B"'
    for given in (f"{table}{principal};", f"{table};", f"{principal};"):
        (warning,) = read(SASL, {JAAS: KERBEROS.replace(";", given)}).warnings
        assert "KRB5_CLIENT_KTNAME" in warning
        assert "s3cret" not in warning


@pytest.mark.parametrize(
    "way",
    [
        {JAAS: CLIENT},
        {
            JAAS: f'{OAUTH} clientId="another" clientSecret="other";',
            ID: "reader",
            CLIENT_SECRET: "s3cret",
            "sasl.oauthbearer.scope": "kafka",
            RETRIEVER: "org.apache.kafka.a.ClientCredentialsJwtRetriever",
        },
    ],
)
def test_tokens_come_from_a_provider(way: dict[str, str]) -> None:
    handler = {HANDLER: "org.apache.kafka.a.secured.OAuthBearerLoginCallbackHandler"}
    java = read(OIDC, way, handler)
    made = java.consumer_config()
    assert made.sasl_oauthbearer_method is OauthMethod.OIDC
    assert (made.sasl_oauthbearer_client_id, made.sasl_oauthbearer_scope) == ("reader", "kafka")
    assert made.sasl_oauthbearer_client_secret == Secret("s3cret")
    assert made.sasl_oauthbearer_token_endpoint_url == OIDC[URL]
    assert "s3cret" not in repr(java) + repr(made)


def test_a_token_endpoint_may_have_authorities_of_its_own() -> None:
    trust = ' ssl.truststore.type=PEM ssl.truststore.location="ca.pem";'
    assert config(OIDC, {JAAS: CLIENT.replace(";", trust)}).https_ca_location == "ca.pem"


@pytest.mark.parametrize(
    ("parts", "key", "says"),
    [
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "sasl.mechanism", "is AWS_MSK_IAM, which is not supported: use one of"),
        ({"sasl.mechanism": "PLAIN"}, JAAS, "needs username: PlainLoginModule required"),
        ({"sasl.mechanism": "PLAIN", JAAS: PLAIN.replace("s3cret", "")}, JAAS, "needs password"),
        ({"sasl.mechanism": "PLAIN", JAAS: SCRAM}, JAAS, "must name PlainLoginModule with kafka.sasl.mechanism=PLAIN"),
        ({JAAS: PLAIN}, JAAS, "must name Krb5LoginModule"),
        ({JAAS: PLAIN[:-1]}, JAAS, "does not end with a semicolon"),
        ({"sasl.mechanism": "SCRAM-SHA-256", JAAS: SCRAM.replace(";", " tokenauth=true;")}, JAAS, "delegation tokens"),
        ({}, "sasl.kerberos.service.name", "is needed with kafka.sasl.mechanism=GSSAPI"),
        ({JAAS: KERBEROS, "sasl.kerberos.service.name": "other"}, JAAS, "name different services"),
        ({**OIDC, URL: "", JAAS: CLIENT}, URL, "tokens are requested there"),
        ({**OIDC, URL: "http://s3cret@x", JAAS: CLIENT}, URL, "must begin with https://"),
        (OIDC, ID, "or clientId in kafka.sasl.jaas.config"),
        ({**OIDC, JAAS: f"{OAUTH} clientId=a;"}, CLIENT_SECRET, "or clientSecret in kafka.sasl.jaas.config"),
        ({**OIDC, JAAS: CLIENT.replace(";", " extension_a=s3cret;")}, JAAS, "extensions"),
        ({**OIDC, JAAS: CLIENT.replace(";", " ssl.truststore.location=a.jks;")}, JAAS, ONLY_PEM),
        ({**OIDC, JAAS: CLIENT.replace(";", " ssl.truststore.password=s3cret;")}, JAAS, ONLY_PEM),
        ({**OIDC, HANDLER: "software.amazon.msk.auth.iam.IAMHandler"}, HANDLER, "Java is not used here"),
        ({**OIDC, RETRIEVER: "a.FileJwtRetriever"}, RETRIEVER, "only ClientCredentialsJwtRetriever is supported"),
    ],
)
def test_logins_that_cannot_be_made_are_refused(parts: dict[str, str], key: str, says: str) -> None:
    error = refusal(SASL, parts)
    assert says in str(error)
    assert error.key == f"kafka.{key}"
