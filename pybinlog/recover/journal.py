"""Journal: what a run has changed on a target, and must put back, on the disk of this machine before it is changed."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from pybinlog.errors import BinlogError
from pybinlog.log.executed import Executed
from pybinlog.output.replacement import Replacement
from pybinlog.recover.target import EventState
from pybinlog.side_file import side_file

Key = tuple[str, str]

MOST_BYTES = 64 << 20


@dataclass
class Journal:
    """The notes of one run, in the file `path`.

    `request` is the Request's key. `before` is what the target had executed when the run began. `settings` are global
    variables with their values from before, `events` the events of the target. `own` is MariaDB's
    gtid_binlog_state. `is_done`: the run has ended, and a second one would apply the logs again.
    """

    path: str
    request: list[object]
    before: str
    settings: dict[str, str] = field(default_factory=dict)
    events: dict[str, dict[str, str]] = field(default_factory=dict)
    port: int = 0
    own: str = ""
    started: int = 0
    """When the target was started."""
    is_connected: bool = False
    """The channel was made."""
    is_applied: bool = False
    """Everything was applied; the target is yet to be put in order."""
    is_done: bool = False

    @property
    def known(self) -> Executed:
        return Executed.of_text(self.before)

    @property
    def scheduled(self) -> dict[Key, EventState]:
        found = {}
        for name, event in self.events.items():
            database, other = json.loads(name)
            found[database, other] = EventState(**event)
        return found

    def write(self) -> None:
        """Let the disk have it. Raise BinlogError if it cannot be written."""
        fields = {name: value for name, value in asdict(self).items() if name != "path"}
        os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
        with Replacement(self.path, 0o600) as file:
            file.write(json.dumps(fields, indent=1).encode())
            file.commit()

    def remove(self) -> None:
        os.unlink(self.path)


def read_journal(path: str) -> Journal | None:
    """Return the notes in a file; None if there is none. Raise BinlogError if they are damaged."""
    if not os.path.exists(path):
        return None
    try:
        return Journal(path, **json.loads(side_file(path, MOST_BYTES)))
    except (ValueError, TypeError, RecursionError):
        raise BinlogError(
            "these are not the notes of a recovery", file=path, hint="Remove the file if no recovery is under way"
        ) from None


def journal_path(environ: Mapping[str, str], identity: str) -> str:
    """Return the file for a target: in XDG_STATE_HOME, or ~/.local/state."""
    home = environ.get("XDG_STATE_HOME") or os.path.join(environ.get("HOME") or "/", ".local", "state")
    return os.path.join(home, "pybinlog", f"recover-{identity}.json")
