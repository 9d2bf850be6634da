"""Fixtures for all tests."""

import os
import resource

import pytest
from hypothesis import settings

# The same examples in every run: a test that fails does so for everyone. To search for new ones,
# run pytest with HYPOTHESIS_PROFILE=searching.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("searching", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture
def three_gigabytes():
    """A machine on which more than that cannot be allocated: no test may fill a real one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
