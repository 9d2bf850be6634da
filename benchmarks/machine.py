"""The machine that a benchmark ran on, in one line."""

import os
import platform
from pathlib import Path


def machine() -> str:
    """Processor, cores, memory and system."""
    model = _first("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    memory = _first("/proc/meminfo", "MemTotal")
    parts = [model, f"{os.cpu_count()} cores"]
    if memory:
        parts.append(f"{int(memory.split()[0]) / 2**20:.0f} GB")
    return ", ".join([*parts, f"{platform.system()} {platform.release()}"])


def _first(path: str, key: str) -> str:
    """The value of the first line `key : value` of a file of /proc, if there is one."""
    file = Path(path)
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith(key)), "")
