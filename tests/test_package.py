import subprocess
import sys

import pytest

import gdpnum


@pytest.mark.parametrize("name", gdpnum.__all__)
def test_every_public_name_is_there(name):
    assert hasattr(gdpnum, name)
    assert name in dir(gdpnum)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = gdpnum.nonsense


def test_describing_a_mechanism_loads_nothing_that_computes():
    program = (
        "import sys, gdpnum; gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10);"
        "assert not {'numpy', 'scipy'} & set(sys.modules), 'heavy import'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
