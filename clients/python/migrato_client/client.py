"""The engine as an app or anybody sees it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import quote

import httpx

from migrato_client.endpoints import Webhooks
from migrato_client.errors import ApiError, StreamGap
from migrato_client.game import Game
from migrato_client.models import (
    Answered,
    AnyGameLine,
    AnyLobbyGame,
    AnyNewlyCreated,
    AnyNewlyForked,
    AppEvent,
    AppEventsPage,
    BotLine,
    ChangedGame,
    FoundInvite,
    GameOwnData,
    LeaderboardEntry,
    MatchTicket,
    NewGame,
    Player,
    Position,
    PublicKey,
    ThoughtMove,
    WantedMatch,
)
from migrato_client.streams import Connection, follow
from migrato_client.transport import PATIENCE, SLOW, Params, Transport, content_of

JOB_WAIT = 10  # seconds of a long poll for a job of a bot


class Client:
    """Asks one engine. It may be used by several threads at once; close it, or use it in a `with` block.

    Every method raises ApiError for what the engine refuses, and Unreachable if it does not answer.
    """

    def __init__(
        self,
        url: str,
        app_key: str | None = None,
        *,
        patience: float = PATIENCE,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`app_key`: without one you may only watch public games, unless the engine needs none.

        `patience`: seconds for which a request is repeated that the engine did not answer; `transport`: what httpx
        sends requests by, for tests and proxies.
        """
        self._app_key = app_key
        self._transport = Transport(url, patience, transport, app_key)
        self.webhooks = Webhooks(self.request)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        repeat: bool = True,
        timeout: float | None = None,
    ) -> Any:
        """Any request of the API, as the app: the document that it answers, or its text; None if there is none.

        `repeat`: False for what takes no idempotency key and must not happen twice; it is sent once.
        `timeout`: seconds for each attempt; 10, and those of a long poll, unless you say otherwise.
        """
        response = self._transport.request(
            method,
            path,
            token=self._app_key,
            body=body,
            params=params,
            headers=headers,
            idempotency_key=idempotency_key,
            repeat=repeat,
            timeout=timeout,
        )
        return content_of(response)

    # Games

    def create_game(
        self, new_game: NewGame | None = None, *, idempotency_key: str | None = None
    ) -> AnyNewlyCreated:
        """Create a game. The answer, and no other, has the tokens of the human seats."""
        created = self.request("POST", "/v1/games", new_game or {}, idempotency_key=idempotency_key)
        return cast("AnyNewlyCreated", created)

    def play_against(self, bot: str, new_game: NewGame | None = None, *, player: str | None = None) -> Game:
        """A new game against that bot, as seat 0 sees it.

        A `player` sits down by `Game.take_seat`, with a client seed that the engine did not know when it committed
        itself; such a game does not count for ratings. Without a `player` the engine could choose the cards.
        """
        if player is not None:
            open_first: NewGame = {"seats": [{"kind": "open"}, {"kind": "bot", "bot": bot}]}
            created = self.create_game(open_first | (new_game or {}))
            return self.game(created["id"]).take_seat(0, player)
        seats: NewGame = {"seats": [{"kind": "human"}, {"kind": "bot", "bot": bot}]}
        return self.seat(self.create_game(seats | (new_game or {})), 0)

    def game(self, game_id: str, token: str | None = None) -> Game:
        """The game, as the holder of that seat's token sees it; without one as the app or a spectator."""
        return Game(self._transport, game_id, self._app_key if token is None else token)

    def seat(self, created: AnyNewlyCreated | AnyNewlyForked, seat: int) -> Game:
        """The new game as that human seat sees it. Raises KeyError if the answer has no token for the seat."""
        return self.game(created["id"], created["seats"][seat]["token"])

    def games(
        self,
        *,
        status: str | None = None,
        game: str | None = None,
        player: str | None = None,
        to_act: str | None = None,
        order: str | None = None,
        updated_after: str | None = None,
        updated_before: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        external_id: str | None = None,
        metadata: str | None = None,
        limit: int = 100,
    ) -> Iterator[AnyGameLine]:
        """The app's games, newest first or in another `order` ("oldest", "updated", "stale"), page by page of `limit`.

        `order="turn"`: those of a `player`, first the ones in which it is the player's turn; `to_act`: only games in
        which it is that player's.
        `updated_after` and `updated_before`: of those whose last event is later or earlier, in RFC 3339;
        `created_after` and `created_before`: of those whose creation is. `external_id`: only the game that has it;
        `metadata`: only games that have this key and value, as "order=1234".
        """
        wanted: Params = {"status": status, "game": game, "player": player, "to_act": to_act}
        wanted = {**wanted, "order": order, "limit": limit}
        wanted = {**wanted, "updated_after": updated_after, "updated_before": updated_before}
        wanted = {**wanted, "created_after": created_after, "created_before": created_before}
        wanted = {**wanted, "external_id": external_id, "metadata": metadata}
        return self._lines("/v1/games", wanted)

    def change_game(self, game_id: str, change: ChangedGame) -> GameOwnData:
        """Change the app's own data about a game: its `external_id`, the `metadata` of the game and of its `seats`.

        What is left out stays; None removes a key.
        """
        return cast("GameOwnData", self.request("PATCH", f"/v1/games/{quote(game_id, '')}", change))

    def lobby(
        self, *, game: str | None = None, joining: str | None = None, limit: int = 100
    ) -> Iterator[AnyLobbyGame]:
        """The app's games that have an open seat, newest first, page by page of `limit`.

        `joining`: "open", unless it is "invite", "app" or "any".
        """
        return self._lines("/v1/lobby", {"game": game, "joining": joining, "limit": limit})

    def find_invite(self, join_code: str) -> FoundInvite:
        """The game, the seat and the invite that a join code stands for, as somebody has typed it."""
        return cast("FoundInvite", self.request("POST", "/v1/invites/lookup", {"code": join_code}))

    def _lines(self, path: str, wanted: Params) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self.request("GET", path, params={**wanted, "cursor": cursor})
            yield from page["games"]
            cursor = page["next"]
            if cursor is None:
                return

    # Finding a partner

    def quick_match(self, wanted: WantedMatch) -> Game:
        """A game with somebody who wants the same, as that player sees it; waits until there is a partner."""
        found = self.join_quick_match(wanted)
        while found["match"] is None:
            found = self.wait_for_match(found["ticket"])
        return self.game(found["match"]["id"], found["match"]["token"])

    def join_quick_match(self, wanted: WantedMatch, *, idempotency_key: str | None = None) -> MatchTicket:
        """Begin to look for a partner; the ticket says whether there is one already."""
        found = self.request("POST", "/v1/quick-match", wanted, idempotency_key=idempotency_key)
        return cast("MatchTicket", found)

    def wait_for_match(self, ticket: str, seconds: int = 20) -> MatchTicket:
        """The ticket as soon as there is a partner, or after so many seconds. Raises ApiError once it is void."""
        path = f"/v1/quick-match/{quote(ticket, '')}"
        return cast("MatchTicket", self.request("GET", path, params={"wait": seconds}))

    def cancel_match(self, ticket: str) -> None:
        """Look for a partner no more."""
        self.request("DELETE", f"/v1/quick-match/{quote(ticket, '')}")

    # All games of the app

    def events(self, after: str = "0", types: Iterable[str] = ()) -> Iterator[AppEvent]:
        """The events in all games of the app after that event, by its `id`, until now. Raises StreamGap.

        The first request begins the app's log: what happened before is not in it.
        """
        while True:
            page = self._app_events(after, types)
            yield from cast("list[AppEvent]", page["events"])  # no views were asked for
            if not page["events"]:
                return
            after = page["next"]

    def watch(
        self,
        after: str = "now",
        types: Iterable[str] = (),
        on_connection: Callable[[Connection], object] | None = None,
    ) -> Iterator[AppEvent]:
        """Events in all games of the app after that event, by its `id`, as they happen; through restarts.

        Keep the `id` of the last event that you have dealt with: it resumes there. `on_connection` is told
        when the stream is interrupted, and when it is back. Raises StreamGap, ApiError, Unreachable.
        """
        if after == "now":
            after = self._app_events(after, types)["next"]
        wanted = {"after": after, "types": ",".join(types) or None}
        return follow(self._transport, "/v1/events", self._app_key, wanted, None, on_connection)

    def _app_events(self, after: str, types: Iterable[str]) -> AppEventsPage:
        try:
            page = self.request(
                "GET", "/v1/events", params={"after": after, "types": ",".join(types) or None}
            )
        except ApiError as error:
            if error.status == httpx.codes.GONE:
                raise StreamGap(str(error)) from error
            raise
        return cast("AppEventsPage", page)

    # Bots

    def bots(self, game: str | None = None) -> list[BotLine]:
        """The engine's bots, or those of one game."""
        return cast("list[BotLine]", self.request("GET", "/v1/bots", params={"game": game})["bots"])

    def choose(self, bot: str, position: Position) -> ThoughtMove:
        """The move of that bot in a position of your own; `Game.position` has one of a game here."""
        return cast(
            "ThoughtMove", self.request("POST", f"/v1/bots/{quote(bot, '')}/choose", position, timeout=SLOW)
        )

    def choose_all(self, bot: str, positions: Sequence[Position]) -> list[Answered]:
        """The moves of that bot in up to 100 positions, in their order: of each the `answer`, or the `problem` of it.

        Waits until all are there.
        """
        body = {"positions": list(positions)}
        found = self.request("POST", f"/v1/bots/{quote(bot, '')}/choose", body, timeout=SLOW)
        while "answers" not in found:
            found = self.request("GET", found["links"]["self"], params={"wait": JOB_WAIT})
        return cast("list[Answered]", found["answers"])

    # Players

    def player(self, player_id: str) -> Player:
        """Everything that is stored about a player of the app."""
        return cast("Player", self.request("GET", f"/v1/players/{quote(player_id, '')}"))

    def leaderboard(
        self,
        *,
        game: str | None = None,
        time_class: str | None = None,
        around: str | None = None,
        limit: int = 100,
    ) -> Iterator[LeaderboardEntry]:
        """The app's players and the bots that they met, the strongest first, page by page of `limit`.

        It begins so that the player `around`, a name or an id, is in the middle of the first page; it is empty if that
        player has no place.
        """
        asked: Params = {"game": game, "time_class": time_class, "around": around, "limit": limit}
        cursor: str | None = None
        while True:
            page = self.request("GET", "/v1/leaderboard", params={**asked, "cursor": cursor})
            yield from page["entries"]
            cursor = page["next"]
            if cursor is None:
                return

    def erase_player(self, player_id: str) -> None:
        """Erase a player's name."""
        self.request("DELETE", f"/v1/players/{quote(player_id, '')}")

    # The engine

    def signing_keys(self) -> list[PublicKey]:
        """The public keys by which the engine signs heads of games."""
        return cast("list[PublicKey]", self.request("GET", "/.well-known/migrato-keys.json")["keys"])
