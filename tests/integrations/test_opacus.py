"""Opacus, for real: engines that train, checkpoints that load, samplers that do not match."""

import contextlib
import io
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import gdpnum
from gdpnum.dpsgd import CTDAccountant
from gdpnum.integrations import opacus as ours
from gdpnum.integrations.opacus import from_opacus, register

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")

from opacus import PrivacyEngine  # noqa: E402
from opacus.accountants import (  # noqa: E402
    GaussianAccountant,
    IAccountant,
    RDPAccountant,
)
from opacus.accountants.prv import PRVAccountant  # noqa: E402
from opacus.accountants.utils import get_noise_multiplier  # noqa: E402
from opacus.utils.batch_memory_manager import BatchMemoryManager  # noqa: E402

from tests.integrations.opacus_training import RATE, Training  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:Secure RNG turned off"),
    pytest.mark.filterwarnings("ignore:GDP accounting is experimental"),
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
    pytest.mark.filterwarnings("ignore:Optimal order is the"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
    pytest.mark.filterwarnings("ignore::FutureWarning:torch"),
]

DELTA = 1e-5


@pytest.fixture(autouse=True)
def _registered():
    register()


STEPS = 30
RUN = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=STEPS)


@pytest.fixture(scope="module")
def trained():
    register()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: Training(name).epochs(3) for name in ("gdpnum", "prv", "rdp", "gdp")}


# --- a live engine --------------------------------------------------------------------------------


def test_a_live_engine_gives_mu_and_regret(trained):
    engine = trained["gdpnum"].engine
    assert engine.accountant.history == [(1.0, RATE, STEPS)]
    fit = gdpnum.fit_gdp(RUN)
    assert engine.accountant.get_mu_and_regret() == (fit.mu, fit.regret)
    assert engine.accountant.run == RUN
    assert len(engine.accountant) == STEPS


def test_the_engine_asks_for_epsilon(trained):
    epsilon = trained["gdpnum"].engine.get_epsilon(DELTA)
    assert epsilon == gdpnum.tradeoff_curve(RUN).epsilon(DELTA)
    # Theirs is an upper bound too, to within 0.01.
    assert epsilon <= trained["prv"].engine.get_epsilon(DELTA) <= epsilon + 0.02


def test_any_accountant_gives_the_same_mu(trained):
    mus = {
        name: gdpnum.fit_gdp(from_opacus(training.engine)).mu for name, training in trained.items()
    }
    assert set(mus.values()) == {gdpnum.fit_gdp(RUN).mu}


def test_published_calls_that_failed_work(trained):
    accountant = trained["gdpnum"].engine.accountant
    assert accountant.get_advantage() > 0.0
    assert accountant.get_mu_and_regret(err=1e-8)[0] > 0.0
    assert json.loads(json.dumps(accountant.state_dict()))["mechanism"] == "gdpnum"
    assert opacus.accountants.create_accountant("gdpnum").get_mu_and_regret() == pytest.approx(
        (0.0, 0.0), abs=1e-10
    )
    assert PrivacyEngine(accountant="gdpnum").get_epsilon(DELTA) == 0.0


def test_our_accountant_is_one_of_theirs(trained):
    accountant = trained["gdpnum"].engine.accountant
    assert isinstance(accountant, IAccountant)
    assert isinstance(accountant, CTDAccountant)
    assert type(accountant) is register() is register() is ours.GdpnumAccountant
    assert type(opacus.accountants.create_accountant("rdp")) is RDPAccountant
    with pytest.raises(ValueError, match="Unexpected accounting mechanism"):
        opacus.accountants.create_accountant("none such")
    again = pickle.loads(pickle.dumps(accountant))
    assert type(again) is type(accountant)
    assert again.get_mu_and_regret() == accountant.get_mu_and_regret()


def test_a_side_car_reads_another_accountant_while_it_counts():
    training = Training("prv")
    mus = []
    for _ in range(2):
        training.epochs(1)
        mus.append(gdpnum.fit_gdp(from_opacus(training.engine.accountant)).mu)
    assert mus == [
        gdpnum.fit_gdp(gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=steps)).mu
        for steps in (10, 20)
    ]


def test_a_noise_schedule_is_followed():
    training = Training("gdpnum")
    for sigma in (2.0, 1.5, 2.0):
        training.optimizer.noise_multiplier = sigma
        training.epochs(1)
    assert training.engine.accountant.history == [(2.0, RATE, 10), (1.5, RATE, 10), (2.0, RATE, 10)]
    few, many = (
        gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=RATE, steps=steps)
        for sigma, steps in ((1.5, 10), (2.0, 20))
    )
    assert from_opacus(training.engine) == many + few


