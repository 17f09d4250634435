"""The verification of an export: it checks everything that it can, event by event."""

from collections import deque
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

import orjson

from domain.annotations import NEW_HOLDER
from domain.chance import commitment_of
from domain.game import Game
from domain.lifecycle import Json
from domain.registry import GAMES
from events.audit.bots import Bots
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed, Report
from events.audit.forks import Origin
from events.audit.lines import end_of, header_of, read
from events.audit.remarks.unproven import ClientSeeds, Times, Tokens
from events.audit.replay import Replay
from events.audit.rewriting import Rewriting
from events.audit.running.clock import ShownClock
from events.audit.running.redacted import check_sealed, check_shown
from events.audit.signature import TrustedKeys, check_signature
from events.audit.stream_verifier import EMPTY, ReadEvent, event_of, step
from events.log import chain
from events.log.export import FORMATS, Exported
from events.log.serialisers import recorded_result

_NOT_SHOWN: Final = "the game is not over: its seed and what is hidden are not shown yet"
_OF_WHOLE_GAMES: Final = (
    "seed",
    "salts",
    "shuffles",
    "rules",
    "clocks",
    "position",
    "bot-seeds",
    "bots",
    "result",
)
_COMMANDS_AT_ONCE: Final = 16  # that are decided again before other work gets a turn: some 0.3 ms


def verify(
    exported: Exported,
    *,
    trusted: TrustedKeys | None = None,
    bots: bool = False,
    origin: Origin | None = None,
    games: Mapping[str, Game] = GAMES,
) -> Report:
    """Check all that can be checked of an exported game.

    With `trusted` keys a complete game must be signed, and by one of them; no other passes. With `bots`, bots are asked
    for their moves again, which takes as long as it took them. A fork is compared with its `origin`, if that is given.
    Raises Unreadable for a game whose rules are not known here, nothing else.
    """
    steps = verifying(exported, trusted=trusted, bots=bots, origin=origin, games=games)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            report: Report = done.value
            return report


def verifying(
    exported: Exported,
    *,
    trusted: TrustedKeys | None = None,
    bots: bool = False,
    origin: Origin | None = None,
    games: Mapping[str, Game] = GAMES,
) -> Generator[None, None, Report]:
    """Steps of `verify`, for a caller with other work between two events."""
    return _Audit(exported, games).report(trusted, bots, origin)


def verified_origin(exported: Exported, *, trusted: TrustedKeys | None = None) -> Origin | Report:
    """The game as an origin of forks, if it is complete and nothing is wrong with it; the report otherwise."""
    report = verify(exported, trusted=trusted)
    return Origin(report.game_id, exported, report.signer) if report.complete else report


