"""A checkpoint made to do harm is refused in a moment, and an honest one is still read."""

import io
import pickle
import subprocess
import sys
import zipfile

import pytest

from gdpnum import InvalidArgument, from_opacus
from gdpnum.integrations.opacus_checkpoint import KEY, MOST_BYTES, checkpoint_state

STATE = {"history": [(1.0, 0.01, 10), (2.0, 0.01, 5)], "mechanism": "rdp"}


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", data)
    file.seek(0)
    return file


def as_key(tuples):
    """A dict whose one key is built by some instructions: EMPTY_DICT key NONE SETITEM STOP."""
    return b"\x80\x02}" + tuples + b"Ns."


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_honest_state_is_read_at_every_protocol(protocol):
    data = pickle.dumps({KEY: STATE, "nested": [((1, (2,)), [{}]), {1, 2}, b"x" * 300]}, protocol)
    assert checkpoint_state(zipped(data)) == STATE
    # Before torch 1.6: pickles in a row, then the tensors.
    row = b"".join(pickle.dumps(one, protocol) for one in (2**80, 1001, {})) + data + b"\xff" * 99
    assert checkpoint_state(io.BytesIO(row)) == STATE


DEEP = b")" + b"\x85" * 300_000
BY_MEMO = b")q\x00" + b"0h\x00\x85q\x00" * 100_000 + b"0h\x00"

HOSTILE = {
    "a tuple 300,000 deep": as_key(DEEP),
    "a tuple as deep by way of the memo": as_key(BY_MEMO),
    "a tuple as deep by marks": as_key(b"(" * 100_000 + b"t" * 100_000),
    "a tuple doubled and nested": as_key(b")" + b"2\x86" * 100_000),
    "a memo place of two billion": b"\x80\x02Nr\xff\xff\xff\x7f.",
    "bytes that are not there": b"\x80\x04\x8e" + (2**40).to_bytes(8, "little") + b"x.",
    "keys that all hash alike": as_key(
        b"".join(
            b"\x8a\x0b" + (number * (2**61 - 1)).to_bytes(11, "little") + b"Ns"
            for number in range(10, 2000)
        )
        + b"N"
    ),
    "ten thousand names": b"\x80\x02" + b"".join(b"ca\n%d\n0" % n for n in range(10_000)) + b"N.",
    "three million instructions": b"\x80\x02" + b"N0" * 1_500_000 + b"N.",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pickle_is_refused(data):
    for file in (zipped(data), io.BytesIO(data)):
        with pytest.raises(InvalidArgument, match="pass a file that PrivacyEngine"):
            checkpoint_state(file)


def test_a_deep_tuple_in_the_state_is_no_more_than_a_wrong_entry():
    nested = b"\x80\x02}X\x07\x00\x00\x00history](" + DEEP + b"es"
    state = b"}X\x1d\x00\x00\x00" + KEY.encode() + nested[2:] + b"s."
    with pytest.raises(InvalidArgument, match="is not \\(noise_multiplier"):
        from_opacus(zipped(b"\x80\x02" + state))


def test_text_that_is_turned_into_bytes_time_and_again_takes_no_memory(three_gigabytes):
    """Thirty megabytes by a hundred and twenty calls."""
    text = b"X" + (30 * 2**20).to_bytes(4, "little") + b"a" * (30 * 2**20)
    calls = text + b"q\x00c_codecs\nencode\nq\x01" + b"h\x01h\x00\x85R" * 120
    with pytest.raises(InvalidArgument, match="holds no"):
        checkpoint_state(zipped(b"\x80\x02" + calls + b"."))


def test_the_deep_tuple_would_end_python():
    """The attack is one: loaded by pickle, the same bytes end the process by a signal."""
    program = "import pickle, sys; pickle.loads(sys.stdin.buffer.read())"
    data = as_key(b")" + b"\x85" * 3_000_000)
    done = subprocess.run([sys.executable, "-c", program], input=data, check=False)
    assert done.returncode < 0


def test_an_archive_that_unpacks_to_too_much_is_refused():
    bomb = zipped(b"\x00" * (MOST_BYTES + 1))
    assert len(bomb.getvalue()) < 0.01 * MOST_BYTES
    with pytest.raises(InvalidArgument, match="more than 67108864 bytes"):
        checkpoint_state(bomb)
