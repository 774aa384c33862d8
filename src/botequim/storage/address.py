"""The address of a store in a database: a URL, and the id of a cup in it.

An address never contains a password: arguments, cup files, logs and messages are read by others. A password
comes from where libpq looks for it: ``~/.pgpass``, ``PGPASSFILE`` or ``PGPASSWORD``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg

SCHEMES: Final = ("postgresql", "postgres")
CUP: Final = "cup"
"""The parameter of a URL that has the id of a cup; it is ours, all others are for libpq."""
SECRETS: Final = ("password", "sslpassword")
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
        parts = _split(text)
        if parts.scheme not in SCHEMES:
            raise InputError(
                msg(
                    '"{url}" is not the address of a store: it must begin with postgresql://, for example '
                    "postgresql://host/database",
                    url=without_password(text),
                )
            )
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        if parts.password is not None or any(name in SECRETS for name, _ in pairs):
            raise InputError(_password_refused(text))
        cup = dict(pairs).get(CUP, "")
        query = urlencode([pair for pair in pairs if pair[0] != CUP], quote_via=quote)
        return cls(_url(parts, query), checked_id(cup) if cup else "")

    def with_default(self, cup: str) -> StoreAddress:
        """Return the address of this cup, unless it is that of a cup already."""
        return self if self.cup else replace(self, cup=checked_id(cup))

    def __str__(self) -> str:
        if not self.cup:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}{CUP}={quote(self.cup)}"


def is_address(text: str) -> bool:
    """Return whether a text is meant as a URL, and not as the path of a file."""
    return "://" in text


def checked_id(cup: str) -> str:
    """Return the id of a cup if it can be one."""
    if not cup.isprintable() or not cup.strip() or len(cup) > LONGEST_ID:
        raise InputError(msg("the id of a cup has 1 to {most} visible characters", most=LONGEST_ID))
    return cup


def without_password(text: str) -> str:
    """Return a URL as it may be shown."""
    try:
        parts = urlsplit(text)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return "..."
    user, at, host = parts.netloc.rpartition("@")
    parts = parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}")
    query = parts.query
    if any(name in SECRETS for name, _ in pairs):
        query = urlencode([pair for pair in pairs if pair[0] not in SECRETS], quote_via=quote)
    return _url(parts, query)


def _url(parts: SplitResult, query: str) -> str:
    """Return a URL; that of `urllib` has no slashes if there is no host."""
    address = f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.scheme else parts.path
    return f"{address}?{query}" if query else address


def _split(text: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError as error:
        raise InputError(msg("the address of the store is not a URL: {why}", why=str(error))) from error


def _password_refused(text: str) -> Message:
    return msg(
        "{url}: the address of a store must not contain a password, because others can read arguments, cup "
        "files and logs. Put the password into ~/.pgpass (host:port:database:user:password, mode 600) or "
        "into the variable PGPASSWORD",
        url=without_password(text),
    )
