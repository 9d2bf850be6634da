"""Ctrl-C for a child, also where the tests themselves run in the background and ignore it."""

import signal
import subprocess


def interruptible(command, **named):
    """The command as a process of its own group that takes SIGINT as one in a terminal does."""
    return subprocess.Popen(
        command,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  (no threads)
        **named,
    )
