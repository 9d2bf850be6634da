import pickle

import pytest

import gdpnum as library
from tests.cli.invoking import document, gdpnum, refused


@pytest.fixture
def checkpoint(tmp_path):
    def saved(history):
        path = tmp_path / "checkpoint.pt"
        state = {"history": history, "mechanism": "rdp"}
        path.write_bytes(pickle.dumps({"privacy_accountant_state_dict": state}))
        return str(path)

    return saved


def test_the_statement_is_of_what_was_recorded(checkpoint):
    path = checkpoint([(1.0, 0.01, 300), (1.0, 0.01, 200)])
    found = document("opacus", path, "--dataset-size", "1000", "--name", "mine")
    run = library.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=500)
    assert found["mechanism"] == repr(run)
    assert found["mu"] == library.fit_gdp(run).mu
    assert found["name"] == "mine"
    assert found["epsilon"][0]["delta"] == 0.001


def test_a_checkpoint_without_steps_is_warned_about(checkpoint):
    result = gdpnum("opacus", checkpoint([]))
    assert result.exit_code == 0
    assert result.stderr.startswith("gdpnum: warning: no step is recorded")
    assert result.stderr.count("\n") == 1


def test_what_is_no_checkpoint_is_one_line(tmp_path, checkpoint):
    (tmp_path / "text").write_text("Chapter 1\n")
    (tmp_path / "other.pt").write_bytes(pickle.dumps({"model": 1}))
    advice = "pass a file that PrivacyEngine.save_checkpoint wrote"
    assert refused("opacus", str(tmp_path / "text")).endswith(advice)
    assert refused("opacus", str(tmp_path / "other.pt")).endswith(advice)
    assert "No such file or directory" in refused("opacus", str(tmp_path / "none.pt"))
    assert "Is a directory" in refused("opacus", str(tmp_path))
    assert "history[0]" in refused("opacus", checkpoint([("a", 1, 2)]))
