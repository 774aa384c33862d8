"""`botequim cup new` and `report`."""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path

from botequim import i18n
from botequim.cli.output import new_file, require_folder
from botequim.cli.progress import counting
from botequim.cli.stores import file_words, read_cup
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup import templates
from botequim.cup.bundle import write_bundle
from botequim.cup.config import Cup
from botequim.cup.paths import CupPaths
from botequim.cup.report import PRIVATE, PUBLIC, write_report
from botequim.cup.report.content import Content
from botequim.cup.report.documents import BUNDLE
from botequim.cup.report.grades import grades
from botequim.cup.report.private import Handout, names_without_address
from botequim.cup.rounds import stored_state
from botequim.cup.stages import SHORTEST_SECRET, commitment, is_guessable
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import _, _n
from botequim.storage.visibility import Visibility

# --- new --------------------------------------------------------------------------------


def run_new(arguments: argparse.Namespace) -> int:
    template = templates.find_template(arguments.template)
    if arguments.promise is not None and is_guessable(arguments.promise):
        raise InputError(
            msg(
                "the promised seed is too short, so it could be found from its digest; use at "
                "least {least} characters, not all the same, such as {fresh}",
                least=SHORTEST_SECRET,
                fresh=secrets.token_hex(16),
            )
        )
    text = templates.cup_file_text(
        template,
        name=arguments.name or "",
        seed=arguments.seed,
        commitment=commitment(arguments.promise) if arguments.promise is not None else None,
    )
    _write_new(arguments.file, text)
    print(_("Wrote {path}. Fill in the entrants, then run: botequim cup check {path}", path=arguments.file))
    return 0


def _write_new(path: Path, text: str) -> None:
    with new_file(path), path.open("x", encoding="utf-8") as file:
        file.write(text)


# --- the report -------------------------------------------------------------------------------------


def run_report(arguments: argparse.Namespace) -> int:
    cup = read_cup(arguments.file, arguments.store)
    handout = Handout.of(arguments.csv, arguments.mail_from, arguments.url, arguments.worksheet)
    handout.require_content(cup)
    # in a folder of its own, so that games that are not public do not get into a folder that is published
    name = "report-unrevealed" if arguments.unrevealed else "report"
    folder = arguments.to or CupPaths.of_cup(cup).folder / name
    with CupPaths.of_cup(cup).storage.open_results(check=True) as store:
        visibility = Visibility.of(store, CupPaths.of_cup(cup).storage, unrevealed=arguments.unrevealed)
        results = visibility.results()
        cup = without_withdrawn(cup, store, results)
        progress = stored_state(cup, store, results)
        if arguments.bundle is not None:
            _refuse_hidden(visibility, cup)
            if not arguments.bundle.resolve().is_relative_to(
                folder.resolve()
            ):  # the report creates its folder
                require_folder(arguments.bundle)
        with counting() as tell:
            content = write_report(
                cup,
                progress,
                store,
                folder,
                replays=arguments.replays,
                handout=handout,
                bundle=progress.over and not visibility.hides and not arguments.unrevealed,
                on_record=lambda n: tell(_n("{n} record", "{n} records", n)),
                on_replay=lambda n: tell(_n("{n} replay", "{n} replays", n)),
            )
        if arguments.bundle is not None:
            digest = write_bundle(cup, progress, store, arguments.bundle)
            bundles = {arguments.bundle: digest}
        else:
            bundles = {folder / PUBLIC / BUNDLE: content.bundle} if content.bundle else {}
    _print_report_paths(folder, bundles, json_wanted=arguments.json)
    if not arguments.json:
        _print_missing(content, handout)
    return 0


def _print_missing(content: Content, handout: Handout) -> None:
    """Say who has no grade, or gets no message."""
    ungraded = [content.cup.title(name) for name, grade in grades(content).items() if grade.value is None]
    if ungraded:
        print(_("No grade, because the formula has no value: {names}", names=", ".join(ungraded)))
    missing = names_without_address(content) if handout.sender is not None else []
    if missing:
        print(_("No message, because the address is missing or wrong: {names}", names=", ".join(missing)))


def _print_report_paths(folder: Path, bundles: dict[Path, str], *, json_wanted: bool) -> None:
    """Print where the report and the bundles are, and what to do with them."""
    public, private = folder / PUBLIC, folder / PRIVATE
    if json_wanted:
        result: dict[str, str] = {
            "report": str(public / "index.html"),
            "public": str(public),
            "private": str(private),
        }
        for path, digest in bundles.items():
            result |= {"bundle": str(path), "digest": digest}
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return
    print(_("The report is {path}", path=public / "index.html"))
    print(_("To publish it, upload this folder: {path}", path=public))
    print(_("Only for the organiser: {path}", path=private))
    for path, digest in bundles.items():
        print(_("The bundle {path} has the digest {digest}", path=path, digest=digest))
    for language in i18n.LANGUAGES:
        if (folder / language / PRIVATE).is_dir():
            print(
                _(
                    "{path} was written by an earlier version and contains private files; delete it",
                    path=folder / language,
                )
            )


def _refuse_hidden(visibility: Visibility, cup: Cup) -> None:
    if visibility.hides:
        raise InputError(
            msg(
                "{path}: some games are not revealed yet, and a bundle contains all of them; reveal "
                "them first, or make everything public: botequim cup open {words}",
                path=str(cup.path),
                words=file_words(cup),
            )
        )
