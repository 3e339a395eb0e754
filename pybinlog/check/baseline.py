"""Baselines: findings that are known and accepted, so that a check fails on new ones only."""

import json
from collections.abc import Iterable

from pybinlog.check.finding import Finding
from pybinlog.errors import BinlogError
from pybinlog.side_file import side_file

VERSION = 1
MOST_BYTES = 64 << 20


def read_baseline(path: str) -> frozenset[tuple[str, str, int]]:
    """Return the fingerprints in a baseline file. Raise BinlogError if it cannot be read or is none."""
    try:
        content = json.loads(side_file(path, MOST_BYTES))
    except OSError as error:
        raise BinlogError(f"the baseline cannot be read: {error.strerror or error}", file=path) from error
    except (ValueError, RecursionError) as error:
        raise no_baseline(path) from error
    try:
        if content["version"] != VERSION:
            raise ValueError("another version")
        return frozenset((str(f["code"]), str(f["file"]), int(f["position"])) for f in content["findings"])
    except (KeyError, TypeError, ValueError) as error:
        raise no_baseline(path) from error


def no_baseline(path: str) -> BinlogError:
    return BinlogError("this is not a baseline", file=path, hint="Create one with pybinlog check --write-baseline=FILE")


def baseline_text(findings: Iterable[Finding]) -> str:
    """Return the baseline file that accepts these findings."""
    listed = sorted({finding.fingerprint for finding in findings}, key=lambda place: (place[1], place[2], place[0]))
    lines = [json.dumps({"code": code, "file": file, "position": position}) for code, file, position in listed]
    listing = "\n  " + ",\n  ".join(lines) + "\n" if lines else ""
    return f'{{"version": {VERSION}, "findings": [{listing}]}}\n'
