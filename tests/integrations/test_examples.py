"""The examples that need Opacus."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("opacus")

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, folder):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_is_trained_and_its_checkpoint_reported_after_the_fact(tmp_path):
    trained = run("opacus_training.py", tmp_path)
    assert "with slack 1e-10: at any false positive rate" in " ".join(trained.split())
    assert "PoissonSampled(Gaussian(sigma=2.0), rate=0.05) * 100" in trained
    reported = run("checkpoint.py", tmp_path)
    assert "with slack 1e-10: at any false positive rate" in " ".join(reported.split())
    assert "The model in checkpoint.pt" in (tmp_path / "checkpoint.html").read_text("utf-8")
