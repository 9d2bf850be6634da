import copy
import pickle

import pytest

from gdpnum import errors

CLASSES = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_can_be_caught_by_the_base(error):
    assert issubclass(error, errors.GdpnumError)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidArgument, ValueError),
        (errors.InvalidType, TypeError),
        (errors.UnsupportedMechanism, NotImplementedError),
        (errors.BudgetExceeded, ArithmeticError),
    ],
)
def test_every_error_refines_a_builtin(error, builtin):
    assert issubclass(error, builtin)


@pytest.mark.parametrize("error", CLASSES)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_an_error_crosses_a_process_boundary(error, again):
    twin = again(error("sigma=-1.0 is not positive"))
    assert type(twin) is error
    assert str(twin) == "sigma=-1.0 is not positive"


@pytest.mark.parametrize("error", CLASSES)
def test_the_tree_in_the_docstring_is_complete(error):
    assert error.__name__ in (errors.__doc__ or "")
