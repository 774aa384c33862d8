"""Names of faults and of their evidence in the reader's language. What is stored stays in English."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.limits import LIMIT_NAMES, EnforcedLimit
from botequim.i18n import _, number, translate


def fault_name(kind: str) -> str:
    """Return the name of a kind of fault."""
    names = {
        "timeout": _("timed out"),
        "crash": _("crashed"),
        "malformed": _("invalid answer"),
        "illegal": _("illegal move"),
        "limit": _("limit exceeded"),
    }
    return names.get(kind, kind)


def evidence_name(key: str) -> str:
    """Return the name of a piece of evidence; an unknown key is its own name."""
    names = {
        "question": _("question"),
        "answer": _("answer"),
        "given": _("as parsed"),
        "refused": _("rejected move"),
        "stderr": _("its log"),
        "stderr_sha256": _("digest of its log"),
        "stdout": _("its output"),
        "exit": _("exit code"),
        "error": _("error"),
        "at": _("where"),
        "status": _("HTTP status"),
        "limit": _("limit"),
        "seconds": _("seconds used"),
        "allowed": _("seconds allowed"),
        "queued": _("seconds it waited for a processor"),
        "setup": _("seconds to start the container"),
        "listening": _("ports it listens on"),
        "port": _("expected port"),
    }
    return names.get(key, key)


def evidence_text(key: str, value: object) -> str:
    """Return the value of a piece of evidence as people read it."""
    if isinstance(value, float):
        return number(f"{value:g}")
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(map(str, value))
    if key == "limit" and isinstance(value, str) and value in list(EnforcedLimit):
        return translate(LIMIT_NAMES[EnforcedLimit(value)])
    return str(value)
