"""`python -m pybinlog`: the program, without its script on the path."""

from __future__ import annotations

from pybinlog.cli.main import main

if __name__ == "__main__":
    main()