class _Audit:
    """One game's audit, while it goes on."""

    def __init__(self, exported: Exported, games: Mapping[str, Game]) -> None:
        self._exported = exported
        self._games = games
        self._counts = CheckCounts()
        self._header: Json = {}
        self._end: Json = {}
        self._head = EMPTY
        self._whole = 0  # events that were seen whole
        self._salted = 0
        self._shown = 0  # events that hide exactly what they must
        self._read = 0  # lines that are no events
        self._client_seeds: list[Any] = []
        self._signer: str | None = None
        self._aborted = False

    def report(
        self, trusted: TrustedKeys | None, bots: bool, origin: Origin | None
    ) -> Generator[None, None, Report]:
        wrong = None
        try:
            yield from self._check(trusted, bots, origin)
        except CheckFailed as finding:
            wrong = finding
        linked = self._head.version
        for check, count in (
            ("format", linked + self._read),
            ("canonical", linked + self._read),
            ("sequence", linked),
            ("chain", linked),
            ("commitments", self._whole),
            ("salts", self._salted),
            ("redacted", self._shown),
        ):
            self._counts.passed(check, count)
        return Report(
            game_id=str(self._header.get("game_id", "")),
            game=str(self._header.get("game", "")),
            version=self._head.version,
            complete=wrong is None and self._header.get("complete") is True,
            checks=self._counts.checks(wrong),
            wrong=wrong,
            unasked=self._counts.unasked,
            over=self._end.get("server_seed") is not None,
            proof=trusted is not None,
            remarks=self._counts.remarks if wrong is None else (),
            signer=self._signer,
            aborted=self._aborted,
            head=self._head.head,
        )

    def _check(
        self, trusted: TrustedKeys | None, bots: bool, origin: Origin | None
    ) -> Generator[None, None, None]:
        self._header = header_of(self._exported, self._games)
        self._rules = self._games[self._header["game"]]
        self._seals = next(seals for seals, name in FORMATS.items() if name == self._header["format"])
        self._end = end_of(self._exported)
        self._read = 2
        if not self._exported.events:
            raise CheckFailed("header", None, "There are no events.")
        if self._end["server_seed"] is not None:
            self._seed = bytes.fromhex(self._end["server_seed"])
            yield from self._whole_game(bots, origin)
        else:
            yield from self._running_game()
        self._counts.passed("header")
        self._counts.all_but("end", "signature")
        self._check_end()
        self._counts.all_but("signature")
        self._signer = check_signature(self._header, self._end, self._head, trusted, self._counts)

    # Event by event

    def _linked(self) -> Iterator[tuple[Json, bytes | None]]:
        """The events in order, each tied to those before it, with the bytes that are committed to if they are seen."""
        head = self._head
        for number, raw in enumerate(self._exported.events, 1):
            document = read(raw, "The event", number)
            head, committed = step(head, document)
            if number == 1:
                self._check_first(document)
            self._head = head
            self._whole += committed is not None or head.seals == chain.SEALS
            yield document, committed

    # A game that is over

    def _whole_game(self, bots: bool, origin: Origin | None) -> Generator[None, None, None]:
        replay = yield from self._written_again(bots, origin)
        if replay is None:
            replay = yield from self._gone_through(bots, origin)
        self._counts.all_but("header", "result", "end", "signature")
        self._check_result(replay)

    def _replay(self, ask_bots: bool, origin: Origin | None) -> Replay:
        game, game_id, seed = self._rules, self._header["game_id"], self._seed
        bots = Bots(game, game_id, seed, self._counts, ask_bots)
        return Replay(game, game_id, seed, self._counts, bots, origin, self._seals)

    def _written_again(self, bots: bool, origin: Origin | None) -> Generator[None, None, Replay | None]:
        """The game at its end, by the short way; None if any line differs from what the engine writes."""
        lines, replay = self._exported.events, self._replay(bots, origin)
        rewriting = Rewriting(replay, self._header["game_id"], self._seed, self._seals, lines)
        while rewriting.go_on(1 if bots else _COMMANDS_AT_ONCE):
            yield
        head = rewriting.head
        if head is None:
            self._counts = CheckCounts()
            return None
        self._check_first(created := orjson.loads(lines[0]))
        self._check_seed(created)
        self._head, self._whole, self._salted, self._shown = head, head.version, head.version, head.version
        replay.end(head.version)
        return replay

    def _gone_through(self, bots: bool, origin: Origin | None) -> Generator[None, None, Replay]:
        """The game at its end, by the long way: one check after the other; CheckFailed at the first that fails."""
        game_id, replay = self._header["game_id"], self._replay(bots, origin)
        waiting, most = deque[tuple[ReadEvent, bytes, Json]](), max(replay.lookahead.values())
        salts = chain.Salts(self._seed, game_id)
        for document, committed in self._linked():
            version = document["version"]
            if committed is None:
                what = "The event hides members, but the game is over: everybody sees all of it."
                raise CheckFailed("header", version, what, None, document["redacted"])
            self._shown = version
            if version == 1:
                self._check_seed(document)
            self._check_salts(salts, document)
            self._salted = version
            waiting.append((event_of(document), committed, document))
            if len(waiting) > most:
                self._take(replay, waiting)
            yield
        while waiting:
            self._take(replay, waiting)
        replay.end(self._head.version)
        return replay

    def _check_salts(self, salts: chain.Salts, document: Json) -> None:
        version, what = document["version"], "The salt does not follow from the seed."
        if self._head.seals == chain.FORMER:
            salt = salts.of(version).hex()
            if document["salt"] != salt:
                raise CheckFailed("salts", version, what, salt, document["salt"])
            return
        for pointer, salt in document["salts"].items():
            if salt != (made := salts.of_leaf(version, pointer).hex()):
                raise CheckFailed("salts", version, what, made, salt)

    def _take(self, replay: Replay, waiting: deque[tuple[ReadEvent, bytes, Json]]) -> None:
        event, committed, document = waiting.popleft()
        replay.take(event, committed, [later for later, _, _ in waiting])
        if self._head.seals == chain.SEALS:
            check_sealed(self._rules, event, document)

    def _check_first(self, document: Json) -> None:
        """Check that the first event says what the header says."""
        data = document["data"]
        seals = chain.SEALS if "sealed" in document else chain.FORMER
        if seals != self._seals:
            what = "The events are not of the form that `format` of the header names."
            raise CheckFailed("header", 1, what, FORMATS[seals], self._header["format"])
        if document["type"] != "game_created":
            what = "The first event must be the game's creation."
            raise CheckFailed("header", 1, what, "game_created", document["type"])
        members = {"game_id": "id", "game": "game", "rules": "options", "deck": "deck"}
        for name, member in members.items():
            if not _same(data.get(member), self._header[name]):
                what = f"{name} of the header is not that of the events."
                if name == "game_id":
                    what = "The events are of another game than the header names."
                raise CheckFailed("header", 1, what, data.get(member), self._header[name])
        seats = data.get("seats")
        if type(seats) is list and all(type(seat) is dict for seat in seats):
            self._client_seeds = [seat.get("client_seed") for seat in seats]

    def _check_seed(self, created: Json) -> None:
        committed, made = created["data"].get("commitment"), commitment_of(self._seed)
        if committed != made:
            raise CheckFailed(
                "seed",
                1,
                "The revealed seed does not match the commitment in the first event.",
                committed,
                made,
            )
        self._counts.passed("seed")

    def _check_result(self, replay: Replay) -> None:
        status = self._rules.status(replay.state)
        result = status.result
        if result is None:
            raise CheckFailed(
                "header", self._head.version, "The seed is revealed, but no event ends the game.", False, True
            )
        members, self._aborted = recorded_result(result), result.is_void
        if self._header["complete"] is not result.scored:
            what = "`complete` in the header must say whether the result is confirmed."
            raise CheckFailed("header", self._head.version, what, result.scored, self._header["complete"])
        if self._header["viewer"] is not None:
            raise CheckFailed(
                "header",
                None,
                "The header names a viewer, but the game is over: everybody sees all of it.",
                None,
                self._header["viewer"],
            )
        if not _same(members, self._end["result"]):
            raise CheckFailed(
                "result",
                None,
                "The result in the last line is not that of the events.",
                members,
                self._end["result"],
            )
        for viewer in (None, *range(len(status.seats))):
            view = self._rules.view(replay.state, viewer)
            shown = [] if view is None else self._rules.view_scores(view)
            if members is not None and shown is not None and list(shown) != members["scores"]:
                raise CheckFailed(
                    "result", self._head.version, "A view of the table comes to other scores.", members, shown
                )
        self._counts.passed("result")
        self._client_seeds = [seat.client_seed for seat in status.seats]

    # A game that is not

    def _running_game(self) -> Generator[None, None, None]:
        times, tokens, clock = Times(), Tokens(), ShownClock(self._counts)
        seeds, is_dealt = ClientSeeds(), False
        if self._header["complete"]:
            raise CheckFailed(
                "header",
                None,
                "The header says that the game is complete, but its seed is not revealed.",
                False,
                True,
            )
        for document, _ in self._linked():
            check_shown(self._rules, self._header, document, len(self._client_seeds))
            clock.check(document)
            self._shown += 1
            times.see(document["version"], document["at"])
            if document["type"] == "game_created":
                seeds.created(self._client_seeds, set_up=document["data"].get("setup") is not False)
            elif document["type"] == "game_started":
                is_dealt = True
            elif document["type"] == "seat_taken":
                self._client_seeds[document["seat"]] = document["data"]["client_seed"]
                seeds.taken(document["data"]["client_seed"])
            elif document["type"] == NEW_HOLDER:
                tokens.see(document["version"], document["seat"])
            yield
        times.end(self._counts)
        tokens.end(self._counts)
        if is_dealt:
            seeds.end(self._counts)
        clock.end(self._head.version)
        if self._head.seals == chain.FORMER and (hidden := self._head.version - self._whole):
            hide = (
                "1 event hides something, and is"
                if hidden == 1
                else f"{hidden} events hide something, and are"
            )
            self._counts.note("commitments", f"{hide} committed to unseen")
        for check in _OF_WHOLE_GAMES:
            self._counts.note(check, _NOT_SHOWN)

    # The end

    def _check_end(self) -> None:
        expected = {
            "version": self._head.version,
            "head": self._head.head,
            "client_seeds": self._client_seeds,
        }
        for name, value in expected.items():
            if not _same(value, self._end[name]):
                what = f"{name} of the last line does not follow from the events."
                raise CheckFailed("end", None, what, value, self._end[name])
        self._counts.passed("end")


def _same(one: Any, other: Any) -> bool:
    """True if both are the same JSON: unlike in Python, neither true nor 1.0 is 1."""
    return one == other and chain.canonical({"": one}) == chain.canonical({"": other})
