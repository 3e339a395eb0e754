"""Writes the logs of `unseen_logs` to testdata/unseen/NAME/binlog.000001: `python -m tests.layout.make_unseen`."""

from ..corpus import TESTDATA
from .unseen_logs import LOGS

UNSEEN = TESTDATA / "unseen"


def main() -> None:
    for name, build in LOGS.items():
        path = UNSEEN / name / "binlog.000001"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(build().data)


if __name__ == "__main__":
    main()
