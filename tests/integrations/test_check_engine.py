"""What an engine's accounting does not know, found on engines that train for real."""

import json
import math
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

import gdpnum
from gdpnum import DPSGD, FixedSize, Gaussian, check_engine, fit_gdp, tradeoff_curve
from gdpnum.dpsgd import AccountingMismatch
from gdpnum.integrations.opacus import from_opacus, register

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")

from opacus import PrivacyEngine  # noqa: E402
from opacus.optimizers import AdaClipDPOptimizer  # noqa: E402
from opacus.utils.adaptive_clipping import PrivacyEngineAdaptiveClipping  # noqa: E402
from opacus.utils.batch_memory_manager import BatchMemoryManager  # noqa: E402
from opacus.utils.uniform_sampler import UniformWithReplacementSampler  # noqa: E402
from torch.utils.data import (  # noqa: E402
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    Sampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from tests.integrations.opacus_training import BATCH, RATE, RECORDS, Training, dataset  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:Secure RNG turned off"),
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
    pytest.mark.filterwarnings("ignore:Optimal order is the"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
    pytest.mark.filterwarnings("ignore::FutureWarning:torch"),
]

IS_1_6 = hasattr(opacus.accountants, "register_accountant")
ADAPTIVE = {
    "target_unclipped_quantile": 0.5,
    "clipbound_learning_rate": 0.2,
    "max_clipbound": 10.0,
    "min_clipbound": 0.1,
}


@pytest.fixture(autouse=True)
def _registered():
    register()


def made(accountant="prv", **options):
    """A training whose engine has no accountant of ours, so that nothing is warned of yet."""
    return Training(accountant, **options)


def checked(training):
    return check_engine(training.engine, training.loader, training.optimizer)


def named(check):
    return [one.name for one in check.findings]


# --- nothing to find ------------------------------------------------------------------------------


def test_poisson_sampling_is_seen_and_nothing_is_found():
    training = made().epochs(1)
    check = checked(training)
    assert check.findings == ()
    assert check.is_clean
    assert check.run == DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=10)
    assert check.unchecked == ("that the training loop used this loader and no other",)
    assert "Poisson samples at rate 0.1 by UniformWithReplacementSampler" in check.batches


def test_batches_divided_for_memory_are_poisson_samples_all_the_same():
    training = made()
    with BatchMemoryManager(
        data_loader=training.loader, max_physical_batch_size=5, optimizer=training.optimizer
    ) as loader:
        for x, y in loader:
            training.batch(x, y)
        check = check_engine(training.engine, loader, training.optimizer)
    assert check.findings == ()
    assert check.run == DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=10)


def test_where_nothing_can_be_seen_the_statement_says_so():
    check = check_engine([(1.0, RATE, 10)])
    assert check.run == DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=10)
    assert [one.partition(" ")[0] for one in check.unchecked] == ["how", "whether"]
    stated = gdpnum.statement(check)
    assert stated.run == check.run
    assert stated.stated.batches.startswith("not checked")
    assert gdpnum.statement(check, batches="by hand").stated.batches == "by hand"


def test_an_engine_of_another_package_is_taken_by_its_attributes():
    other = SimpleNamespace(noise_multiplier=0.8, sample_rate=0.1, steps=25)
    assert check_engine(other).run == gdpnum.from_engine(other)
    shuffled = check_engine(other, DataLoader(dataset(), batch_size=BATCH, shuffle=True))
    assert fit_gdp(shuffled).mu == pytest.approx(math.sqrt(3) / 0.8, rel=1e-9)


# --- batches that are no Poisson samples ----------------------------------------------------------


