"""The address of a store in a database: a URL, and the id of a cup in it.

An address never contains a password: arguments, cup files, logs and messages are read by others. A password
comes from where libpq looks for it: ``~/.pgpass``, ``PGPASSFILE`` or ``PGPASSWORD``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg

SCHEMES: Final = ("postgresql", "postgres")
CUP: Final = "cup"
"""The parameter of a URL that has the id of a cup; it is ours, all others are for libpq."""
SECRETS: Final = ("password", "sslpassword")
URL: Final = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:(?P<user>[^:@/?#]*)(?P<password>:[^@/?#]*)?@)?"
    r"(?P<place>(?:\[[^\]@/?#]*\]|[^\[\]@/?#])*(?:/[^@?#]*)?)(?:\?(?P<query>[^@#]*))?"
)
"""The only form of a URL that is accepted, or repeated in a message. Other programs read other forms in other
ways, and might find a password where this one does not."""
LONGEST_ID: Final = 100


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where the stores of a cup are, if they are not in its folder."""

    url: str
    """As libpq takes it."""
    cup: str = ""
    """The id of the cup; by default the name of the cup file, without its suffix."""

    @classmethod
    def parse(cls, text: str) -> StoreAddress:
        """Return the address that a URL contains; raise InputError if it is not one, or has a password."""
        url = URL.fullmatch(text)
        if not text.startswith(tuple(f"{scheme}://" for scheme in SCHEMES)):
            raise InputError(
                msg(
                    '"{url}" is not the address of a store: it must begin with postgresql://, for example '
                    "postgresql://host/database",
                    url=without_password(text),
                )
            )
        if url is None:
            raise InputError(_not_understood())
        pairs = _query(url)
        if (
            url["password"] is not None
            or ":" in unquote(url["user"] or "")
            or any(name in SECRETS for name, _ in pairs)
        ):
            raise InputError(_password_refused(text))
        cup = dict(pairs).get(CUP, "")
        return cls(_url(url, [pair for pair in pairs if pair[0] != CUP]), checked_id(cup) if cup else "")

    def with_default(self, cup: str) -> StoreAddress:
        """Return the address of this cup, unless it is that of a cup already."""
        return self if self.cup else replace(self, cup=checked_id(cup))

    def __str__(self) -> str:
        if not self.cup:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}{CUP}={quote(self.cup)}"


def is_address(text: str) -> bool:
    """Return whether a text is meant as a URL, and not as the path of a file."""
    return "://" in text or text.startswith(tuple(f"{scheme}:" for scheme in SCHEMES))


def checked_id(cup: str) -> str:
    """Return the id of a cup if it can be one."""
    if not cup.isprintable() or not cup.strip() or len(cup) > LONGEST_ID:
        raise InputError(msg("the id of a cup has 1 to {most} visible characters", most=LONGEST_ID))
    return cup


def without_password(text: str) -> str:
    """Return a URL as it may be shown: nothing of it if it might contain a password elsewhere."""
    url = URL.fullmatch(text)
    if url is None or ":" in unquote(url["user"] or ""):
        return "..."
    return _url(url, [pair for pair in _query(url) if pair[0] not in SECRETS])


def _query(url: re.Match[str]) -> list[tuple[str, str]]:
    return parse_qsl(url["query"] or "", keep_blank_values=True)


def _url(url: re.Match[str], pairs: list[tuple[str, str]]) -> str:
    """Return the URL without a password, and with this query."""
    user = "" if url["user"] is None else url["user"] + "@"
    query = urlencode(pairs, quote_via=quote)
    return f"{url['scheme']}://{user}{url['place']}" + (f"?{query}" if query else "")


def _not_understood() -> Message:
    return msg(
        "the address of the store is not understood; it must have the form "
        "postgresql://user@host:port/database?name=value. Write @ as %40, / as %2F and # as %23 in names; "
        "an address contains no password"
    )


def _password_refused(text: str) -> Message:
    return msg(
        "{url}: the address of a store must not contain a password, because others can read arguments, cup "
        "files and logs. Put the password into ~/.pgpass (host:port:database:user:password, mode 600) or "
        "into the variable PGPASSWORD",
        url=without_password(text),
    )
