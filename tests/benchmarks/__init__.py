"""Times of pybinlog beside those of the reference tool: `python -m tests.benchmarks`, or `make bench`."""
