"""Configuration of Sphinx: ``sphinx-build -W --keep-going -n docs build/docs``."""

import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

import matplotlib as mpl  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

import gdpnum  # noqa: E402

# Pictures that are the same in every build.
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "gdpnum"

project = "gdpnum"
author = "The gdpnum authors"
copyright = "The gdpnum authors"
version = release = gdpnum.__version__

extensions = [
    "sphinx.ext.autodoc",
    "myst_parser",
    "sphinx_copybutton",
    "run_blocks",
    "mathml",
    "screenshots",
]
exclude_patterns = ["_build", "_ext", "measured"]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"gdpnum {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("lookup.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False

copybutton_exclude = ".linenos, .output"
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.output) > div.highlight pre"

# --- API from docstrings ------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
# A signature that is longer has a line a parameter.
maximum_signature_line_length = 60
# `fit_gdp` in a docstring is a link where there is such a name.
default_role = "py:obj"

nitpicky = True
# Types in signatures that have no page: those of other packages, and private aliases.
nitpick_ignore_regex = [
    (r"py:.*", r"(numpy|np|matplotlib|collections|concurrent|typing|datetime|pathlib)\..*"),
    (r"py:.*", r"(Floats|ArrayLike|NDArray.*|Axes|Executor|Path|Any|T|Callable|Iterable|Sequence)"),
    (
        r"py:.*",
        r"(Mapping|MutableMapping|_ScalarT.*|datetime\.date|Iterator|Subject|gdpnum\.subject\.Has(Curve|Run))",
    ),
    (r"py:.*", r"(P|gdpnum\.budget\.ledger\.[PRT])"),
    (r"py:.*", r"gdpnum\.(statements\.releases\.Facts|calibration\.target\.Measured)"),
]

linkcheck_ignore = [
    # Publishers that answer programs with an error.
    r"https://doi\.org/.*",
    r"https://dl\.acm\.org/.*",
]
linkcheck_timeout = 20
linkcheck_retries = 2


def _escaped(line: str) -> str:
    """A line of prose with |x| and f^* as they are, outside of literals."""
    parts = re.split(r"(``.*?``|`[^`]*`)", line)
    parts[::2] = [re.sub(r"([|*])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _as_written(*event: Any) -> None:
    """Docstrings are plain text with formulas: what is no markup there is not read as such."""
    lines: list[str] = event[-1]
    inside_doctest = inside_literal = False
    for number, line in enumerate(lines):
        if line.startswith(">>>"):
            inside_doctest = True
        if not line.strip():
            inside_doctest = False
        elif not line.startswith(" "):
            inside_literal = False
        if not inside_doctest and not inside_literal:
            is_list = re.match(r"\s*- \*\*", line)
            lines[number] = line if is_list else _escaped(line)
        if line.rstrip().endswith("::"):
            inside_literal = True


# The class is made once dp-accounting is there; its methods are those of the other.
_ALIASES = {"GdpnumAccountant": "gdpnum.integrations.dp_accounting.CurveAccountant"}


def _by_last_name(app: Sphinx, env: Any, node: Any, contents: Any) -> Any:
    """Where a docstring says `fit_gdp`, find gdpnum.fit_gdp from whichever module it says so."""
    if node.get("refdomain") != "py":
        return None
    wanted = node["reftarget"]
    name = wanted.rpartition(".")[2]
    domain = env.get_domain("py")
    found = [one for one in domain.objects if one.rpartition(".")[2] == name]
    # The public name, if there is one; of others the only one.
    public = [one for one in found if one == f"gdpnum.{name}"]
    chosen = public or ([_ALIASES[name]] if name in _ALIASES else found)
    if len(chosen) != 1:
        return None
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], chosen[0], node, contents
    )


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.connect("autodoc-process-docstring", _as_written)
    app.connect("missing-reference", _by_last_name)
