"""The TLS settings of a connection, by the options."""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pybinlog.errors import BinlogError, Hint
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.side_file import open_side_file

TLS_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
NO_PAIR = Hint(
    "it has no certificate, or there is no key; a certificate needs {--ssl-key}, unless its key is in the same file"
)


def wants_tls(options: ServerOptions) -> bool:
    """Return True if TLS is tried first. As in MySQL's programs, a Unix socket goes without if it is only preferred."""
    if options.ssl_mode is SslMode.DISABLED:
        return False
    return options.socket is None or options.ssl_mode is not SslMode.PREFERRED


def tls_context(options: ServerOptions) -> ssl.SSLContext:
    """Return the TLS settings. BinlogError, naming the option, if a file cannot be read or is not what it should."""
    context = ServerNameContext(ssl.PROTOCOL_TLS_CLIENT)
    context.server_name = options.tls_sni_servername
    context.check_hostname = options.ssl_mode is SslMode.VERIFY_IDENTITY
    verifies = options.ssl_mode in (SslMode.VERIFY_CA, SslMode.VERIFY_IDENTITY)
    context.verify_mode = ssl.CERT_REQUIRED if verifies else ssl.CERT_NONE
    if options.ssl_ca:
        with for_option("ssl-ca", options.ssl_ca):
            context.load_verify_locations(options.ssl_ca)
    if options.ssl_capath:
        with for_option("ssl-capath", options.ssl_capath):
            os.scandir(options.ssl_capath).close()  # the TLS library would take any name
            context.load_verify_locations(capath=options.ssl_capath)
    if verifies and not options.ssl_ca and not options.ssl_capath:
        context.load_default_certs()
    certificate = options.ssl_cert or options.ssl_key  # one file may have both
    if certificate:
        with for_option("ssl-cert" if options.ssl_cert else "ssl-key", certificate, options.ssl_key):
            context.load_cert_chain(certificate, options.ssl_key)
    if options.ssl_cipher:
        with for_option("ssl-cipher", None):
            context.set_ciphers(options.ssl_cipher)
    if options.ssl_crl:
        with for_option("ssl-crl", options.ssl_crl):
            context.load_verify_locations(options.ssl_crl)
    if options.ssl_crlpath:
        with for_option("ssl-crlpath", options.ssl_crlpath):
            os.scandir(options.ssl_crlpath).close()
            context.load_verify_locations(capath=options.ssl_crlpath)
    if options.ssl_crl or options.ssl_crlpath:
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN
    if options.tls_version:
        versions = [TLS_VERSIONS[name] for name in options.tls_version]
        context.minimum_version, context.maximum_version = min(versions), max(versions)
    return context


class ServerNameContext(ssl.SSLContext):
    """Sends `server_name`, if there is one, instead of the host's name (`--tls-sni-servername`)."""

    server_name: str | None = None

    def wrap_socket(self, sock: Any, *arguments: Any, **named: Any) -> Any:
        if self.server_name is not None:
            named["server_hostname"] = self.server_name
        return super().wrap_socket(sock, *arguments, **named)


@contextmanager
def for_option(name: str, path: str | None, *others: str | None) -> Iterator[None]:
    """Let errors in here name this option. Raise SourceError if a file is a pipe or a device: these may have no end."""
    reason: str | None
    try:
        for each in (path, *others):
            if each is not None and not os.path.isdir(each):
                open_side_file(each).close()
        yield
        return
    except ssl.SSLError as error:
        said = getattr(error, "reason", None) or str(error.args[-1]).partition(" (_ssl")[0]
        reason = NO_PAIR if said.endswith("PEM lib") else said.replace("_", " ").lower()
    except OSError as error:
        reason = error.strerror
    except ValueError:  # of the package cryptography
        reason = "no key is in it"
    raise BinlogError(f"--{name} cannot be used: {reason}", file=path)
