"""The texts of argparse itself, marked so that our catalogues contain them."""

from __future__ import annotations

from botequim.core.messages import Message, msg

WORDS: tuple[Message, ...] = (
    msg("usage: "),
    msg("options"),
    msg("positional arguments"),
    msg("show this help message and exit"),
    msg("%(prog)s: error: %(message)s\n"),
    msg("%(heading)s:"),
    msg("argument %(argument_name)s: %(message)s"),
    msg("ambiguous option: %(option)s could match %(matches)s"),
    msg("expected at least one argument"),
    msg("expected at most one argument"),
    msg("expected one argument"),
    msg("ignored explicit argument %r"),
    msg("invalid %(type)s value: %(value)r"),
    msg("not allowed with argument %s"),
    msg("one of the arguments %s is required"),
    msg("the following arguments are required: %s"),
    msg("unrecognized arguments: %s"),
)
