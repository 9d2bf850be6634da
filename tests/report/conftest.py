import functools

import pytest

from tests.report.settings import SETTINGS


@pytest.fixture(scope="session")
def stated():
    """The statement of a named setting, computed once."""
    return functools.cache(lambda name: SETTINGS[name]())