@pytest.mark.parametrize(("shuffle", "words"), [(True, "shuffled"), (False, "in a fixed order")])
def test_without_poisson_sampling_an_epoch_is_one_release(shuffle, words):
    loader = DataLoader(dataset(), batch_size=BATCH, shuffle=shuffle)
    training = made(loader=loader, poisson_sampling=False).epochs(1)
    check = checked(training)
    assert named(check) == ["sampler"]
    assert words in check.findings[0].text
    assert words in gdpnum.statement(check).stated.batches
    # A record is in one batch of noise 1: told apart by N(0, 1) against N(1, 1).
    assert fit_gdp(check).mu == pytest.approx(1.0, rel=1e-9)
    assert tradeoff_curve(check).epsilon(1e-5) == pytest.approx(4.377, abs=1e-3)
    # What Opacus says of the same run.
    assert training.engine.get_epsilon(1e-5) == pytest.approx(2.86, abs=0.02)
    assert check.run.neighbouring == "zero_out"


def test_a_registered_engine_needs_no_loader():
    for accountant in ("prv", "rdp"):
        training = made(accountant, poisson_sampling=False).epochs(1)
        check = check_engine(training.engine)
        assert named(check) == ["sampler"]
        assert check == checked(training) == check_engine(training.engine.accountant)
        with pytest.warns(AccountingMismatch, match="not by Poisson") as caught:
            assert from_opacus(training.engine) == check.run
        assert caught[0].filename == __file__


def test_our_accountant_accounts_for_what_was_run(tmp_path):
    with pytest.warns(AccountingMismatch, match="not by Poisson"):
        training = Training("gdpnum", poisson_sampling=False)
    training.epochs(1)
    accountant = training.engine.accountant
    assert training.engine.get_epsilon(1e-5) == pytest.approx(4.377, abs=1e-3)
    assert accountant.get_mu_and_regret()[0] == pytest.approx(1.0, rel=1e-9)
    assert "in a fixed order" in gdpnum.statement(accountant).stated.batches
    with pytest.raises(gdpnum.UnsupportedMechanism, match="no Poisson samples"):
        accountant.get_pld()
    # A checkpoint keeps it, for whoever reads it and for whoever goes on.
    path = training.saved(tmp_path / "checkpoint.pt")
    assert named(check_engine(path)) == ["sampler"]
    assert check_engine(path).run == accountant.run
    assert json.loads(json.dumps(accountant.state_dict()))["seen"]["draws"]["scheme"] == "ordered"
    with pytest.warns(AccountingMismatch, match="not by Poisson"):
        again = Training("gdpnum", poisson_sampling=False)
    again.loaded(path).epochs(1)
    assert again.engine.accountant.get_mu_and_regret()[0] == pytest.approx(math.sqrt(2), rel=1e-9)


def test_going_on_with_other_batches_earns_no_credit_for_sampling(tmp_path):
    with pytest.warns(AccountingMismatch, match="not by Poisson"):
        first = Training("gdpnum", poisson_sampling=False)
    path = first.epochs(1).saved(tmp_path / "checkpoint.pt")
    second = Training("gdpnum").loaded(path).epochs(1)
    assert second.engine.accountant.get_mu_and_regret()[0] == pytest.approx(
        math.sqrt(len(second.engine.accountant)), rel=1e-9
    )


def test_an_epoch_begun_is_an_epoch_and_the_least_noise_counts():
    training = made(poisson_sampling=False)
    training.optimizer.noise_multiplier = 2.0
    training.epochs(1)
    for number, (x, y) in enumerate(training.loader):
        if number == 4:
            training.optimizer.noise_multiplier = 1.0
        training.batch(x, y)
    assert fit_gdp(checked(training)).mu == pytest.approx(math.sqrt(0.25 + 1.0), rel=1e-9)


