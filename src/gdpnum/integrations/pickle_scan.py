"""A look at a pickle before it is loaded: what would exhaust stack, memory or patience is refused.

Loading runs in C, where a tuple nested fifty thousand deep overflows the stack as soon as it is
hashed, a memo place of a billion allocates for all the places before it, and dictionary keys that
are huge numbers may all have one hash. None of that is in a checkpoint, so it is refused.
"""

from __future__ import annotations

import io
import pickle
import pickletools

__all__ = ["MOST_BYTES", "end_of_pickle"]

#: More of a pickle than this is not read; the largest models need a few megabytes, tensors apart.
MOST_BYTES = 64 * 2**20

# Some four seconds of reading; a checkpoint has a few dozen for each tensor.
_MOST_INSTRUCTIONS = 2_000_000

# Tuples within tuples; a checkpoint has three or four.
_DEEPEST = 200

# Whole numbers of more than 64 bits; the state of a random generator has a few.
_MOST_HUGE_NUMBERS = 1000

_TUPLES = {"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"}
_GETS = {"GET", "BINGET", "LONG_BINGET"}
_PUTS = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}


def end_of_pickle(data: bytes, start: int = 0) -> int:
    """Where the pickle that starts there ends, once it is found harmless to load.

    Raises `pickle.UnpicklingError` or ValueError otherwise.
    """
    stream = io.BytesIO(data)
    stream.seek(start)
    # Of each value on the stack and in the memo: how deep its tuples nest. None is a mark.
    stack: list[int | None] = []
    memo: dict[object, int] = {}
    huge = 0
    for number, (code, argument, _) in enumerate(pickletools.genops(stream)):
        if number >= _MOST_INSTRUCTIONS:
            raise pickle.UnpicklingError(f"it has more than {_MOST_INSTRUCTIONS} instructions")
        if isinstance(argument, int) and argument.bit_length() > 64:
            huge += 1
            if huge > _MOST_HUGE_NUMBERS:
                raise pickle.UnpicklingError("it has too many numbers of more than 64 bits")
        if code.name in _PUTS:
            place = len(memo) if code.name == "MEMOIZE" else argument
            if isinstance(place, int) and place > number + 256:
                raise pickle.UnpicklingError(f"its memo has a place {place}, far beyond its end")
            memo[place] = (stack[-1] or 0) if stack else 0
            continue
        if code.name in _GETS:
            stack.append(memo.get(argument, 0))
            continue
        if code.name == "DUP":
            stack.append(stack[-1] if stack else 0)
            continue
        deepest = _popped(stack, code)
        if code.name in _TUPLES:
            if deepest >= _DEEPEST:
                raise pickle.UnpicklingError(f"it nests tuples more than {_DEEPEST} deep")
            stack.append(deepest + 1)
            continue
        stack += (None if one is pickletools.markobject else 0 for one in code.stack_after)
    return stream.tell()


def _popped(stack: list[int | None], code: pickletools.OpcodeInfo) -> int:
    """Take off the stack what an instruction takes; the deepest nesting in it."""
    deepest = 0
    before = code.stack_before
    if pickletools.markobject in before:
        while stack and (one := stack.pop()) is not None:
            deepest = max(deepest, one)
        # What is below the mark, such as the list that is extended.
        before = before[: before.index(pickletools.markobject)]
    for _ in before:
        deepest = max(deepest, (stack.pop() if stack else 0) or 0)
    return deepest
