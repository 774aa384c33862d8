"""`botequim cluster create`: the files with which machines recognise each other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from botequim.cluster.extra import require_cluster_extra
from botequim.i18n import _


def run_create(arguments: argparse.Namespace) -> int:
    """Write the key file, and the CA if it is new, and say what they are for."""
    require_cluster_extra()
    from botequim.cluster.authority import create_cluster

    files = create_cluster(Path(), arguments.name, days=arguments.days, authority=arguments.ca)
    if arguments.json:
        result = {
            "key_file": str(files.key_file),
            "ca": str(files.authority) if files.authority else None,
            "expires": files.expires.isoformat(),
        }
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    print(
        _(
            "{path}: the key file, valid until {date}. Copy it to every machine of the cluster, mode 600.",
            path=str(files.key_file),
            date=f"{files.expires:%Y-%m-%d}",
        )
    )
    if files.authority:
        print(
            _(
                "{path}: the CA. No machine needs it; keep it in a safe place, to create further key files.",
                path=str(files.authority),
            )
        )
    print(_("Whoever has one of these files can run programs on all machines of the cluster."))
    return 0