def test_a_plain_loader_in_the_place_of_the_private_one_is_what_was_run():
    training = made()
    plain = DataLoader(dataset(), batch_size=BATCH, shuffle=True)
    for x, y in plain:
        training.batch(x, y)
    check = check_engine(training.engine, plain)
    assert named(check) == ["sampler"]
    assert fit_gdp(check).mu == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "one_in"),
    [([1.0] * RECORDS, RECORDS), ([3.0] + [1.0] * (RECORDS - 1), (RECORDS + 2) // 3)],
)
def test_weights_are_accounted_for_by_the_likeliest_record(weights, one_in):
    loader = DataLoader(
        dataset(), batch_size=BATCH, sampler=WeightedRandomSampler(weights, RECORDS)
    )
    training = made(loader=loader, poisson_sampling=False, noise_multiplier=4.0).epochs(1)
    check = checked(training)
    assert named(check) == ["sampler"]
    assert "WeightedRandomSampler, with replacement" in check.findings[0].text
    noise = Gaussian(sigma=4.0, neighbouring="zero_out")
    assert check.run == 10 * FixedSize(
        noise, batch_size=BATCH, dataset_size=one_in, with_replacement=True
    )
    # To be drawn at all is one attack; the bound is above it, and above what Opacus says.
    chance = max(weights) / sum(weights)
    drawn = DPSGD(noise_multiplier=4.0, sample_rate=1 - (1 - chance) ** BATCH, steps=10)
    assert fit_gdp(check).mu >= fit_gdp(drawn).mu_lower
    assert tradeoff_curve(check).epsilon(1e-5) > training.engine.get_epsilon(1e-5)


def test_other_samplers_of_torch_are_what_they_are():
    def mu(sampler):
        training = made(
            loader=DataLoader(dataset(), batch_size=BATCH, sampler=sampler), poisson_sampling=False
        )
        return fit_gdp(checked(training.epochs(1))).mu

    once = WeightedRandomSampler([1.0, 2.0] * (RECORDS // 2), RECORDS, replacement=False)
    assert mu(once) == pytest.approx(1.0, rel=1e-9)
    assert mu(SubsetRandomSampler(range(50))) == pytest.approx(1.0, rel=1e-9)
    # A record listed twice can be in one batch twice.
    assert mu(SubsetRandomSampler([*range(50), 7])) == pytest.approx(2.0, rel=1e-9)
    assert mu(RandomSampler(range(RECORDS), num_samples=250)) == pytest.approx(2.0, rel=1e-9)


class ByLength(Sampler):
    def __len__(self):
        return RECORDS

    def __iter__(self):
        return iter(range(RECORDS - 1, -1, -1))


class Twice(BatchSampler):
    def __iter__(self):
        yield from super().__iter__()


@pytest.mark.parametrize(
    "drawn",
    [
        {"batch_size": BATCH, "sampler": ByLength()},
        {"batch_sampler": Twice(RandomSampler(range(RECORDS)), BATCH, False)},
    ],
)
def test_a_sampler_not_known_here_earns_no_credit(drawn):
    training = made(loader=DataLoader(dataset(), **drawn), poisson_sampling=False).epochs(1)
    check = checked(training)
    assert named(check) == ["sampler"]
    assert "not known here" in check.findings[0].text
    assert fit_gdp(check).mu == pytest.approx(math.sqrt(10), rel=1e-9)


def test_a_stream_of_records_earns_no_credit():
    class Stream(IterableDataset):
        def __iter__(self):
            yield from dataset()

    loader = DataLoader(Stream(), batch_size=BATCH)
    check = check_engine([(1.0, RATE, 10)], loader)
    assert fit_gdp(check).mu == pytest.approx(math.sqrt(10), rel=1e-9)
    with pytest.raises(gdpnum.InvalidType, match="batch_sampler"):
        check_engine([(1.0, 0.1, 1)], [1, 2])


# --- rates, workers, accumulation -----------------------------------------------------------------


def test_a_sampler_faster_than_its_record_is_accounted_for_by_its_own_rate():
    # Opacus records 1 / len(loader) = 1 / 50.
    sampler = UniformWithReplacementSampler(num_samples=RECORDS, sample_rate=0.1, steps=50)
    loader = DataLoader(dataset(), batch_sampler=sampler)
    training = made(loader=loader, poisson_sampling=False).epochs(1)
    assert training.engine.accountant.history == [(1.0, 0.02, 50)]
    check = checked(training)
    assert "rate" in named(check)
    assert check.run == DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=50)


def test_accumulated_poisson_batches_can_hold_a_record_several_times():
    training = made()
    training.model.allow_grad_accumulation()
    for number, (x, y) in enumerate(training.loader):
        torch.nn.functional.cross_entropy(training.model(x), y).backward()
        if number % 2:
            training.optimizer.step()
            training.optimizer.zero_grad()
    assert training.engine.accountant.history == [(1.0, 2 * RATE, 5)]
    check = checked(training)
    assert named(check) == ["accumulation"]
    ((step, count),) = check.run.parts
    assert (step.sigma, step.shifts, count) == (1.0, (0.0, 1.0, 2.0), 5)
    assert step.weights == pytest.approx([(1 - RATE) ** 2, 2 * RATE * (1 - RATE), RATE**2])
    epsilon = tradeoff_curve(check).epsilon(1e-5)
    assert epsilon > training.engine.get_epsilon(1e-5)
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    twice = pld.from_mixture_gaussian_mechanism(
        standard_deviation=1.0,
        sensitivities=[0.0, 1.0, 2.0],
        sampling_probs=[(1 - RATE) ** 2, 2 * RATE * (1 - RATE), RATE**2],
        value_discretization_interval=1e-3,
    ).self_compose(5)
    assert epsilon == pytest.approx(twice.get_epsilon_for_delta(1e-5), rel=2e-3)


def test_accumulated_batches_of_an_epoch_are_still_one_release_an_epoch():
    training = made(poisson_sampling=False)
    for number, (x, y) in enumerate(training.loader):
        torch.nn.functional.cross_entropy(training.model(x), y).backward()
        if number % 2:
            training.optimizer.step()
            training.optimizer.zero_grad()
    check = checked(training)
    assert named(check) == ["sampler", "accumulation"]
    assert fit_gdp(check).mu == pytest.approx(1.0, rel=1e-9)


WORKERS = """
    import json, sys, warnings
    import torch, opacus
    from opacus import PrivacyEngine
    from opacus.data_loader import DPDataLoader
    from opacus.distributed import DifferentiallyPrivateDistributedDataParallel as DPDDP
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
    import gdpnum

    warnings.simplefilter("ignore")
    rank, meeting = int(sys.argv[1]), sys.argv[2]
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=rank, world_size=2
    )
    found = {}
    for name in ("own", "everything", "padded"):
        records = 201 if name == "padded" else 200
        data = TensorDataset(torch.randn(records, 4), torch.randint(0, 2, (records,)))
        loader = DataLoader(data, batch_size=10, sampler=DistributedSampler(data))
        if name == "everything":
            loader = DPDataLoader(data, sample_rate=0.1, distributed=False)
        model = DPDDP(torch.nn.Linear(4, 2))
        engine = PrivacyEngine()
        model, optimizer, loader = engine.make_private(
            module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
            data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0,
            poisson_sampling=name == "own",
        )
        for step, (x, y) in enumerate(loader):
            if step == 3:
                break
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        check = gdpnum.check_engine(engine, loader, optimizer)
        found[name] = [
            [one.name for one in check.findings],
            repr(check.run),
            gdpnum.tradeoff_curve(check).epsilon(1e-5),
        ]
    if rank == 0:
        print(json.dumps(found))
    torch.distributed.destroy_process_group()
"""


def test_two_workers_share_the_dataset_or_are_found_not_to(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(WORKERS)]
    running = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meeting")], stdout=subprocess.PIPE, text=True
        )
        for rank in (0, 1)
    ]
    said = [one.communicate(timeout=300)[0] for one in running]
    assert [one.returncode for one in running] == [0, 0]
    found = json.loads(said[0])
    # Opacus's own sampler gives each worker its part.
    assert found["own"][:2] == [[], repr(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=3))]
    # Each draws from everything: in a step a record may be twice.
    names, _, epsilon = found["everything"]
    assert names == ["copies"]
    person = DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=3, records_per_person=2)
    assert epsilon == pytest.approx(tradeoff_curve(person).epsilon(1e-5), rel=1e-4)
    # 201 records for two workers: one is in the epoch twice.
    names, _, epsilon = found["padded"]
    assert names[:2] == ["sampler", "copies"]
    assert epsilon == pytest.approx(gdpnum.epsilon_from_mu(2.0, delta=1e-5), rel=1e-6)


