"""The unit with which systemd runs `pybinlog mirror`."""

import os
import shutil
import sys
from collections.abc import Iterable

from pybinlog.visible import visible

USUAL = ["--compress=zstd", "--check"]
"""Options of a unit if you give none for its logs."""
HIDDEN = ("/home/", "/root/", "/run/user/")
"""The unit hides these folders (ProtectHome), and its user could not look into most of them."""

UNIT = """\
# Keeps copies of a server's binary logs: docs/mirror.md. Save it as /etc/systemd/system/pybinlog-mirror.service, put
# the connection into {connection} (a group [client], chmod 600, owner root), and start it:
#     systemctl enable --now pybinlog-mirror

[Unit]
Description=Mirror of a MySQL or MariaDB server's binary logs
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
LoadCredential=mirror.cnf:{connection}
ExecStart={program} mirror --defaults-file=${{CREDENTIALS_DIRECTORY}}/mirror.cnf --output={folder} {options}
{place}
UMask=0027

# It connects again by itself: an error that ends it needs you. The journal has the sentence.
Restart=on-failure
RestartSec=60
RestartPreventExitStatus=2

# SIGTERM: everything received is on the disk, and a log that is being compressed or handed on is finished first.
KillMode=mixed
SuccessExitStatus=143
TimeoutStopSec=5min

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
"""


STATE = "/var/lib/"
"""Folders here belong to the unit (StateDirectory), so their owner needs no name."""
OF_UNIT = """\
DynamicUser=yes
StateDirectory={}
StateDirectoryMode=0750"""
OF_USER = """\
# This user has to own the folder: useradd --system pybinlog; install -d -o pybinlog -m 750 {0}
User=pybinlog
ReadWritePaths={0}"""


def unit(words: Iterable[str], folder: str | None = None, connection: str | None = None) -> str:
    """Return the unit that runs this program with these options of `pybinlog mirror`.

    `folder` has the logs, `connection` is the option file; without them, they are the usual ones.
    """
    path = os.path.abspath(folder or STATE + "pybinlog-mirror")
    name = path.removeprefix(STATE)
    is_state = name != path and not set(name) & set(" \t\n\"'\\%:;")
    return UNIT.format(
        program=quoted(program_path()),
        connection=os.path.abspath(connection or "/etc/pybinlog/mirror.cnf"),
        folder="${STATE_DIRECTORY}" if is_state else quoted(path),
        place=OF_UNIT.format(name) if is_state else OF_USER.format(quoted(path)),
        options=" ".join(map(quoted, words)),
    )


def why_not_started() -> str | None:
    """Return a sentence if the unit's user cannot run this program."""
    program = program_path()
    if not program.startswith(HIDDEN):
        return None
    return (
        f"the unit's user cannot run {program}: install pybinlog outside of home folders, as docs/mirror.md shows, and "
        "print the unit with that program."
    )


def program_path() -> str:
    """Return the absolute path of this program, without symbolic links to its folder resolved."""
    name = sys.argv[0]
    found = shutil.which(name) if os.sep not in name else name
    path = os.path.abspath(found or name)
    if os.path.basename(path) == "__main__.py":  # python -m pybinlog
        path = os.path.join(os.path.dirname(sys.executable), "pybinlog")
    return path


def quoted(word: str) -> str:
    """Return a word of ExecStart: systemd expands % and $, and splits at blanks (systemd.service, COMMAND LINES).

    The escapes of control characters are systemd's as well.
    """
    word = word.replace("%", "%%").replace("$", "$$")
    if word and word.isprintable() and not any(character in word for character in " ;\"'\\"):
        return word
    return '"' + visible(word.replace("\\", "\\\\").replace('"', '\\"')) + '"'
