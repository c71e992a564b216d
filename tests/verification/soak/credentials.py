"""A password and a client's certificate that change while members use them, on the broker and in files.

A certificate is good for ``CERTIFICATE_S`` only. A member that goes on with an old one is refused when it connects.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import trustme

from tests.support.certificates import Certificates, issue_certificates, issue_client
from tests.support.secured_kafka import SecuredKafka, set_passwords

CERTIFICATE_S = 150.0
_USER = "soak"


class Authority:
    """Issues what a broker and its clients need; ``certificates`` is where it all is."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self._authority = trustme.CA()
        self.certificates: Certificates = issue_certificates(folder, self._authority)

    def renew_client(self) -> None:
        expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=CERTIFICATE_S)
        issue_client(self._authority, Path(self.certificates.client), expires)


class Credentials:
    """What members show to one broker; the password is ``password`` on the broker, and in a file once it is told."""

    def __init__(self, broker: SecuredKafka, authority: Authority) -> None:
        self._broker, self._authority = broker, authority
        self._file = authority.folder / "password"
        self._numbers = iter(range(1, 1_000_000))
        self.password = ""
        self.change_password()
        self.tell_password()
        self.renew_certificate()

    def change_password(self) -> None:
        self.password = f"password-{next(self._numbers)}"
        set_passwords(self._broker.in_the_clear["SASL_SSL"], {_USER: self.password})

    def tell_password(self) -> None:
        written = self._file.with_suffix(".new")
        written.write_text(self.password)
        os.replace(written, self._file)

    def renew_certificate(self) -> None:
        self._authority.renew_client()

    def specification(self, credential: str) -> dict[str, Any]:
        """Return what a member's specification has so that it is let in by a password or a certificate."""
        listener = {"password": "SASL_SSL", "certificate": "MUTUAL"}[credential]
        certificates = self._authority.certificates
        config = {"bootstrap.servers": self._broker.servers[listener], "ssl.ca.location": certificates.authority}
        if credential == "certificate":
            config |= {"security.protocol": "SSL", "ssl.certificate.location": certificates.client}
            return {"credential": credential, "config": config}
        config |= {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": _USER}
        return {"credential": credential, "password_file": str(self._file), "config": config}
