"""The words of an error, in those of the command line.

The library names its arguments; whoever typed ``--sample-rate 1.5`` is told of that, and never of
an argument that the command does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# Advice to pass what no command takes.
_STRANGERS = re.compile(r",? or a grid_step of at least [\d.e+-]+| or grid_step\b")


def in_options(message: str, *, options: Mapping[str, str], typed: Iterable[str]) -> str:
    """The message with options in place of arguments.

    ``options`` has the spelling of each argument that the command takes; those that were ``typed``
    are named wherever the message shows a value.

    >>> in_options("slack=2.0 is outside [0, 1)", options={"slack": "--slack"}, typed=["slack"])
    '--slack=2.0 is outside [0, 1)'
    """
    if message.startswith("settings["):
        return message  # of a file, which has keys
    message = _STRANGERS.sub("", message)
    for argument in typed:
        # The library says deltas where several are typed as --delta.
        value = rf"(?<![\w.-]){argument}(?:s?\[\d+\])?(?==)|^{argument}(?= holds )"
        message = re.sub(value, options[argument], message)
    for argument, option in options.items():
        if "_" in argument:
            message = re.sub(rf"(?<![\w.'-]){argument}\b(?!=)", option, message)
        else:
            advice = rf"\b(a larger|a smaller|a positive) {argument}\b"
            message = re.sub(advice, rf"\1 {option}", message)
    return message
