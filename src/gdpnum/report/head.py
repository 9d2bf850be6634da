"""The head of a self-contained page: what it may load, how it looks, who made it."""

from __future__ import annotations

import base64
import hashlib

from gdpnum.report.markup import escaped

__all__ = ["content_hash", "head"]


def head(*, title: str, style: str, policy: str, version: str) -> str:
    """The doctype and head of a page that loads nothing but what its policy names."""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="gdpnum {escaped(version)}">
<title>{escaped(title)}</title>
<style>{style}</style>
</head>"""


def content_hash(content: str) -> str:
    """The name of an inline style or script in a Content-Security-Policy."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
