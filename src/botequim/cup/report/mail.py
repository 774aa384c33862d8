"""Feedback as e-mail messages in an mbox file, which a mail program or `formail` can send.

Botequim sends nothing itself. Names, titles and addresses come from students: no text of theirs can add a
header or a recipient.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.generator import BytesGenerator
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import localtime, make_msgid
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.sanitize import page_text

_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", re.ASCII
)
LONGEST_ADDRESS: Final = 254
POLICY: Final = SMTP.clone(linesep="\n", cte_type="7bit")


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to one person."""

    name: str
    email: str
    subject: str
    text: str
    page: str
    """An HTML page to attach."""


def is_address(text: str) -> bool:
    """Return whether this is one plain e-mail address."""
    return len(text) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(text) is not None


def sender_address(text: str) -> Address:
    """Return the sender: `ana@example.org` or `Ana Lima <ana@example.org>`. Raise InputError for others."""
    name, _, rest = text.rpartition("<")
    address = rest.removesuffix(">") if rest != text else text
    if not is_address(address) or not text.isprintable():
        raise InputError(
            msg(
                '"{text}" is not a sender of e-mail; write it like this: Ana Lima <ana@example.org>',
                text=text,
            )
        )
    return _address(name.strip().strip('"'), address)


def mailbox_text(letters: Iterable[Letter], sender: Address) -> str:
    """Return an mbox file with these messages. It is plain ASCII."""
    content = io.BytesIO()
    for letter in letters:
        message = _message(letter, sender)
        BytesGenerator(content, mangle_from_=True, policy=POLICY).flatten(message, unixfrom=True)
        content.write(b"\n")
    return content.getvalue().decode("ascii")


def _message(letter: Letter, sender: Address) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    message["From"] = sender
    message["To"] = _address(letter.name, letter.email)
    message["Subject"] = page_text(letter.subject)
    message["Date"] = localtime()
    message["Message-ID"] = make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text, cte="base64")
    message.add_attachment(letter.page, subtype="html", filename="feedback.html", cte="base64")
    return message


def _address(name: str, address: str) -> Address:
    try:
        return Address(display_name=page_text(name), addr_spec=address)
    except (ValueError, HeaderParseError) as error:
        raise InputError(msg('"{text}" is not an e-mail address', text=address)) from error