# --- clipping -------------------------------------------------------------------------------------


def test_adaptive_clipping_is_accounted_for_with_its_count():
    training = made(clipping="adaptive", unclipped_num_std=1.0, **ADAPTIVE).epochs(1)
    assert isinstance(training.optimizer, AdaClipDPOptimizer)
    recorded = 1.0 if IS_1_6 else (1.0 - 1.0 / 4.0) ** -0.5
    assert training.engine.accountant.history == [(pytest.approx(recorded), RATE, 10)]
    check = checked(training)
    # Before 1.6 the history has the noise of the gradients alone, more than both have together.
    assert named(check) == ["batch size"] if IS_1_6 else ["clipping noise", "batch size"]
    ((step, count),) = check.run.parts
    assert step.inner.sigma == pytest.approx(1.0, rel=1e-12)
    assert (step.rate, count) == (RATE, 10)
    # That the private size of a batch is divided by, no number covers.
    assert check.findings[-1].effect == "uncovered"
    assert "not covered" in check.batches
    if not IS_1_6:
        assert tradeoff_curve(check).epsilon(1e-5) > training.engine.get_epsilon(1e-5) + 0.1


def test_the_count_moves_by_one_where_a_record_is_blanked_out():
    training = made(
        clipping="adaptive", unclipped_num_std=1.0, poisson_sampling=False, **ADAPTIVE
    ).epochs(1)
    check = checked(training)
    assert named(check) == ["sampler", "clipping noise"]
    # Gradients with noise (4/3)^0.5 and, exactly, a count with noise 1.
    assert fit_gdp(check).mu == pytest.approx(math.sqrt(0.75 + 1.0), rel=1e-9)


