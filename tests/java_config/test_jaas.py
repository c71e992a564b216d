"""Login modules as Kafka's JaasConfig reads them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.jaas import parse_jaas

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def options(text: str) -> dict[str, str]:
    module = parse_jaas(f"{PLAIN} required {text};")
    return {name: secret.reveal() for name, secret in module.options.items()}


def test_a_login_module_has_a_name_and_options() -> None:
    module = parse_jaas(f'{PLAIN} required username="alice" password="s3cret";')
    assert module.name == "PlainLoginModule"
    assert module.text("password") == "s3cret"
    assert module.text("scope") is None
    assert "s3cret" not in repr(module) + str(module)


@pytest.mark.parametrize("flag", ["required", "REQUIRED", "requisite", "Sufficient", "optional"])
def test_control_flags_are_in_any_case(flag: str) -> None:
    assert parse_jaas(f"a.b.C {flag};").name == "C"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('password="a b"', "a b"),
        ("password='a b'", "a b"),
        ("password='a\"b'", 'a"b'),
        ('password="a\'b"', "a'b"),
        ('password="a/b//c"', "a/b//c"),
        ('password="a=b;c"', "a=b;c"),
        (r'password="a\"b\\c"', r'a"b\c'),
        (r'password="\a\b\f\n\r\t\v\q"', "\a\b\f\n\r\t\vq"),
        (r'password="\101\1012\47x\400\8"', "AA2'x 08"),
        ('password="a\\\nb"', "a\nb"),
        ('password=""', ""),
        ("password=plain-1.2_3", "plain-1.2_3"),
        ("password=käse", "käse"),
        ("password=_a$1.b-c", "_a$1.b-c"),
        ("password = 'a'", "a"),
        ("password\n=\r\n\t'a'", "a"),
        ("password='a' // to the end of the line", None),
        ("password='a' /* between */", "a"),
        ("/* between */ password='a'\n", "a"),
        ("password=/* between */'a'", "a"),
        ("password=a//b\n", "a"),
        ("password=a/b\n", "a"),
        ("password=a/*b*/", "a"),
        ('password="a"//b"\n', "a"),
        ("password='a' password='b'", "b"),
    ],
)
def test_values_are_read_as_java_reads_them(written: str, read: str | None) -> None:
    if read is None:
        with pytest.raises(ConfigError, match="does not end with a semicolon"):
            options(written)
    else:
        assert options(written) == {"password": read}


def test_options_need_no_space_around_quotes() -> None:
    assert options("username='a'password='b'") == {"username": "a", "password": "b"}


REFUSED = [
    ("", "names no login module"),
    (" /* nothing */ // s3cret", "names no login module"),
    (f"{PLAIN}", "does not end with a semicolon"),
    (f"{PLAIN};", "a login module and a control flag"),
    (";", "a login module and a control flag"),
    ("= required;", "a login module and a control flag"),
    (f"{PLAIN} s3cret;", "must follow the login module"),
    (f"{PLAIN} username='s3cret';", "must follow the login module"),
    (f"{PLAIN} = required;", "must follow the login module"),
    (f"{PLAIN} required password='s3cret'", "does not end with a semicolon"),
    (f"{PLAIN} required password;", "the option password has no value"),
    (f"{PLAIN} required password=;", "the option password has no value"),
    (f"{PLAIN} required password==;", "the option password has no value"),
    *(
        (f"{PLAIN} required password={value};", "the option password has no value")
        for value in ("123", "-a", ".a", "#a")
    ),
    (f"{PLAIN} required password 's3cret';", "the option password has no value"),
    (f"{PLAIN} required password=abc s3cret;", "an option has no value"),
    (f"{PLAIN} required password=abc's3cret';", "an option has no value"),
    (f"{PLAIN} required \x81 = 's3cret';", "an option has no value"),
    (f"{PLAIN} required password='s3cret;", "is opened but not closed on the same line"),
    (f"{PLAIN} required password='s3\ncret';", "is opened but not closed on the same line"),
    (f"{PLAIN} required password='s3cret\\", "is opened but not closed"),
    (f"{PLAIN} required; {PLAIN} required password='s3cret';", "it has 2 login modules"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_what_is_no_login_module_is_refused_without_showing_it(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        parse_jaas(text)
    assert "s3cret" not in str(caught.value)
    assert caught.value.key == "sasl.jaas.config"


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])))
def test_a_quoted_value_is_read_back(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    assert options(f'password="{quoted}"') == {"password": value}


@given(st.text("ab \n\"'\\/*=;\x81\x007", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ConfigError):
        parse_jaas(text)
