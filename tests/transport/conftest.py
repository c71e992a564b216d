"""Connections with and without TLS."""

from __future__ import annotations

import pytest

from tests.support.certificates import Certificates
from tests.transport.numbered import Line
from tests.transport.security.tls_sides import server_side, tls


@pytest.fixture(params=["plain", "TLS"])
def line(request: pytest.FixtureRequest, certificates: Certificates) -> Line:
    if request.param == "plain":
        return Line()
    return Line(server_side(certificates.broker), {"security": tls(ssl_ca_location=certificates.authority)})
