"""The verification of an export: a file is gone through line by line, and everything that can be checked is."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from domain.chance import SeededChance, commitment_of
from domain.decider import GAMES, Game
from domain.lifecycle import Json
from events import chain
from events.audit.bots import Bots
from events.audit.findings import Report, Tally, Wrong
from events.audit.live import EMPTY, is_digest, step
from events.audit.replay import Replay
from events.envelope import Tip
from events.export import FORMAT, Exported, Unreadable
from events.signing import decoded as from_base64url
from events.signing import key_id_of, verify_head

_HEADER: Final = {
    "format", "game_id", "game", "rules", "deck", "viewer", "complete", "key_id", "public_key",
}  # fmt: skip
_END: Final = {"version", "head", "server_seed", "client_seeds", "result", "signature"}
_KEY: Final = {"kty", "crv", "x", "kid", "use"}
_NOT_SHOWN: Final = "the game is not over: its seed and what is hidden are not shown yet"

TrustedKeys = Mapping[str, str]  # key id: public key in base64url


def verify(
    exported: Exported,
    *,
    trusted: TrustedKeys | None = None,
    bots: bool = False,
    games: Mapping[str, Game] = GAMES,
) -> Report:
    """Check all that can be checked of an exported game.

    With `trusted` keys the game must be signed, and by one of them. With `bots`, bots are asked for their moves again,
    which takes as long as it took them. Raises Unreadable for a game whose rules are not known here, nothing else.
    """
    audit = _Audit(exported, games)
    return audit.report(trusted, bots)


class _Audit:
    """One game's audit, while it goes on."""

    def __init__(self, exported: Exported, games: Mapping[str, Game]) -> None:
        self._exported = exported
        self._games = games
        self._tally = Tally()
        self._header: Json = {}
        self._end: Json = {}
        self._tip = EMPTY
        self._client_seeds: list[Any] = []
        self._ahead: dict[int, Any] = {}

    def report(self, trusted: TrustedKeys | None, bots: bool) -> Report:
        wrong = None
        try:
            self._check(trusted, bots)
        except Wrong as finding:
            wrong = finding
        return Report(
            game_id=str(self._header.get("game_id", "")),
            game=str(self._header.get("game", "")),
            version=self._tip.version,
            complete=wrong is None and self._header.get("complete") is True,
            checks=self._tally.checks(wrong),
            wrong=wrong,
        )

    def _check(self, trusted: TrustedKeys | None, bots: bool) -> None:
        self._header = self._read_header()
        self._end = self._read_end()
        if self._header["complete"]:
            self._whole_game(bots)
        else:
            self._running_game()
        self._tally.right("header")
        self._check_end()
        self._check_signature(trusted)

    # The lines

    def _read(self, raw: bytes, what: str, version: int | None = None) -> Any:
        """A line as JSON, written as it must be."""
        try:
            document = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise Wrong("format", version, f"{what} is not JSON: {error}.", None, raw) from None
        self._tally.right("format")
        try:
            written = chain.canonical(document)
        except TypeError as error:
            raise Wrong("canonical", version, f"{what} has no canonical form: {error}.", None, raw) from None
        if written != raw:
            raise Wrong("canonical", version, f"{what} is not in canonical form.", written, raw)
        self._tally.right("canonical")
        return document

    def _read_header(self) -> Json:
        header = self._read(self._exported.header, "The header")
        if header.keys() != _HEADER:
            raise Wrong("format", None, "The header has other members.", sorted(_HEADER), sorted(header))
        viewer = header["viewer"]
        for name, right in (
            ("format", header["format"] == FORMAT),
            ("game_id", type(header["game_id"]) is str),
            ("game", type(header["game"]) is str),
            ("rules", type(header["rules"]) is dict),
            ("deck", header["deck"] is None or type(header["deck"]) is list),
            ("viewer", viewer is None or (type(viewer) is int and not header["complete"])),
            ("complete", type(header["complete"]) is bool),
            ("key_id", header["key_id"] is None or type(header["key_id"]) is str),
            ("public_key", header["public_key"] is None or type(header["public_key"]) is dict),
        ):
            if not right:
                raise Wrong(
                    "format", None, f"{name} of the header is not what it must be.", None, header[name]
                )
        if header["game"] not in self._games:
            known = ", ".join(self._games)
            raise Unreadable(
                "unknown-game",
                f"This is a game of {header['game'][:60]!r}, whose rules are not known here; known is: {known}.",
                self._exported.at,
            )
        return dict(header)

    def _read_end(self) -> Json:
        document = self._read(self._exported.end, "The last line")
        end = document.get("end")
        if document.keys() != {"end"} or type(end) is not dict or end.keys() != _END:
            raise Wrong("format", None, "The last line has other members.", sorted(_END), document)
        seed, signature = end["server_seed"], end["signature"]
        for name, right in (
            ("version", type(end["version"]) is int),
            ("head", is_digest(end["head"])),
            ("server_seed", is_digest(seed) if self._header["complete"] else seed is None),
            ("client_seeds", type(end["client_seeds"]) is list),
            ("result", type(end["result"]) is dict if self._header["complete"] else end["result"] is None),
            ("signature", signature is None or _is_signature(signature)),
        ):
            if not right:
                raise Wrong(
                    "format", None, f"{name} of the last line is not what it must be.", None, end[name]
                )
        return dict(end)

    def _event(self, number: int) -> Any:
        if number in self._ahead:
            return self._ahead.pop(number)
        return self._read(self._exported.events[number], f"Event {number + 1}", number + 1)

    def _following(self, number: int) -> list[Json]:
        """The two events after one, as far as they are there and objects."""
        found = []
        for at in range(number + 1, min(number + 3, len(self._exported.events))):
            if at not in self._ahead:
                self._ahead[at] = self._event(at)
            if not isinstance(self._ahead[at], dict):
                break
            found.append(self._ahead[at])
        return found

    # The events

    def _whole_game(self, ask_bots: bool) -> None:
        header, tally = self._header, self._tally
        game, game_id, seed = (
            self._games[header["game"]],
            header["game_id"],
            bytes.fromhex(self._end["server_seed"]),
        )
        bots = Bots(game, game_id, seed, SeededChance(seed, game_id), tally, ask_bots)
        replay = Replay(game, game_id, seed, tally, bots)
        for number in range(len(self._exported.events)):
            document = self._event(number)
            version = number + 1
            self._tip, committed = step(self._tip, document)
            self._count_links()
            if committed is None:
                raise Wrong(
                    "header",
                    version,
                    "A game that is over and whole hides nothing.",
                    None,
                    document["redacted"],
                )
            tally.right("commitments")
            if version == 1:
                self._check_first(document)
                if commitment_of(seed) != document["data"].get("commitment"):
                    raise Wrong(
                        "seed",
                        1,
                        "The revealed seed is not the one that was committed to.",
                        document["data"].get("commitment"),
                        commitment_of(seed),
                    )
                tally.right("seed")
            salt = chain.salt(seed, game_id, version).hex()
            if document["salt"] != salt:
                raise Wrong(
                    "salts", version, "The salt does not follow from the seed.", salt, document["salt"]
                )
            tally.right("salts")
            replay.take(document, committed, self._following(number))
        replay.end(self._tip.version)
        bots.end()
        self._check_result(replay)

    def _running_game(self) -> None:
        whole = 0
        for number in range(len(self._exported.events)):
            document = self._event(number)
            self._tip, committed = step(self._tip, document)
            self._count_links()
            if committed is not None:
                whole += 1
                self._tally.right("commitments")
            self._check_shown(document)
            if number == 0:
                self._check_first(document)
        hidden = self._tip.version - whole
        if hidden:
            self._tally.note("commitments", f"{hidden} events hide something, and are committed to unseen")
        for check in ("seed", "salts", "shuffles", "rules", "bot-seeds", "bots", "result"):
            self._tally.note(check, _NOT_SHOWN)

    def _count_links(self) -> None:
        self._tally.right("sequence")
        self._tally.right("chain")

    def _check_first(self, document: Json) -> None:
        """The first event says what the header says."""
        data = document["data"]
        if document["type"] != "game_created":
            raise Wrong(
                "header", 1, "The first event must be the game's creation.", "game_created", document["type"]
            )
        told = {"game_id": data.get("id"), "game": data.get("game"), "rules": data.get("options")}
        told["deck"] = data.get("deck")
        for name, value in told.items():
            if value != self._header[name] or chain.canonical({name: value}) != chain.canonical(
                {name: self._header[name]}
            ):
                what = "The events are of another game" if name == "game_id" else f"{name} is another one"
                raise Wrong("header", 1, f"{what} than the header's.", value, self._header[name])
        seats = data.get("seats")
        if type(seats) is list and all(type(seat) is dict for seat in seats):
            self._client_seeds = [seat.get("client_seed") for seat in seats]

    def _check_shown(self, document: Json) -> None:
        """What the viewer of a running game sees, as far as the header tells."""
        kind, data, viewer = document["type"], document["data"], self._header["viewer"]
        if kind in ("game_ended", "game_scored"):
            raise Wrong(
                "header", document["version"], "The game is over, so all of it must be here.", True, False
            )
        if kind == "game_started":
            hands = data.get("hands")
            shown = [at for at, hand in enumerate(hands) if hand is not None] if type(hands) is list else None
            if shown != ([] if viewer is None else [viewer]):
                raise Wrong("header", document["version"], "This is another viewer's.", viewer, shown)
        elif kind == "seat_taken":
            seat = document["seat"]
            if type(seat) is int and 0 <= seat < len(self._client_seeds):
                self._client_seeds[seat] = data.get("client_seed")

    # The end

    def _check_result(self, replay: Replay) -> None:
        result = replay.standing.result
        if result is None:
            raise Wrong("header", self._tip.version, "The game is not over.", False, True)
        expected = {
            "winner": result.winner,
            "reason": result.reason,
            "scores": list(result.scores),
            "scored": result.scored,
        }
        if chain.canonical(expected) != chain.canonical(self._end["result"]):
            raise Wrong("result", None, "The last line tells another result.", expected, self._end["result"])
        self._tally.right("result")
        self._client_seeds = [seat.client_seed for seat in replay.standing.seats]

    def _check_end(self) -> None:
        expected = {"version": self._tip.version, "head": self._tip.head, "client_seeds": self._client_seeds}
        for name, value in expected.items():
            if chain.canonical({"": value}) != chain.canonical({"": self._end[name]}):
                raise Wrong(
                    "end",
                    None,
                    f"{name} of the last line is not what the events come to.",
                    value,
                    self._end[name],
                )
        self._tally.right("end")

    def _check_signature(self, trusted: TrustedKeys | None) -> None:
        key, key_id, signed = self._header["public_key"], self._header["key_id"], self._end["signature"]
        if key is None and key_id is None and signed is None:
            if trusted is not None:
                raise Wrong("signature", self._tip.version, "The game is not signed.")
            self._tally.note("signature", "the export is not signed")
            return
        ids = [key_id, key and key.get("kid"), signed and signed["key_id"], _id_of(key)]
        if any(one != key_id for one in ids) or key_id is None or key.keys() != _KEY or key["use"] != "sig":
            raise Wrong("signature", None, "The file names no key, or more than one.", None, ids)
        if trusted is not None and trusted.get(key_id) != key["x"]:
            raise Wrong(
                "signature", None, "The key is none of those that you trust.", sorted(trusted), key_id
            )
        tip: Tip = self._tip
        if not verify_head(key, self._header["game_id"], tip.version, tip.head, signed["signature"]):
            raise Wrong(
                "signature", tip.version, "The signature is not the key's for this head.", None, signed
            )
        self._tally.right("signature")
        if trusted is None:
            self._tally.remark(
                "signature", f"by the key {key_id} that the file names; --keys says whom to trust"
            )


def _is_signature(given: Any) -> bool:
    return (
        type(given) is dict
        and given.keys() == {"key_id", "signature"}
        and all(type(value) is str for value in given.values())
    )


def _id_of(key: Json | None) -> str | None:
    """The id that follows from the public key."""
    try:
        return None if key is None else key_id_of(from_base64url(key["x"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
