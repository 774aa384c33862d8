"""Collects the bots of a cup from one source. Every import is added to what is there already.

Nothing that was handed in is lost: a broken or refused submission is kept too, and the one before it still
plays. What cannot be used is left out with the reason, and everything else is imported. The cup file is
written last, so it never names a bot that the history does not know.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from botequim.bots.tree_files import remove_tree
from botequim.core.messages import Message, msg
from botequim.cup.collecting import dates
from botequim.cup.collecting.class_list import ClassList, ListedPerson, read_class_list
from botequim.cup.collecting.cup_file import CupFile, open_cup_file
from botequim.cup.collecting.files import (
    BOT,
    HandedIn,
    keep_copy,
    place_bot,
    submissions_folder,
    take_in,
)
from botequim.cup.collecting.history import (
    ACCEPTED,
    HistoryLine,
    Past,
    SubmissionState,
    read_history,
    write_history,
)
from botequim.cup.collecting.matching import Candidate, find_candidates, match_person
from botequim.cup.collecting.roster import missing_people, people_after
from botequim.cup.collecting.sources import find_submissions
from botequim.cup.collecting.submissions import Submission
from botequim.cup.collecting.values import Collection, ImportRequest, NameSource, Outcome
from botequim.cup.config import Entry
from botequim.cup.importing import BOTS, LeftOut, slug, unique_name
from botequim.cup.people import people_path, read_people, write_people

LARGEST_GROUP: Final = 10
"""More people than these share no bot."""


def collect_bots(
    request: ImportRequest,
    workshop: Path,
    introduce: Callable[[Path], str] = lambda bot: "",
    on_submission: Callable[[int, int], None] = lambda number, total: None,
) -> Collection:
    """Import a source. `introduce` returns the name that the bot in a folder gives itself, or "".

    `on_submission` is called before each submission, with its number and their total.
    """
    cup = open_cup_file(
        request.cup_file, request.template, name=request.name, most_authors=request.most_authors
    )
    known = _known_people(request)
    source = find_submissions(request.source, workshop)
    candidates, notes = find_candidates(source.submissions, known.people)
    fitting, large = _with_few_people(candidates, cup.most_authors)
    work = _Import(request, cup, workshop, introduce, source.name)
    outcomes = []
    for number, candidate in enumerate(fitting, start=1):
        on_submission(number, len(fitting))
        outcomes.append(work.outcome(candidate))
    added = [one.entry for one in outcomes if one.entry is not None]
    authors = [(person, one.line.entrant) for one in outcomes for person in one.people]
    people = people_after(request.cup_file, known.people, authors)
    write_history(request.cup_file, [*work.history, *(one.line for one in outcomes)])
    if people or people_path(request.cup_file).exists():
        write_people(request.cup_file, people)
    return Collection(
        work.write_cup_file(outcomes),
        tuple(_with_same_files(outcomes)),
        tuple(added),
        (*source.left_out, *known.problems, *large),
        (*known.notes, *notes) if request.class_list is not None else (),
        tuple(missing_people(people, authors)),
        any(one.line.late and one.line.state in (*ACCEPTED, SubmissionState.REFUSED) for one in outcomes)
        and not any(listed.submitted for listed in known.people),
    )


def _known_people(request: ImportRequest) -> ClassList:
    """Return the class list; if none is given, the people of the imports before."""
    if request.class_list is not None:
        return read_class_list(request.class_list, largest_group=LARGEST_GROUP)
    people = {replace(person, entrant=""): person for person in read_people(request.cup_file)}
    where = people_path(request.cup_file).name
    return ClassList(tuple(ListedPerson(person, where) for person in people))


def _with_few_people(
    candidates: Sequence[Candidate], most: int | None
) -> tuple[list[Candidate], list[LeftOut]]:
    """Return the candidates that a cup accepts, and those with too many people."""
    fitting: list[Candidate] = []
    left_out: list[LeftOut] = []
    for one in candidates:
        names = [person.name or person.id for person in one.people] or list(one.submissions[0].authors)
        if most is None or len(names) <= most:
            fitting.append(one)
            continue
        why = msg(
            "there are {found} authors ({names}), but at most {most} are allowed: see --most-authors",
            found=len(names),
            names=", ".join(names),
            most=most,
        )
        left_out.append(LeftOut(one.folder_name, why, one.submissions[0].where))
    return fitting, left_out


# --- one import --------------------------------------------------------------------------------------


@dataclass
class _Import:
    request: ImportRequest
    cup: CupFile
    workshop: Path
    introduce: Callable[[Path], str]
    source: str
    history: tuple[HistoryLine, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.history = read_history(self.request.cup_file)
        self.entrant_people = [one for one in read_people(self.request.cup_file) if one.entrant]
        self.time = dates.now().isoformat()
        self.taken = {*self.cup.names, *(line.entrant for line in self.history if line.entrant)}
        bots = [Path(str(one.get("bot", ""))) for one in self.cup.entrants]
        self.folders = {Path(line.files).parent.name for line in self.history if line.digest}
        self.folders |= {name for path in bots for name in path.parts}

    def outcome(self, candidate: Candidate) -> Outcome:
        """Keep what was handed in, and decide whether it plays."""
        past = self._past(candidate)
        if not candidate.submissions[0].contents:
            return self._repository_outcome(candidate, past)
        room = Path(tempfile.mkdtemp(dir=self.workshop))
        try:
            return self._files_outcome(candidate, past, room)
        finally:
            remove_tree(room)

    def _files_outcome(self, candidate: Candidate, past: Past, room: Path) -> Outcome:
        handed_in, submission, notes = self._newest(candidate, room)
        submitted = candidate.submitted or submission.submitted
        state, late = self._state(handed_in, submitted, past)
        line = self._line(candidate, past, state, late=late, submitted=submitted, digest=handed_in.digest)
        if state in ACCEPTED and not line.entrant:
            line = replace(line, entrant=self._new_name(candidate, handed_in.bot))
        folder = self._folder(line.entrant, candidate, past)
        line = self._kept_line(line, handed_in, folder, past)
        entry = None
        lost = state is SubmissionState.UNCHANGED and not (folder / BOT).exists()
        if handed_in.bot is not None and (lost or state in ACCEPTED):
            place_bot(handed_in.bot, folder)
        if self._may_enter(state):
            numbers = _public_numbers(candidate)
            entry = self._new_entry(
                Entry(line.entrant, self._relative(folder / BOT), students=numbers), state
            )
        notes += self._removal_notes(line, entry) + _age_notes(line, past)
        problem = handed_in.problem if state is SubmissionState.BROKEN else None
        line = replace(line, note=str(problem or ""))
        return Outcome(line, candidate.people, _title(line, candidate), problem, notes, entry)

    def _kept_line(self, line: HistoryLine, handed_in: HandedIn, folder: Path, past: Past) -> HistoryLine:
        """Keep a copy in the folder, unless the same one is there; return the line with its place."""
        before = past.playing if line.state is SubmissionState.UNCHANGED else past.last
        if line.state is SubmissionState.OLDER:
            before = past.earlier(line.digest)
        if before is not None and before.digest == line.digest:
            stays = line.state not in ACCEPTED or self._place(before).parent == folder
            if stays:
                return replace(line, number=before.number, files=before.files)
        kept = keep_copy(handed_in, folder, past.next_number)
        return replace(line, number=int(kept.name), files=self._relative(kept))

    def _newest(self, candidate: Candidate, room: Path) -> tuple[HandedIn, Submission, tuple[Message, ...]]:
        """Return the newest submission of a group with a bot; if none has one, the newest."""
        found = [
            (take_in(one.label, one.contents, self.cup.game, room), one) for one in candidate.submissions
        ]
        with_bot = [pair for pair in found if pair[0].bot is not None] or found
        earliest = datetime.min.replace(tzinfo=dates.now().tzinfo)
        handed_in, submission = max(with_bot, key=lambda pair: pair[1].submitted or earliest)
        others = [one for other, one in found if other.digest != handed_in.digest]
        notes = tuple(
            msg(
                "{name} has handed in other files; those of {newest} count",
                name=other.name,
                newest=submission.name,
            )
            for other in others
        )
        return handed_in, submission, notes

    def _state(
        self, handed_in: HandedIn, submitted: datetime | None, past: Past
    ) -> tuple[SubmissionState, bool]:
        """Return what becomes of a submission, and whether it is late."""
        playing = past.playing
        if playing is not None and playing.digest == handed_in.digest:
            return SubmissionState.UNCHANGED, bool(playing.late)
        deadline = self.request.deadline
        late = deadline is not None and (submitted or dates.now()) > deadline
        if handed_in.bot is None:
            return SubmissionState.BROKEN, late
        if late and self.request.refuse_late:
            return SubmissionState.REFUSED, late
        if past.earlier(handed_in.digest) is not None and not _is_newer(submitted, playing):
            return SubmissionState.OLDER, late
        return SubmissionState.NEW if playing is None else SubmissionState.CHANGED, late

    def _repository_outcome(self, candidate: Candidate, past: Past) -> Outcome:
        """Return the outcome of a submission that is an address. It is fetched when it is needed."""
        submission = candidate.submissions[-1]
        address, playing = submission.repository, past.playing
        submitted = candidate.submitted or submission.submitted
        deadline = self.request.deadline
        late = deadline is not None and (submitted or dates.now()) > deadline
        if playing is not None and playing.files == address:
            state, late = SubmissionState.UNCHANGED, bool(playing.late)
        elif late and self.request.refuse_late:
            state = SubmissionState.REFUSED
        else:
            state = SubmissionState.NEW if playing is None else SubmissionState.CHANGED
        line = self._line(candidate, past, state, late=late, submitted=submitted, digest="")
        number = playing.number if playing is not None and playing.files == address else past.next_number
        line = replace(line, number=number, files=address)
        entry = None
        if self._may_enter(state):
            line = replace(line, entrant=line.entrant or self._new_name(candidate, None))
            folder = self._new_folder(line.entrant)
            entry = self._new_entry(
                Entry(line.entrant, f"{BOTS}/{folder}", authors=submission.authors, repository=address), state
            )
        notes = self._removal_notes(line, entry)
        return Outcome(line, candidate.people, _title(line, candidate), None, notes, entry)

    def _past(self, candidate: Candidate) -> Past:
        """Return the earlier submissions of the same group, or of the same people."""
        lines = [line for line in self.history if line.who == candidate.who]
        if not lines and not candidate.submissions[0].has_own_name:
            entrants = {
                one.entrant
                for one in self.entrant_people
                if any(match_person(person, (ListedPerson(one, ""),)) for person in candidate.people)
            }
            lines = [line for line in self.history if len(entrants) == 1 and line.entrant in entrants]
        return Past(tuple(lines))

    def _line(
        self,
        candidate: Candidate,
        past: Past,
        state: SubmissionState,
        *,
        late: bool,
        submitted: datetime | None,
        digest: str,
    ) -> HistoryLine:
        entrant = past.playing.entrant if past.playing is not None else ""
        return HistoryLine(
            self.time,
            entrant,
            past.lines[-1].who if past.lines else candidate.who,
            past.next_number,
            state,
            "late" if late else "",
            "" if submitted is None else submitted.isoformat(),
            digest,
            "",
            self.source,
        )

    def _new_name(self, candidate: Candidate, bot: Path | None) -> str:
        wanted = {NameSource.FOLDER: candidate.folder_name, NameSource.LIST: candidate.listed_name}
        if self.request.names is NameSource.BOT and bot is not None:
            wanted[NameSource.BOT] = self.introduce(bot)
        own = candidate.submissions[0].has_own_name
        chosen = self.request.names or (NameSource.FOLDER if own else NameSource.LIST)
        name = wanted.get(chosen) or candidate.listed_name or candidate.folder_name
        unique = unique_name(name, self.taken)
        self.taken.add(unique)
        return unique

    def _folder(self, entrant: str, candidate: Candidate, past: Past) -> Path:
        """Return the folder for the submissions of an entrant, or of people without one.

        The cup file names the folder of an entrant, so it has the name of the entrant and not of people.
        """
        kept = [past.playing] if past.playing is not None else [one for one in past.lines if not entrant]
        if kept:
            return self._place(kept[-1]).parent
        top = submissions_folder(self.request.cup_file)
        return top / self._new_folder(entrant or candidate.listed_name or candidate.folder_name)

    def _new_folder(self, name: str) -> str:
        """Return the name of a folder that no other entrant has."""
        wanted = folder = slug(name)
        number = 1
        while folder in self.folders:
            number += 1
            folder = f"{wanted}-{number}"
        self.folders.add(folder)
        return folder

    def _place(self, line: HistoryLine) -> Path:
        return self.request.cup_file.parent / line.files

    def _new_entry(self, entry: Entry, state: SubmissionState) -> Entry | None:
        """Return an entrant that the cup file does not have yet. One that was removed is not added again,
        unless the whole file was removed."""
        is_new = state is SubmissionState.NEW or not self.cup.path.exists()
        return entry if is_new and entry.name not in self.cup.names else None

    def _may_enter(self, state: SubmissionState) -> bool:
        """Return whether the cup file may get an entrant for a submission."""
        return state in ACCEPTED or (state is SubmissionState.UNCHANGED and not self.cup.path.exists())

    def _removal_notes(self, line: HistoryLine, entry: Entry | None) -> tuple[Message, ...]:
        """Return a note if the cup file does not have the entrant, perhaps because it was removed there."""
        if entry is not None or not line.entrant or line.entrant in self.cup.names:
            return ()
        if self.request.has_begun:  # it may have been added by a change
            return ()
        return (msg("not in the cup file, so it does not play"),)

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.request.cup_file.parent).as_posix()

    def write_cup_file(self, outcomes: Sequence[Outcome]) -> CupFile:
        """Return the cup file with new entrants, and write it unless the cup has begun."""
        if self.request.has_begun:
            return self.cup
        cup = self.cup
        for one in outcomes:
            is_new_address = not one.line.digest and one.line.state is SubmissionState.CHANGED
            if is_new_address and one.line.entrant in cup.names:
                cup = cup.with_repository(one.line.entrant, one.line.files)
        cup = cup.with_entrants([one.entry for one in outcomes if one.entry is not None])
        if not any(one.line.entrant for one in outcomes) and not cup.path.exists():
            return cup
        cup.write()
        return cup


def _is_newer(submitted: datetime | None, playing: HistoryLine | None) -> bool:
    """Return whether something was handed in after what plays now; True if that is not known."""
    if submitted is None or playing is None or not playing.submitted:
        return True
    return submitted > datetime.fromisoformat(playing.submitted)


def _age_notes(line: HistoryLine, past: Past) -> tuple[Message, ...]:
    """Return a note if somebody handed in a submission earlier than the one that has played so far."""
    playing = past.playing
    if playing is None or line.state not in (SubmissionState.OLDER, SubmissionState.CHANGED):
        return ()
    if line.state is SubmissionState.OLDER:
        return (
            msg(
                "handed in {time}, before the one that plays; to play it again, name it in the cup file: "
                "{files}",
                time=line.submitted,
                files=line.files,
            ),
        )
    if not line.submitted or not playing.submitted:
        return ()
    if datetime.fromisoformat(line.submitted) >= datetime.fromisoformat(playing.submitted):
        return ()
    return (
        msg(
            "handed in {time}, before the one that has played so far ({played}): is this an older download?",
            time=line.submitted,
            played=playing.submitted,
        ),
    )


def _public_numbers(candidate: Candidate) -> tuple[str, ...]:
    """Return the numbers for the cup file, where they are published: only if they are the name anyway."""
    return () if candidate.listed_name else candidate.submissions[0].students


def _title(line: HistoryLine, candidate: Candidate) -> str:
    return line.entrant or candidate.listed_name or candidate.folder_name


# --- what is told after an import --------------------------------------------------------------------


def _with_same_files(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes, with a note for each whose files another one has handed in too."""
    first: dict[str, str] = {}
    found: list[Outcome] = []
    for one in outcomes:
        other = first.setdefault(one.line.digest, one.title) if one.line.digest else one.title
        if other != one.title:
            one = replace(one, notes=(*one.notes, msg("the same files as {other}", other=other)))
        found.append(one)
    return found
