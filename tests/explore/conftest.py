import pytest

from tests.explore.serving import Asking, serving


@pytest.fixture(scope="session")
def asked():
    with serving() as port:
        yield Asking(port)