def test_a_noise_multiplier_may_be_a_tensor():
    training = Training("gdpnum")
    training.optimizer.noise_multiplier = torch.tensor(2.0)
    training.epochs(1)
    assert training.engine.accountant.history == [(2.0, RATE, 10)]


def test_virtual_steps_count_once():
    training = Training("gdpnum")
    with BatchMemoryManager(
        data_loader=training.loader, max_physical_batch_size=5, optimizer=training.optimizer
    ) as loader:
        for x, y in loader:
            training.batch(x, y)
    assert training.engine.accountant.history == [(1.0, RATE, 10)]


def test_training_without_noise_has_no_finite_mu():
    training = Training("gdpnum", noise_multiplier=0.0).epochs(1)
    assert training.engine.get_epsilon(DELTA) == float("inf")
    assert training.engine.accountant.get_mu_and_regret()[0] == float("inf")
    assert gdpnum.fit_gdp(from_opacus(training.engine)).mu == float("inf")


# --- noise for a budget ---------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{}, {"eps_error": 0.1, "delta_error": 1e-9}])
def test_noise_is_found_for_a_budget(keywords):
    budget = {"target_epsilon": 2.0, "target_delta": DELTA, "epochs": 3, **keywords}
    training = Training("gdpnum", with_epsilon=budget).epochs(3)
    assert 1.95 <= training.engine.get_epsilon(DELTA) <= 2.0
    theirs = get_noise_multiplier(
        target_epsilon=2.0, target_delta=DELTA, sample_rate=RATE, epochs=3, accountant="prv"
    )
    assert training.optimizer.noise_multiplier == pytest.approx(theirs, rel=0.02)


# --- checkpoints ----------------------------------------------------------------------------------


def test_training_continues_from_a_checkpoint(tmp_path, trained):
    first = Training("gdpnum").epochs(2)
    path = first.saved(tmp_path / "checkpoint.pt")
    second = Training("gdpnum").loaded(path)
    assert second.engine.accountant.history == [(1.0, RATE, 20)]
    second.epochs(1)
    assert second.engine.accountant.history == [(1.0, RATE, STEPS)]
    uninterrupted = trained["gdpnum"].engine
    assert (
        second.engine.accountant.get_mu_and_regret() == uninterrupted.accountant.get_mu_and_regret()
    )
    assert second.engine.get_epsilon(DELTA) == uninterrupted.get_epsilon(DELTA)


def test_our_checkpoint_loads_as_weights_only(tmp_path, trained):
    path = trained["gdpnum"].saved(tmp_path / "checkpoint.pt")
    checkpoint = torch.load(path, weights_only=True)
    assert from_opacus(checkpoint) == from_opacus(path) == RUN


@pytest.mark.parametrize("name", ["gdpnum", "prv", "rdp", "gdp"])
@pytest.mark.parametrize("zipped", [True, False])
def test_any_checkpoint_is_read(tmp_path, trained, name, zipped):
    # Opacus 1.5 saves a bound method as "mechanism"; pickle looks it up with getattr.
    state = trained[name].engine.accountant.state_dict()
    for mechanism in (state["mechanism"], PRVAccountant.mechanism):
        content = {
            "module_state_dict": trained[name].model.state_dict(),
            "optimizer_state_dict": trained[name].optimizer.state_dict(),
            "privacy_accountant_state_dict": {**state, "mechanism": mechanism},
            "anything": [Path(), np.float64(1.0), {1, 2}, slice(3), torch.float32],
        }
        path = tmp_path / "checkpoint.pt"
        torch.save(content, path, _use_new_zipfile_serialization=zipped)
        assert from_opacus(path) == from_opacus(str(path)) == from_opacus(content) == RUN
        assert from_opacus(io.BytesIO(path.read_bytes())) == RUN
        assert from_opacus(content["privacy_accountant_state_dict"]) == RUN


@pytest.mark.parametrize("number", [np.float64, np.float32])
def test_a_history_in_numpy_numbers_is_read(tmp_path, number):
    history = [(number(1.5), number(0.25), np.int64(40)), (2.0, 0.5, 1)]
    path = tmp_path / "checkpoint.pt"
    torch.save({"privacy_accountant_state_dict": {"history": history}}, path)
    assert (
        from_opacus(path) == from_opacus(history) == from_opacus([(1.5, 0.25, 40), (2.0, 0.5, 1)])
    )


