"""DumpOptions: values that do not change, compared by what they say."""

import pickle

import pytest

from pybinlog.dump import DumpOptions


def test_options_are_equal_that_say_the_same() -> None:
    assert DumpOptions(verbose=0) == DumpOptions()
    assert hash(DumpOptions(verbose=0)) == hash(DumpOptions())
    assert DumpOptions(verbose=1) != DumpOptions()
    assert DumpOptions() != "DumpOptions"


def test_other_values_are_given_by_replace() -> None:
    options = DumpOptions(verbose=1, offset=3)
    assert options.replace(offset=5) == DumpOptions(verbose=1, offset=5)
    assert options.offset == 3


def test_a_value_cannot_be_set() -> None:
    with pytest.raises(AttributeError, match="verbose cannot be set"):
        DumpOptions().verbose = 2  # type: ignore[misc]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(TypeError, match="DumpOptions has no verbosity"):
        DumpOptions(verbosity=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="DumpOptions has no verbosity"):
        DumpOptions().replace(verbosity=2)


def test_they_travel_and_are_shown_by_name() -> None:
    options = DumpOptions(verbose=2, database="shop")
    assert pickle.loads(pickle.dumps(options)) == options
    assert "verbose=2" in repr(options)
    assert "database='shop'" in repr(options)
