"""Distribution: what pybinlog is called as a package, and what its extras bring."""

DISTRIBUTION = "pybinlog-mysql"
"""The package index has another project under the name pybinlog, so no text may name that to pip."""


def how_to_install(extra: str) -> str:
    """Return the sentence that says how to install what an extra of pyproject.toml brings, for the hint of an error."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # it came as bare files, as Spark's executors may get it
        declared = []
    brought = [line.partition(";") for line in declared]
    packages = [f"'{name.strip()}'" for name, _, marker in brought if marker.split() == ["extra", "==", f'"{extra}"']]
    if not packages:
        return f"Install pybinlog with its extra {extra!r}"
    return f"Install it with: pip install {' '.join(packages)}"
