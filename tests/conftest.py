"""Fixtures for all tests."""

import os
import resource

import pytest
from hypothesis import settings

# The same examples in every run: a test that fails does so for everyone. Few in the quick tests,
# many in `make test-slow` (thorough). To look for new ones, run pytest with
# HYPOTHESIS_PROFILE=searching.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("searching", deadline=None, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture
def three_gigabytes():
    """A machine on which more than that cannot be allocated: no test may fill a real one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
