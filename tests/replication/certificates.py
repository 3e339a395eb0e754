"""Certificates of an authority of the tests' own, and its lists of those that are no longer to be trusted."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

NOW = datetime.now(timezone.utc)
DAY = timedelta(days=1)


class Authority:
    """Writes `NAME-cert.pem` and `NAME-key.pem` into a folder; its own certificate is `ca.pem`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = named("authority")
        certificate = (
            self._certificate(self._name, self._key)
            .add_extension(x509.BasicConstraints(True, None), True)
            .sign(self._key, SHA256())
        )
        self.file = folder / "ca.pem"
        self.file.write_bytes(certificate.public_bytes(Encoding.PEM))

    def _certificate(self, name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - DAY)
            .not_valid_after(NOW + DAY)
        )

    def sign(self, name: str) -> tuple[str, str]:
        """The paths of a new certificate for that host, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        certificate = self._certificate(named(name), key).add_extension(names, False).sign(self._key, SHA256())
        files = self.folder / f"{name}-cert.pem", self.folder / f"{name}-key.pem"
        files[0].write_bytes(certificate.public_bytes(Encoding.PEM))
        files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return str(files[0]), str(files[1])


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def revocations(authority: Path, key: Path, *certificates: Path) -> bytes:
    """The list (PEM) of an authority, with these certificates of it."""
    issuer = x509.load_pem_x509_certificate(authority.read_bytes())
    builder = x509.CertificateRevocationListBuilder().issuer_name(issuer.subject)
    builder = builder.last_update(NOW - DAY).next_update(NOW + DAY)
    for path in certificates:
        serial = x509.load_pem_x509_certificate(path.read_bytes()).serial_number
        revoked = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(NOW - DAY).build()
        builder = builder.add_revoked_certificate(revoked)
    signing = load_pem_private_key(key.read_bytes(), None)
    assert isinstance(signing, rsa.RSAPrivateKey)
    return builder.sign(signing, SHA256()).public_bytes(Encoding.PEM)
