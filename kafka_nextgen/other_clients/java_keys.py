"""The keys of Java's consumer (Kafka 4.4.0) that this library lacks or interprets differently."""

from __future__ import annotations

from typing import Final

from kafka_nextgen.other_clients.fates import Dropped, Mapped, Refused, Table, accepted, dropped, refused

__all__ = ["A_CLASS", "JAVA_TABLE", "LOGIN_KEYS", "STORE_KEYS"]

A_CLASS: Final = "it names a Java class, but Java is not used here"
_ASSERTION: Final = "tokens are requested with a client's id and secret only: set the client's id and secret"
_BY_CONTENTS: Final = "the contents of a store decide how it is read: PEM or PKCS12"
_BROKERS_CHECK: Final = "tokens are checked by brokers, not by this client"
_CONVERT: Final = (
    "only a key in PEM is read: openssl pkcs12 -in STORE -out STORE.pem, then set ssl.certificate.location"
)
_FILE: Final = "keys are read from files: write it to a PEM file and set ssl.certificate.location or ssl.key.location"
_JAVA_ONLY: Final = "it concerns Java's internals"
_RENEWAL: Final = "a token is renewed when most of its lifetime has passed"
_SHARE: Final = "it is about share groups"
_TICKETS: Final = "tickets are taken from the credential cache, which another program renews"

#: Keys that ``kafka_nextgen.java_config.sasl`` translates together.
LOGIN_KEYS: Final[Table] = {
    "sasl.jaas.config": Mapped(
        "sasl.username", note="and sasl.password, or other keys, depending on the mechanism's login module"
    ),
    "sasl.login.callback.handler.class": Dropped(
        "OAuthBearerLoginCallbackHandler does what sasl.oauthbearer.method=oidc does",
        otherwise="refused, because they name a Java class: pass a function as oauth_cb",
    ),
    "sasl.oauthbearer.jwt.retriever.class": Dropped(
        "DefaultJwtRetriever and ClientCredentialsJwtRetriever do what sasl.oauthbearer.method=oidc does",
        otherwise="refused, because they name a Java class: pass a function as oauth_cb",
    ),
    "sasl.oauthbearer.client.credentials.client.id": Mapped("sasl.oauthbearer.client.id"),
    "sasl.oauthbearer.client.credentials.client.secret": Mapped("sasl.oauthbearer.client.secret"),
}

#: Keys that ``kafka_nextgen.java_config.tls`` translates together.
STORE_KEYS: Final[Table] = {
    "ssl.keystore.location": Mapped(
        "ssl.certificate.location", note="if it is PEM; for other formats, the error shows a command that converts them"
    ),
    "ssl.keystore.password": Refused(_CONVERT),
    "ssl.keystore.certificate.chain": Refused(_FILE),
    "ssl.keystore.key": Refused(_FILE),
    "ssl.keystore.type": Dropped(_BY_CONTENTS),
    "ssl.truststore.location": Mapped("ssl.ca.location", note="or ssl.ca.pem if it is PKCS12; JKS is refused"),
    "ssl.truststore.password": Mapped("ssl.ca.pem", note="with a PKCS12 store, which it decrypts"),
    "ssl.truststore.certificates": Mapped("ssl.ca.pem"),
    "ssl.truststore.type": Dropped(_BY_CONTENTS),
    "ssl.certificate.pem": Refused(_FILE),
    "ssl.key.pem": Refused(_FILE),
}

JAVA_TABLE: Final[Table] = {
    **LOGIN_KEYS,
    **STORE_KEYS,
    **dropped("the operating system sizes socket buffers", ("receive.buffer.bytes", "send.buffer.bytes")),
    "client.dns.lookup": accepted(
        {"use_all_dns_ips", "default"},
        "all addresses of a host are tried",
        "refused, because brokers are addressed by the names in bootstrap.servers: write their canonical names there",
    ),
    "config.providers": Refused("values are not fetched from providers: write the values themselves"),
    "exclude.internal.topics": Dropped(
        "only the pattern determines the topics; begin it with [^_] to exclude internal topics"
    ),
    "interceptor.classes": Refused(f"{A_CLASS}; Consumer.hooks calls functions when records are handed over"),
    **dropped("every attempt to connect has the same timeout", ("socket.connection.setup.timeout.max.ms",)),
    **dropped("TLS 1.2 and TLS 1.3 are offered", ("ssl.protocol", "ssl.enabled.protocols")),
    **dropped(_TICKETS, (
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
    )),
    **dropped(_RENEWAL, (
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
    )),
    **dropped(_BROKERS_CHECK, (
        "sasl.oauthbearer.allow.unverified.audience",
        "sasl.oauthbearer.allow.unverified.issuer",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
    )),
    **dropped("credentials are always encoded as RFC 6749 requires", ("sasl.oauthbearer.header.urlencode",)),
    **dropped(_SHARE, ("share.acknowledgement.mode", "share.acquire.mode")),
    **dropped("a member that closes leaves its group", ("internal.leave.group.on.close",)),
    **dropped("metrics are read with Consumer.metrics()", (
        "auto.include.jmx.reporter",
        "enable.metrics.push",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
    )),
    **dropped(_JAVA_ONLY, (
        "internal.throw.on.fetch.stable.offset.unsupported",
        "security.providers",
        "ssl.keymanager.algorithm",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    )),
    **refused(f"{A_CLASS}: pass a function as oauth_cb, or an ssl.SSLContext as ssl_context", (
        "sasl.client.callback.handler.class",
        "sasl.login.class",
        "ssl.engine.factory.class",
    )),
    **refused(_ASSERTION, (
        "sasl.oauthbearer.assertion.algorithm",
        "sasl.oauthbearer.assertion.claim.aud",
        "sasl.oauthbearer.assertion.claim.exp.seconds",
        "sasl.oauthbearer.assertion.claim.iss",
        "sasl.oauthbearer.assertion.claim.jti.include",
        "sasl.oauthbearer.assertion.claim.nbf.seconds",
        "sasl.oauthbearer.assertion.claim.sub",
        "sasl.oauthbearer.assertion.file",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.template.file",
    )),
}  # fmt: skip
