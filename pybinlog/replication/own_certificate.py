"""The TLS settings of a server: a certificate from files, or one of its own, which is made in memory."""

import ssl
import tempfile
from datetime import datetime, timedelta, timezone

from pybinlog.distribution import how_to_install
from pybinlog.errors import Hint, SourceError
from pybinlog.replication.connection import EXTRA
from pybinlog.replication.tls import for_option

YEARS = 10


def server_context(certificate: str | None, key: str | None) -> ssl.SSLContext:
    """Return the TLS settings with this certificate and key (PEM), or with a certificate of its own.

    Raise BinlogError, naming the option, if a file cannot be used; SourceError if a package is missing.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if certificate is not None:
        with for_option("ssl-cert", certificate, key):
            context.load_cert_chain(certificate, key)
        return context
    with tempfile.NamedTemporaryFile() as file:  # the library reads files only; its mode is 0600
        file.write(own_certificate())
        file.flush()
        context.load_cert_chain(file.name)
    return context


def own_certificate() -> bytes:
    """Return a key and a certificate that it has signed, both as PEM."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise SourceError(
            "to make a TLS certificate needs the package cryptography, which is not installed",
            hint=Hint("{install}, or give {--ssl-cert} and {--ssl-key}", install=how_to_install(EXTRA)),
        ) from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pybinlog serve")])
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365 * YEARS))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)
