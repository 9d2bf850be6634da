import ast
import subprocess
import sys
from pathlib import Path

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


# --- imports ------------------------------------------------------------------------------------

# What needs an optional package, and is imported once that is known to be there.
LATE = {("cli/explore.py", "gdpnum.explore")}


def test_no_module_of_ours_is_imported_late():
    """Within a function, or for type checkers alone: both are ways round the layers."""
    source = Path(gdpnum.__file__).parent
    late = {
        (path.relative_to(source).as_posix(), module)
        for path in source.rglob("*.py")
        for module in _late_imports(ast.parse(path.read_text(encoding="utf-8")))
        if module.split(".")[0] == "gdpnum"
    }
    assert late == LATE


def _late_imports(tree):
    first = set(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in first:
            yield node.module if node.level == 0 else "gdpnum"
        elif isinstance(node, ast.Import) and node not in first:
            yield from (one.name for one in node.names)


def test_late_imports_are_found():
    hidden = "if True:\n    import gdpnum.a\ndef f():\n    from .b import c\nimport gdpnum.d\n"
    assert list(_late_imports(ast.parse(hidden))) == ["gdpnum.a", "gdpnum"]
