import json
import sys

import pytest

import gdpnum as library
from gdpnum.cli import sources
from gdpnum.cli.sources import source
from tests.cli.invoking import document, printed, refused

TRAINING = """
name = "Two-stage training"
dataset_size = 50000

[[parts]]
type = "DPSGD"
noise_multiplier = 1.0
batch_size = 500
epochs = 10

[[parts]]
type = "Laplace"
scale = 5.0
count = 3
"""

toml = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 reads no TOML")

RUN = (
    library.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    + library.Laplace(scale=5.0) * 3
)


@pytest.fixture
def file(tmp_path):
    def written(content, name="run.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return written


@toml
def test_toml_describes_a_composition(file):
    found = source(file(TRAINING, "training.toml"))
    assert found.run == RUN
    assert found.wishes == {"name": "Two-stage training", "dataset_size": 50000}


@toml
def test_the_run_file_in_the_help_is_one(file):
    _, _, text = printed("run", "--help").partition("A run file:\n")
    assert source(file(text.partition("\n\n")[0], "training.toml")).run == RUN


def test_json_describes_the_same(file):
    parts = [
        {"type": "DPSGD", "noise_multiplier": 1, "sample_rate": 0.01, "steps": 1000},
        {"mechanism": {"type": "Laplace", "scale": 5}, "count": 3},
    ]
    assert source(file({"parts": parts})).run == RUN


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("Laplace:scale=5,count=3", library.Laplace(scale=5.0) * 3),
        ("gdp:mu=1", library.GDP(mu=1.0)),
        ("dpsgd:noise_multiplier=2,batch_size=5,dataset_size=10,steps=7",
         library.DPSGD(noise_multiplier=2.0, sample_rate=0.5, steps=7)),
        ("Gaussian:sigma=2,neighbouring=replace",
         library.Gaussian(sigma=2.0, neighbouring="replace")),
    ],
)  # fmt: skip
def test_words_describe_one_mechanism(text, run):
    assert source(text).run == run


def test_numbers_are_read_as_people_write_them(file):
    wanted = library.DPSGD(noise_multiplier=1.0, sample_rate=256 / 60_000, steps=10_000)
    part = {"type": "DPSGD", "noise_multiplier": "1", "sample_rate": "256/60000", "steps": 1e4}
    assert source(file({"parts": [part]})).run == wanted
    words = "DPSGD:noise_multiplier=1,batch_size=256,dataset_size=6e4,steps=1e4"
    assert source(words).run == wanted
    percent = source("DPSGD:noise_multiplier=100%,sample_rate=1%,epochs=3").run
    assert percent == library.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=300)


def test_the_statement_is_the_librarys(file):
    path = file({"name": "mine", "slack": 1e-6, "parts": [{"type": "Laplace", "scale": 2.0}]})
    found = document("run", path, "--date", "2026-03-01", "--delta", "0.01")
    wanted = library.statement(
        library.Laplace(scale=2.0), name="mine", slack=1e-6, deltas=[0.01], date="2026-03-01"
    )
    assert found == json.loads(wanted.to_json())


def test_an_option_goes_before_the_file(file):
    path = file({"name": "mine", "parts": [{"type": "Gaussian", "sigma": 2.0}]})
    assert document("run", path, "--name", "yours")["name"] == "yours"
    assert document("run", path, "--slack", "0")["mu"] == 0.5


