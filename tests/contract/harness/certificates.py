"""A CA and its server certificates. The clients are configured to trust one CA; a scenario can also use another CA."""

from __future__ import annotations

import ssl
from datetime import datetime
from pathlib import Path

import trustme


class Authority:
    def __init__(self, file: Path) -> None:
        self._authority, self.file = trustme.CA(), file
        self._authority.cert_pem.write_to_path(str(file))

    def server(self, host: str, begin: datetime | None = None, end: datetime | None = None) -> ssl.SSLContext:
        """A server with a certificate for this name or address, which is valid now unless its dates say otherwise."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(host, not_before=begin, not_after=end).configure_cert(context)
        return context
