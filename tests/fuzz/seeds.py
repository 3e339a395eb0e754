"""Seeds: the logs that are mutated."""

from tests.corpus import TESTDATA, more_scenarios, scenarios
from tests.fuzz.mutator import Seed

LARGEST = 200_000


def seeds() -> list[Seed]:
    """Every log of the corpus that is not large, and what was found before."""
    found = [path for scenario in scenarios() for path in scenario.logs]
    found += [path for kind in ("more", "unseen") for scenario in more_scenarios(kind) for path in scenario.logs]
    found += sorted((TESTDATA / "regressions").glob("*.0*"))
    return [Seed.of(str(path), path.read_bytes()) for path in found if path.stat().st_size <= LARGEST]
