"""Fixtures for all tests."""

import resource

import pytest


@pytest.fixture
def three_gigabytes():
    """A machine on which more than that cannot be allocated: no test may fill a real one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
