"""python -m tests.reproducible WHEEL: build the last commit once more, in another folder, and compare with this wheel.

It takes as long as a build, so the workflow that makes the wheels runs it, and the suite does not.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def main() -> None:
    (given,) = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
        digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in (given, built)}
    for path, digest in digests.items():
        print(digest, path)
    sys.exit(0 if len(set(digests.values())) == 1 and given.name == built.name else "The wheels differ.")


def build(folder: Path) -> Path:
    """Build a wheel of the last commit in this folder; return its path."""
    git = ["git", "-C", str(PROJECT)]
    source = folder / "source"
    subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(source), "HEAD"], check=True)
    try:
        when = subprocess.run([*git, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True).stdout
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(folder),
            str(source),
        ]
        subprocess.run(command, env={**os.environ, "SOURCE_DATE_EPOCH": when.strip()}, check=True)
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


if __name__ == "__main__":
    main()
