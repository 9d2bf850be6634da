import json
from dataclasses import replace

import pytest

import gdpnum
from gdpnum.statements import TPRRow, statement
from tests.statements.settings import SETTINGS


@pytest.mark.parametrize("name", SETTINGS)
def test_what_the_library_states_it_verifies(stated, name):
    found = gdpnum.verify(stated(name).to_json())
    assert found
    assert "Every number holds" in str(found)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-2])
def test_another_tolerance_is_no_contradiction(tolerance):
    run = gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.05, steps=100)
    found = statement(run, tolerance=tolerance)
    assert gdpnum.verify(replace(found, tolerance=1e-3)).holds == (tolerance <= 1e-2)


def other_run(found, **changes):
    """The statement with the numbers of a run with more noise: consistent, and false."""
    better = statement(gdpnum.DPSGD(noise_multiplier=2.2, sample_rate=0.05, steps=100))
    return replace(better, run=found.run, **changes)


def test_a_statement_with_the_numbers_of_another_run_is_refuted():
    found = statement(gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.05, steps=100))
    forged = other_run(found)
    # Nothing in it contradicts itself.
    document = json.loads(forged.to_json())
    result = gdpnum.verify(json.dumps(document))
    assert not result
    failed = {one.name for one in result.findings if not one.holds}
    assert {"mu", "advantage"} <= failed
    assert any(name.startswith("epsilon at delta") for name in failed)
    assert any(name.startswith("TPR at FPR") for name in failed)
    assert "FAILS" in str(result)
    assert f"{len(failed)} of {len(result.findings)} numbers claim more privacy" in " ".join(
        str(result).split()
    )


@pytest.mark.parametrize("field", ["mu", "advantage", "regret"])
def test_a_number_that_claims_more_is_found(stated, field):
    found = stated("laplace")
    forged = replace(found, **{field: 0.9 * getattr(found, field)})
    failed = [one.name for one in gdpnum.verify(forged).findings if not one.holds]
    assert failed == [field]


def test_a_tpr_that_claims_more_is_found(stated):
    found = stated("laplace")
    rows = (TPRRow(found.tpr[0].fpr, 0.9 * found.tpr[0].tpr, found.tpr[0].tpr_gdp), *found.tpr[1:])
    assert [one.holds for one in gdpnum.verify(replace(found, tpr=rows)).findings].count(False) == 1


@pytest.mark.parametrize("place", [0, 5, -20])
def test_a_point_of_the_curve_that_claims_more_is_found(place):
    """Also where no row of the table is: the chart is drawn from it (seed 55 of the attack)."""
    run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100) + gdpnum.ApproxDP(
        epsilon=0.1, delta=1e-6
    )
    found = statement(run, slack=1e-5, fprs=[])
    points = found.curve_points
    tprs = list(points.tpr)
    tprs[place] *= 0.98
    forged = replace(found, curve_points=points._replace(tpr=tuple(tprs)))
    failed = [one.name for one in gdpnum.verify(forged).findings if not one.holds]
    assert len(failed) == 1
    assert failed[0].startswith("curve, TPR at FPR")


def test_a_looser_number_still_holds(stated):
    found = stated("laplace")
    assert gdpnum.verify(replace(found, mu=1.5 * found.mu, regret=0.2))


def test_only_a_statement_is_verified():
    with pytest.raises(gdpnum.InvalidType, match="found=3 is of type int"):
        gdpnum.verify(3)
    with pytest.raises(gdpnum.InvalidArgument, match="text is not a statement"):
        gdpnum.verify("{}")
