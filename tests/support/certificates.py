"""An authority for one test session, and what it issued, in PEM files."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import trustme
from attrs import frozen


@frozen
class Certificates:
    """The authority's, the broker's with its key, and a client's with its key; and some that are no good.

    ``stranger`` is another authority's own, ``elsewhere`` a broker's on another host, ``expired`` one of yesterday.
    """

    authority: str
    broker: str
    client: str
    stranger: str
    elsewhere: str
    expired: str


def issue_certificates(home: Path, authority: trustme.CA | None = None) -> Certificates:
    authority, stranger = authority or trustme.CA(), trustme.CA()
    yesterday = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    leaves = {
        "broker": authority.issue_cert("127.0.0.1", "localhost"),
        "elsewhere": authority.issue_cert("kafka.example.com"),
        "expired": authority.issue_cert("127.0.0.1", not_after=yesterday),
    }
    authority.cert_pem.write_to_path(str(home / "authority.pem"))
    stranger.cert_pem.write_to_path(str(home / "stranger.pem"))
    issue_client(authority, home / "client.pem")
    for name, leaf in leaves.items():
        leaf.private_key_and_cert_chain_pem.write_to_path(str(home / f"{name}.pem"))
    names = ("authority", "broker", "client", "stranger", "elsewhere", "expired")
    return Certificates(*(str(home / f"{name}.pem") for name in names))


def issue_client(authority: trustme.CA, place: Path, not_after: datetime.datetime | None = None) -> None:
    """Write a client's certificate with its key, in place of what is there; a reader never finds half of it."""
    leaf = authority.issue_cert(
        "billing.example.com",  # Java can't read one without any
        common_name="billing",
        organization_unit_name="tests",
        organization_name="Example, Inc.",
        not_after=not_after,
    )
    written = place.with_suffix(".new")
    leaf.private_key_and_cert_chain_pem.write_to_path(str(written))
    os.replace(written, place)
