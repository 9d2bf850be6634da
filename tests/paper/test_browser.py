"""The page in a real browser: nothing is cut, on a screen and on a phone."""

import pytest

from tests.report.chromium import BINARY, Chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="needs chromium"),
]

# What sticks out of what holds it, by name.
CUT = """
(() => {
  const wide = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > wide) found.push("page");
  for (const one of document.querySelectorAll(".scroll")) {
    if (one.scrollWidth > one.clientWidth + 1) found.push(one.querySelector("caption").innerText);
  }
  for (const one of document.querySelectorAll("img, pre")) {
    const box = one.getBoundingClientRect();
    if (box.right > wide + 1 || box.width === 0) found.push(one.tagName);
    if (one.tagName === "IMG" && one.naturalWidth === 0) found.push("empty image");
  }
  return found;
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def test_at_1100_pixels_no_column_is_cut(browser, reproduced):
    browser.open(reproduced.folder / "index.html", width=1100)
    assert browser.evaluate(CUT) == []
    assert browser.evaluate("document.images.length") == 13


def test_on_a_phone_only_tables_of_numbers_scroll(browser, reproduced):
    browser.open(reproduced.folder / "index.html", width=390)
    cut = set(browser.evaluate(CUT))
    assert not cut & {"page", "IMG", "PRE", "empty image"}
    assert "All claims, in the order of the paper" not in cut
    assert "Where gdpnum departs from the algorithm" not in cut


def test_it_loads_nothing(browser, reproduced):
    browser.open(reproduced.folder / "index.html")
    asked = [
        params["request"]["url"]
        for method, params in browser.events
        if method == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert not [one for one in browser.events if one[0] == "Log.entryAdded"]