def test_a_tensor_in_a_saved_history_is_refused_by_name(tmp_path):
    state = {"privacy_accountant_state_dict": {"history": [(torch.tensor(1.5), 0.25, 40)]}}
    path = tmp_path / "checkpoint.pt"
    torch.save(state, path)
    with pytest.raises(gdpnum.InvalidArgument, match=r"noise_multiplier=<torch.* not loaded>"):
        from_opacus(path)
    assert from_opacus(torch.load(path, weights_only=True)) == from_opacus([(1.5, 0.25, 40)])


class Malicious:
    def __init__(self, victim):
        self.victim = victim

    def __reduce__(self):
        return (os.mkdir, (str(self.victim),))


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("zipped", [True, False])
def test_a_malicious_checkpoint_does_not_run(tmp_path, inside, zipped):
    victim, path = tmp_path / "victim", tmp_path / "checkpoint.pt"
    state = {"history": [(1.0, RATE, STEPS)], "mechanism": "prv"}
    if inside:
        state["history"] = Malicious(victim)
    content = {"first": Malicious(victim), "privacy_accountant_state_dict": state}
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    if inside:
        with pytest.raises(gdpnum.InvalidArgument, match=r"history=.*not loaded"):
            from_opacus(path)
    else:
        assert from_opacus(path) == RUN
    assert not victim.exists()
    with contextlib.suppress(FileExistsError):  # the second one
        torch.load(path, weights_only=False)
    assert victim.exists()  # loaded by the book it does run


@pytest.mark.parametrize(
    "content",
    [b"", b"not a checkpoint", pickle.dumps([1, 2]), pickle.dumps({"a": 1}), b"PK\x03\x04"],
)
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(content)
    with pytest.raises(gdpnum.InvalidArgument, match=r"checkpoint\.pt .*save_checkpoint"):
        from_opacus(path)


def test_a_model_without_an_accountant_is_no_checkpoint(tmp_path):
    path = tmp_path / "model.pt"
    torch.save(torch.nn.Linear(2, 2).state_dict(), path)
    with pytest.raises(gdpnum.InvalidArgument, match="privacy_accountant_state_dict"):
        from_opacus(path)
    with pytest.raises(gdpnum.InvalidArgument, match="privacy_accountant_state_dict"):
        from_opacus({"weights": 1})
    with pytest.raises(FileNotFoundError):
        from_opacus(tmp_path / "none such")


def test_the_state_of_another_accountant_is_refused(trained):
    accountant = opacus.accountants.create_accountant("gdpnum")
    accountant.step(noise_multiplier=1.0, sample_rate=0.5)
    with pytest.raises(ValueError, match="'gdpnum'"):
        accountant.load_state_dict(trained["prv"].engine.accountant.state_dict())
    assert accountant.history == [(1.0, 0.5, 1)]


# --- histories ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RDPAccountant, PRVAccountant, GaussianAccountant, CTDAccountant])
def test_equal_segments_are_merged(kind):
    accountant = kind()
    accountant.history = [(1.0, 0.1, 5), (2.0, 0.1, 1), (1.0, 0.1, 15)]
    one = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=20)
    other = gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.1, steps=1)
    assert from_opacus(accountant) == from_opacus(accountant.history) == one + other


@pytest.mark.parametrize("source", [3, None, object()])
def test_what_has_no_history_is_refused(source):
    with pytest.raises(gdpnum.InvalidType, match="from_engine"):
        from_opacus(source)


def test_a_malformed_history_is_refused():
    with pytest.raises(gdpnum.InvalidArgument, match=r"history\[1\]: sample_rate=2.0"):
        from_opacus([(1.0, 0.1, 5), (1.0, 2.0, 5)])


# --- without the package --------------------------------------------------------------------------


def test_nothing_is_imported_before_it_is_needed(tmp_path, trained):
    path = trained["prv"].saved(tmp_path / "checkpoint.pt")
    program = (
        "import sys, gdpnum.integrations.opacus as ours\n"
        f"assert ours.from_opacus({str(path)!r}).parts[0][1] == {STEPS}\n"
        "assert not {'torch', 'opacus'} & set(sys.modules)\n"
        "sys.modules['opacus'] = None\n"
        "try:\n    ours.register()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "pip install opacus" in done.stdout
