"""`python -m tests.fuzz.encrypted`: damaged encrypted logs, and damaged keyrings, until the time is over.

Anything but a result or a BinlogError ends it, with the number that makes the input again.
"""

import json
import tempfile
import time
from pathlib import Path
from random import Random

import click

from pybinlog.check import Checker, CheckOptions
from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError, SourceError
from pybinlog.keyring import Keyring
from pybinlog.source import KeyedLog
from tests.encryption import ENCRYPTED, KEY_ID, component_keyring, mariadb_log, mysql_log, plugin_keyring
from tests.fuzz.mutator import Mutator
from tests.fuzz.seeds import seeds
from tests.fuzz.subject import Counter, forget

KEY = bytes(range(32))
KEYRINGS = [
    component_keyring({KEY_ID: KEY}),
    plugin_keyring({KEY_ID: KEY, f"{KEY_ID}1": KEY}),
    b"# keys\n1;" + KEY.hex().encode() + b"\n2;00\n",
    (ENCRYPTED / "mariadb-cbc" / "keys.encrypted").read_bytes(),
]
SENT = [path.read_bytes() for path in sorted(ENCRYPTED.glob("mariadb-*/plain/*"))]
PASSWORD = str(ENCRYPTED / "mariadb-cbc" / "password")


def damaged(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 2, 20))):
        if changed:
            changed[random.randrange(min(len(changed), random.choice((30, 600, len(changed)))))] = random.randrange(256)
    return bytes(changed[: random.randrange(len(changed) + 1)] if random.random() < 0.3 else changed)


def made(mutator: Mutator, random: Random) -> bytes:
    """An encrypted log: damaged before it was encrypted, or after, or both."""
    if random.random() < 0.4:
        return damaged(mysql_log(mutator.make(random), KEY), random)
    plain = random.choice(SENT)
    if random.random() < 0.5:  # (its events stay whole: else it could not be encrypted)
        at = 296
        while at < len(plain):
            size = int.from_bytes(plain[at + 9 : at + 13], "little")
            inside = at + 13 + random.randrange(size - 13)
            if random.random() < 0.05:
                plain = plain[:inside] + random.randbytes(1) + plain[inside + 1 :]
            at += size
    return damaged(mariadb_log(plain, KEY, counts=random.random() < 0.5), random)


def try_out(data: bytes, path: Path, keyring: Keyring) -> int:
    """Dump and check a log; the bytes of text."""
    path.write_bytes(data)
    name = KeyedLog(str(path), keyring)
    out = Counter()
    try:
        run([name], DumpOptions(verbose=2), out, forget)
    except BinlogError:
        out.write(b"")
    assert len(list(Checker([name], CheckOptions()).results())) == 1
    return out.bytes


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seconds", default=60.0, show_default=True, help="When to stop.")
@click.option("--seed", "run_number", default=1, show_default=True, help="The same seed gives the same inputs.")
@click.option("--first", default=0, help="The number of the first input.")
def main(seconds: float, run_number: int, first: int) -> None:
    """Put damaged encrypted logs through dump and check, and damaged keyrings through their readers."""
    mutator = Mutator(seeds(), run_number)
    begin = time.monotonic()
    number, text, refused = first, 0, 0
    with tempfile.TemporaryDirectory(prefix="pybinlog-fuzz-") as scratch:
        paths = [Path(scratch) / f"keyring{i}" for i in range(3)]
        for path, keyring in zip(paths, KEYRINGS, strict=False):
            path.write_bytes(keyring)
        opened = Keyring([str(path) for path in paths])
        other = Path(scratch) / "damaged"
        while time.monotonic() - begin < seconds:
            random = mutator.random(number)
            try:
                text += try_out(made(mutator, random), Path(scratch) / "binlog.000001", opened)
                keyring = random.choice(KEYRINGS)
                other.write_bytes(damaged(keyring, random))
                try:
                    Keyring([str(other)], PASSWORD if keyring.startswith(b"Salted__") else None)
                except SourceError:
                    refused += 1
            except Exception as error:
                raise SystemExit(f"input {number} of seed {run_number}: {type(error).__name__}: {error}") from error
            number += 1
    print(json.dumps({"inputs": number - first, "text": text, "keyrings refused": refused, "faults": 0}))


if __name__ == "__main__":
    main()
