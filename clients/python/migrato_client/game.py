"""One game, as the holder of one token sees it: a seat, the game's app or a spectator."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

import httpx

from migrato_client.errors import ApiError
from migrato_client.following import Follower, Keep, Seen
from migrato_client.models import (
    Adjudication,
    Analysis,
    AnyEvent,
    AnyGameView,
    AnyMove,
    AnyNewlyForked,
    AnySeatDetails,
    Audit,
    Head,
    Hint,
    InLanguages,
    InviteInfo,
    NewEmbedTicket,
    NewFork,
    NewInvite,
    NewTicket,
    PlayedMove,
    Position,
    PreviewedMove,
    Rematch,
    SeatWithToken,
    Step,
    StreamedState,
    Takeback,
)
from migrato_client.streams import Connection, follow
from migrato_client.transport import SLOW, Params, Transport, content_of


@dataclass(frozen=True, slots=True)
class Turn:
    """A moment in which the seat is to act."""

    version: int
    turn_version: int
    view: AnyGameView
    legal_moves: Sequence[AnyMove]
    labels: InLanguages


class Game:
    """One game. Every method raises ApiError for what the engine refuses, and Unreachable if it does not answer."""

    def __init__(self, transport: Transport, game_id: str, token: str | None) -> None:
        """Use `Client.game`, `Client.seat` or `Client.play_against`."""
        self._transport = transport
        self.id = game_id
        self.token = token
        self._path = f"/v1/games/{quote(game_id, '')}"
        self._version = 0  # the newest that an answer to a move had
        self.seen: Seen | None = None
        self._look: dict[str, Any] | None = None

    def request(
        self,
        method: str,
        path: str = "",
        body: Any = None,
        *,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Any request below the game's address: the document that it answers, or its text; None if there is none.

        `timeout`: seconds for each attempt; 10, and those of a long poll, unless you say otherwise.
        """
        return content_of(self._ask(method, path, body, params, headers, idempotency_key, timeout))

    def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> httpx.Response:
        return self._transport.request(
            method,
            self._path + path,
            token=self.token,
            body=body,
            params=params,
            headers=headers,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    # Playing

    def view(self, version: int | None = None, seat: int | str | None = None) -> AnyGameView:
        """The game as the caller may see it: now, or as it was after event `version`.

        `seat`: of a game that is over, whose view: the number of a seat, or "all".
        """
        return cast("AnyGameView", self.request("GET", params={"version": version, "seat": seat}))

    def wait(self, version: int, seconds: int = 30) -> AnyGameView | None:
        """The view as soon as the game is at another version than this one; None if that takes longer."""
        response = self._ask("GET", "", params={"wait": seconds}, headers={"If-None-Match": f'"{version}"'})
        return cast("AnyGameView | None", content_of(response))

    def legal_moves(self) -> list[AnyMove]:
        """Every legal move of the seat, ready to be made; none if it is not to act."""
        return cast("list[AnyMove]", self.request("GET", "/legal-moves")["moves"])

    def move(
        self,
        move: AnyMove,
        *,
        at: int | None = None,
        turn_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> PlayedMove:
        """Make a move, once, however often the request has to be sent.

        Refuse it (`version-mismatch`) if the position is not that of `turn_version` any more, or the game not `at` that
        version. With an `idempotency_key` that you keep, even a program that was restarted makes the move once.
        """
        wanted = at if turn_version is None else f"turn_version={turn_version}"
        headers = {} if wanted is None else {"If-Match": f'"{wanted}"'}
        played: PlayedMove = self.request(
            "POST", "/moves", move, headers=headers, idempotency_key=idempotency_key
        )
        self._version = max(self._version, played["version"])
        return played

    def preview(self, move: AnyMove) -> PreviewedMove:
        """Preview of a move, as far as the seat can know; nothing is changed."""
        return cast("PreviewedMove", self.request("POST", "/moves", move, params={"dry_run": True}))

    def resign(self) -> PlayedMove:
        """Give up."""
        return self.move({"type": "resign"})

    def turns(
        self,
        on_connection: Callable[[Connection], object] | None = None,
        *,
        languages: str | None = None,
    ) -> Iterator[Turn]:
        """The seat's turns to the end of the game: make a move in each, and the next one comes.

        `languages`: of the labels of legal moves, as in `states`.
        """
        for state in self.states(on_connection, languages=languages):
            if state["legal_moves"] and state["version"] >= self._version:
                view, labels = state["view"], state["labels"] or {}
                yield Turn(state["version"], view["turn_version"], view, state["legal_moves"], labels)

    def claim(self) -> PlayedMove:
        """Claim the win from the seat to act, which is away, from `claimable_at` of the view on: what that caused."""
        return cast("PlayedMove", self.request("POST", "/claim"))

    def take_back(self, *, agree: bool | None = None, to_version: int | None = None) -> PlayedMove:
        """Ask to take the seat's last move back or, with `agree`, answer who asks: what that caused.

        `to_version`, of the request that is answered, keeps the answer from meaning another one.
        """
        said = _present({"agree": agree, "to_version": to_version})
        return cast("PlayedMove", self.request("POST", "/takeback", said))

    def takeback_state(self) -> Takeback:
        """The request to take a move back: the seat that asks, and the seats whose consent is missing."""
        return cast("Takeback", self.request("GET", "/takeback"))

    def hint(self, bot: str | None = None) -> Hint:
        """The move of that bot, or of the game's default, in the seat's place."""
        return cast("Hint", self.request("GET", "/hint", params={"bot": bot}, timeout=SLOW))

    def position(self) -> Position:
        """The position as the seat knows it, for `Client.choose`."""
        position: Any = {"view": self.view(), "history": list(self.events())}
        return cast("Position", position)

    # Watching

    def states(
        self,
        on_connection: Callable[[Connection], object] | None = None,
        *,
        languages: str | None = None,
        presence: bool | None = None,
    ) -> Iterator[StreamedState]:
        """The game now, and after each change, to its end, through restarts of the engine.

        Each state has its view, its legal moves, and the events since the last state, in words too: in English, or in
        `languages` such as "en,de". With `presence` a state comes, too, when somebody comes or goes: `connected` of its
        view's seats; it has the version of the last one. `on_connection` is told when it is interrupted, and when it is
        back. Raises StreamGap, ApiError, Unreachable.
        """
        events = f"{self._path}/events"
        params: Params = {"views": True, "languages": languages, "presence": presence}
        return follow(self._transport, events, self.token, params, None, on_connection)

    def watch(
        self, after: int = 0, on_connection: Callable[[Connection], object] | None = None
    ) -> Iterator[AnyEvent]:
        """The events after that version, and all that follow to the game's end, through restarts of the engine.

        `on_connection` as in `states`. Raises StreamGap, ApiError, Unreachable.
        """
        return follow(self._transport, f"{self._path}/events", self.token, {}, str(after), on_connection)

    def follow(
        self, keep: Keep | None = None, on_connection: Callable[[Connection], object] | None = None
    ) -> Iterator[AnyEvent]:
        """Every event from the first one to the game's end, each checked by the chain of heads, and kept.

        `keep`: a file to which each is added as a line, for `migrato verify --kept`, or a function that is called with
        it. A file of an earlier run is compared, too. Once the game is over all is compared with the record: `seen`
        says how much. Raises Altered where the engine shows something else than it did, and as `watch`.
        """
        follower, is_late = Follower(keep, self._look), self.view()["status"] == "finished"
        for event in self.watch(0, on_connection):
            follower.take(event, is_late=is_late)
            yield event
        self.seen = follower.conclude(self.events())

    def events(self, after: int = 0, limit: int = 1000) -> Iterator[AnyEvent]:
        """The events after that version until now, page by page of `limit`."""
        while True:
            page = self.request("GET", "/events", params={"after": after, "limit": limit})
            yield from page["events"]
            after = page["next"]
            if after >= page["version"]:
                return

    def ticket(self, *, expires_in: int | None = None, view: str | None = None) -> NewTicket:
        """A ticket for a page, whose EventSource opens its `stream`; `view`: "seat" or "spectator"."""
        wanted = {"expires_in": expires_in, "view": view}
        return cast("NewTicket", self.request("POST", "/tickets", _present(wanted)))

    def revoke_tickets(self) -> None:
        """Void every ticket that the seat, or the app, has asked for."""
        self.request("DELETE", "/tickets")

    def embed(self, parent: str) -> NewEmbedTicket:
        """A table of the seat for a frame in a page of that origin: `frame`, the path of its address, is good once."""
        return cast("NewEmbedTicket", self.request("POST", "/embed-tickets", {"parent": parent}))

    # Seats

    def look_at_seat(self, seat: int) -> AnySeatDetails:
        """The game as a player sees it before taking a seat."""
        return cast("AnySeatDetails", self.request("GET", f"/seats/{seat}"))

    def take_seat(
        self,
        seat: int,
        player: str,
        *,
        invite: str | None = None,
        client_seed: str | None = None,
        idempotency_key: str | None = None,
    ) -> "Game":
        """Take an open seat; the game as that seat sees it. Its `token` is told only here. `invite`: the code of one.

        The seat is looked at first and then taken with 16 random bytes as client seed, which the engine could not know
        when it committed itself to its own; give a `client_seed` to choose it. With an `idempotency_key` none is made
        up, since a request that is repeated must be the same: then give one that you keep.
        """
        look: dict[str, Any] = {}
        if client_seed is None and idempotency_key is None:
            with suppress(ApiError):  # with an invite it may not be shown
                look = {**self.look_at_seat(seat)}
            client_seed = secrets.token_hex(16)
        wanted = _present({"player": player, "invite": invite, "client_seed": client_seed})
        taken = self.request("POST", f"/seats/{seat}", wanted, idempotency_key=idempotency_key)
        seated = Game(self._transport, self.id, taken["token"])
        if client_seed is not None:
            seated._look = look | {"seat": seat, "client_seed": client_seed}
        return seated

    def hand_over(self, seat: int, player: str) -> "Game":
        """Give a person's seat to another one: the game as that one sees it. The seat's former token is void."""
        given = self.request("POST", f"/seats/{seat}/hand-over", {"player": player})
        return Game(self._transport, self.id, given["token"])

    def invite(self, seat: int, *, expires_in: int | None = None, short: bool | None = None) -> NewInvite:
        """An invite to an open seat, whose code is told only here; good for a day, or so many seconds.

        `short`: with a join code, for `Client.find_invite`.
        """
        wanted = _present({"expires_in": expires_in, "short": short})
        return cast("NewInvite", self.request("POST", f"/seats/{seat}/invites", wanted))

    def invites(self) -> list[InviteInfo]:
        """The invites that are still good, without their codes."""
        return cast("list[InviteInfo]", self.request("GET", "/invites")["invites"])

    def revoke_invite(self, invite_id: str) -> None:
        """Void an invite."""
        self.request("DELETE", f"/invites/{quote(invite_id, '')}")

    def rematch(self) -> "Game | None":
        """Agree to play the finished game again: the new one as this seat sees it, or None as long as others do not."""
        begun = self.request("POST", "/rematch")["match"]
        return None if begun is None else Game(self._transport, begun["id"], begun["token"] or self.token)

    def rematch_state(self) -> Rematch:
        """The seats that agree to play again, and the new game."""
        return cast("Rematch", self.request("GET", "/rematch"))

    def withdraw_rematch(self) -> None:
        """Agree no more."""
        self.request("DELETE", "/rematch")

    # What the game's app decides

    def reissue_token(self, seat: int) -> SeatWithToken:
        """Another token for the seat; the old one is void."""
        return cast("SeatWithToken", self.request("POST", f"/seats/{seat}/token"))

    def abort(self) -> AnyGameView:
        """End the game without a result."""
        return cast("AnyGameView", self.request("POST", "/abort"))

    def adjudicate(self, decision: Adjudication) -> AnyGameView:
        """End the game with that result."""
        return cast("AnyGameView", self.request("POST", "/adjudication", decision))

    def replace_player(self, seat: int, bot: str) -> AnyGameView:
        """Let a bot play on for a player who left."""
        return cast("AnyGameView", self.request("POST", f"/seats/{seat}/bot", {"bot": bot}))

    # Looking back

    def analysis(self, seconds: float = 120.0) -> Analysis:
        """Every move of the finished game, judged by what its seat knew; TimeoutError if workers take too long."""
        until = time.monotonic() + seconds
        while True:
            found = self.request("GET", "/analysis", params={"wait": 5})
            if found["status"] == "done":
                return cast("Analysis", found)
            if time.monotonic() > until:
                raise TimeoutError(f"{found['done']} of {found['of']} events are analysed")
            time.sleep(0.2)

    def replay(self, seat: int | str | None = None, limit: int = 100) -> Iterator[Step]:
        """The game step by step, page by page of `limit`; `seat` as in `view`."""
        after = 0
        while True:
            page = self.request("GET", "/replay", params={"after": after, "limit": limit, "seat": seat})
            yield from page["items"]
            after = page["next"]
            if not page["items"] or after >= page["version"]:
                return

    def fork(self, fork: NewFork, *, idempotency_key: str | None = None) -> AnyNewlyForked:
        """A new game that goes on from a version of this one; `Client.seat` gives its seats."""
        return cast("AnyNewlyForked", self.request("POST", "/fork", fork, idempotency_key=idempotency_key))

    def head(self, version: int | None = None) -> Head:
        """The signed head of the game."""
        return cast("Head", self.request("GET", "/head", params={"version": version}))

    def export(self) -> str:
        """The game as lines of JSON, for `migrato verify`."""
        return str(self.request("GET", "/export", headers={"Accept": "application/x-ndjson"}, timeout=SLOW))

    def audit(self) -> Audit:
        """The result of the engine's own check."""
        return cast("Audit", self.request("GET", "/audit", timeout=SLOW))


def _present(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