def test_a_statement_is_a_run_too(file):
    first = document("run", "Laplace:scale=2", "--date", "2026-03-01")
    text = json.dumps(first)
    assert document("run", file(text), "--date", "2026-03-01") == first
    assert document("run", "-", "--date", "2026-03-01", stdin=text) == first


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"part": []}, "has the key 'part', which a run has not; did you mean 'parts'?"),
        ({"name": "x"}, "has no list of parts"),
        ({"parts": []}, "has no list of parts"),
        ({"parts": [3]}, "parts[0]=3 is of type int, not an object"),
        ({"parts": [{"sigma": 1}]}, "parts[0] has no type"),
        ({"parts": [{"type": "Gausian", "sigma": 1}]}, "did you mean 'Gaussian'?"),
        ({"parts": [{"type": "DPSG"}]}, "did you mean 'DPSGD'?"),
        ({"parts": [{"type": "Gaussian", "sigm": 1}]}, "did you mean 'sigma'?"),
        ({"parts": [{"type": "Gaussian"}]}, "parts[0] lacks 'sigma'; Gaussian needs it"),
        ({"parts": [{"type": "Gaussian", "sigma": "a"}]}, "parts[0]: sigma='a' is of type str"),
        ({"parts": [{"type": "Gaussian", "sigma": 1, "count": 1.5}]}, "count=1.5 is of type float"),
        ({"parts": [{"type": "DPSGD", "noise_multipler": 1}]}, "did you mean 'noise_multiplier'?"),
        ({"parts": [{"type": "DPSGD", "noise_multiplier": 1, "steps": 3}]}, "lacks 'sample_rate'"),
        ({"parts": [{"type": "DPSGD", "sample_rate": 1, "batch_size": 3}]},
         "pass either sample_rate, or batch_size and dataset_size"),
        ({"parts": [{"mechanism": {"type": "Laplace", "scale": 1}, "cont": 2}]}, "the key 'cont'"),
        ({"parts": [{"type": "RDP", "orders": [2], "epsilons": ["x"]}]}, "not a number"),
        ({"parts": [{"type": "Gaussian", "sigma": 1},
                    {"type": "Gaussian", "sigma": 1, "neighbouring": "replace"}]},
         "mix neighbouring relations"),
        ({"name": 3, "parts": [{"type": "Laplace", "scale": 1}]}, "name=3 is of type int"),
        ({"schema": "gdpnum-statement-9"}, "schema='gdpnum-statement-9' is not"),
        ("[1]", "does not hold an object"),
        ('{"parts": [', "is not JSON (Expecting value"),
        ('{"parts": ' + "[" * 100_000, "is not JSON"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_files_are_one_line(file, content, said):
    assert said in refused("run", file(content))


@toml
def test_bad_toml_is_one_line(file):
    assert "run.toml is not TOML (" in refused("run", file("x = = 3", "run.toml"))


def test_without_tomllib_json_is_asked_for(file, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(sources.importlib, "import_module", missing)
    said = refused("run", file(TRAINING, "training.toml"))
    assert said.endswith("is taken for TOML, which needs Python 3.11; pass the run as JSON")


def test_unreadable_files_are_one_line(tmp_path):
    assert "(No such file or directory)" in refused("run", str(tmp_path / "none.toml"))
    assert "(Is a directory)" in refused("run", str(tmp_path))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "is not text in UTF-8" in refused("run", str(tmp_path / "binary"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Laplac:scale=1", "'Laplac' no mechanism; did you mean 'Laplace'?"),
        ("Laplace:scale", "'scale' is no key=value"),
        ("Laplace:scal=1", "did you mean 'scale'?"),
        ("Laplace:", "parts[0] lacks 'scale'"),
    ],
)
def test_words_that_describe_nothing_are_one_line(text, said):
    assert said in refused("run", text)


def test_two_dataset_sizes_contradict_each_other(file):
    path = file({"dataset_size": 10, "parts": [{"type": "Laplace", "scale": 1}]})
    assert "--dataset-size is 20, but" in refused("run", path, "--dataset-size", "20")
    assert "(delta 1 / size)" in printed("run", path, "--dataset-size", "10")


def test_a_name_cannot_drive_the_terminal(file):
    path = file({"name": "a\x1b[31m\nb", "parts": [{"type": "Laplace", "scale": 1}]})
    assert "\x1b" not in printed("run", path)
    assert "\x1b" not in refused("run", "no\x1b[31m\nsuch")


def test_a_part_of_another_dataset_is_refused(file):
    part = {"type": "DPSGD", "noise_multiplier": 1, "batch_size": 5, "steps": 10}
    path = file({"dataset_size": 500, "parts": [{**part, "dataset_size": 50}]})
    said = "parts[0] has dataset_size=50, but the run 500; there is one dataset"
    assert said in refused("run", path)
    path = file({"dataset_size": 500, "parts": [{**part, "dataset_size": 500}]})
    assert source(path).run == source(file({"dataset_size": 500, "parts": [part]})).run


@pytest.mark.parametrize("size", ["1" * 401, "9" * 309])
def test_a_dataset_beyond_all_floats_is_refused(size):
    assert "is not a finite float" in refused("run", "GDP:mu=1", "--dataset-size", size)
    training = ["dpsgd", "--noise-multiplier=1", "--sample-rate=0.1", "--steps=1"]
    assert "is not a finite float" in refused(*training, "--dataset-size", size)
