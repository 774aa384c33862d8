"""The address of a scheduler: ``tls://HOST:PORT``, or ``tcp://HOST:PORT`` without encryption on one machine.

Whoever reaches a scheduler can let it run any program. So an address without encryption is only allowed for
the loopback interface, and an address with encryption needs credentials.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg

if TYPE_CHECKING:
    from distributed.security import Security

    from botequim.cluster.credentials import Credentials

DEFAULT_PORT: Final = 8786
TLS: Final = "tls"
TCP: Final = "tcp"
HIGHEST_PORT: Final = 65535
ADDRESS: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?"
    r"(?:\[(?P<bracketed>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9_.-]+))(?::(?P<port>[0-9]{1,6}))?/?"
)


def require_safe_address(address: str, credentials: Credentials | None, *, listen: bool = False) -> str:
    """Return an address with its scheme and port. Raise InputError if it is not an address, or if strangers
    could connect to it.

    Without a scheme it is ``tls`` if there are credentials, otherwise ``tcp``. Port 0, which lets the system
    choose a port, is only for a server that will `listen` there.
    """
    scheme, host, port = _parts(address, lowest=0 if listen else 1)
    if not scheme:
        scheme = TCP if credentials is None else TLS
    if scheme == TLS and credentials is None:
        raise InputError(_without_credentials(address))
    if scheme == TCP and not is_loopback(host):
        raise InputError(_without_encryption(host, credentials))
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def security_for(address: str, credentials: Credentials | None) -> Security | None:
    """Return what Dask needs to use an address that `require_safe_address` returned; None for ``tcp``."""
    if credentials is None or not address.startswith(f"{TLS}://"):
        return None
    return credentials.security()


def listening_host(address: str) -> str | None:
    """Return where a member of the cluster with this address may listen, as Dask writes it; None for all
    interfaces.

    Without encryption that is the loopback interface, as for the scheduler itself.
    """
    scheme, host, _ = _parts(address, lowest=0)
    if scheme == TLS:
        return None
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's loopback interface."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _parts(address: str, *, lowest: int) -> tuple[str, str, int]:
    """Return the scheme (or an empty text), host and port of an address."""
    scheme, host, port = "", address, ""
    if not _is_ipv6(address):  # an IPv6 address without brackets would look like HOST:PORT
        match = ADDRESS.fullmatch(address)
        if match is None or (match["bracketed"] and not _is_ipv6(match["bracketed"])):
            raise InputError(_not_an_address(address))
        scheme, host = (match["scheme"] or "").lower(), match["bracketed"] or match["host"]
        port = match["port"] or ""
    if scheme not in ("", TLS, TCP):
        raise InputError(
            msg(
                '"{address}": the address of a scheduler begins with tls:// (or tcp:// on one machine), not '
                "{scheme}://",
                address=address,
                scheme=scheme,
            )
        )
    number = int(port) if port else DEFAULT_PORT
    if not lowest <= number <= HIGHEST_PORT:
        raise InputError(msg("there is no port {port}: ports are 1 to 65535", port=port))
    return scheme, host, number


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6 and "%" not in text
    except ValueError:
        return False


def _not_an_address(address: str) -> Message:
    return msg(
        '"{address}" is not the address of a scheduler; write tls://HOST:PORT, for example tls://lab-1:8786',
        address=address,
    )


def _without_credentials(address: str) -> Message:
    return msg(
        "{address} needs a key file, and there is none: give --key-file FILE, set BOTEQUIM_CLUSTER_KEY or "
        "put the file at ~/.config/botequim/cluster.pem. `botequim cluster create NAME` creates one",
        address=address,
    )


def _without_encryption(host: str, credentials: Credentials | None) -> Message:
    if credentials is not None:
        return msg("write tls://{host}: without encryption only this machine can be used", host=host)
    return msg(
        "{host} is not this machine alone, so its connections must be encrypted. Create a key file with "
        "`botequim cluster create NAME`, copy it to every machine, and give it with --key-file",
        host=host,
    )
