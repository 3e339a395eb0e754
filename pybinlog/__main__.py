"""`python -m pybinlog`: the program, without its script on the path."""

from pybinlog.cli.main import main

if __name__ == "__main__":
    main()
