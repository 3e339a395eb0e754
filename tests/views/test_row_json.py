"""Values of rows, of every log of the corpus, beside those that the library decodes."""

from typing import Any

import pytest

from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.corpus import Scenario, scenarios
from tests.views.conftest import ShortLogs
from tests.views.row_json import expected_images, loads

INTACT = [scenario for scenario in scenarios() if scenario.intact]
COLUMNS = ("database", "table", "operation", "metadata", "before", "after")


def rows(paths: Any) -> list[tuple[Any, ...]]:
    """The columns COLUMNS of the view rows, as they are."""
    reader = ViewReader(ViewOptions(view="rows", columns=COLUMNS))
    found: list[tuple[Any, ...]] = []
    for span in spans([str(path) for path in paths]):
        for batch in reader.batches(span):
            found += zip(*(column.values(0, batch.count) for column in batch.columns), strict=True)
    return found


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_values_are_those_of_the_library(scenario: Scenario, short_logs: ShortLogs) -> None:
    logs = short_logs(scenario)
    found = [(loads(row[-2]), loads(row[-1])) for row in rows(logs)]
    wanted = expected_images(logs)
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        for image, image_wanted in zip(one, other, strict=True):
            if image is None or image_wanted is None:
                assert image is image_wanted, number
                continue
            assert list(image) == list(image_wanted), number
            for key, value in image.items():
                assert value == image_wanted[key], (number, key)
                assert type(value) is type(image_wanted[key]) or not isinstance(value, bool), (number, key)