def test_ghost_adaptive_clipping_is_accounted_for_with_its_count():
    training = made(
        engine=PrivacyEngineAdaptiveClipping,
        noise_multiplier=0.5,
        grad_sample_mode="ghost",
        criterion=torch.nn.CrossEntropyLoss(),
        **ADAPTIVE,
    ).epochs(1)
    largest = max(sigma for sigma, _, _ in training.engine.accountant.history)
    assert largest == 0.5 if IS_1_6 else largest > 0.5
    check = check_engine(training.engine)
    assert named(check) == ["batch size"] if IS_1_6 else ["clipping noise", "batch size"]
    assert check.run == DPSGD(noise_multiplier=0.5, sample_rate=RATE, steps=10)
    if not IS_1_6:
        # Nobody has seen the noise that was asked for.
        lost = check_engine(SimpleNamespace(accountant=training.engine.accountant))
        assert lost.run == check.run
        bare = PrivacyEngineAdaptiveClipping()
        bare.accountant.history = training.engine.accountant.history
        assert fit_gdp(check_engine(bare, training.loader, training.optimizer)).mu == math.inf


# --- what is no worse for privacy -----------------------------------------------------------------


def test_an_expected_batch_size_that_is_rounded_down_is_told_and_harmless():
    loader = DataLoader(dataset(195), batch_size=BATCH)
    training = made(loader=loader).epochs(1)
    assert training.optimizer.expected_batch_size == 19
    check = checked(training)
    assert named(check) == ["expected batch size"]
    assert "19.5" in check.findings[0].text
    assert check.is_clean
    assert check.run == DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10)


def test_a_run_before_its_first_step_is_noticed():
    engine = PrivacyEngine(accountant="rdp")
    with pytest.warns(AccountingMismatch, match="no step is recorded") as caught:
        run = from_opacus(engine)
    assert caught[0].filename == __file__
    assert fit_gdp(run).mu == 0.0
