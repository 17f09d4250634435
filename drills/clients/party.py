"""Parties: one game after another, created, played to the end by everybody who has a seat, and watched."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from domain.game import Game
from domain.registry import GAMES, game_named
from drills.clients.client import TIMEOUT, AppKey, Client, Unanswered, new_key
from drills.clients.follower import Follower
from drills.clients.player import Abandoned, Player
from drills.history import History

Json = dict[str, Any]
TURNS: Final = (10, 50)
QUICK_BOT: Final = 50  # milliseconds for a move; slower ones would make a drill of few games
ONLY_BOTS: Final = 0.25  # of the games
PUBLIC: Final = 0.5
LOOK: Final = 0.1  # seconds between two looks at who still plays


@dataclass(slots=True)
class Parties:
    """All clients that play in one drill."""

    url: str
    history: History
    app_key: AppKey
    seed: int
    patience: float
    remote_bot: str | None = None  # a URL
    closing: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)
    unanswered: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    finished: int = 0
    _threads: list[threading.Thread] = field(default_factory=list)

    def open(self, number: int) -> None:
        """Let so many parties play until `close`; each follows from the seed and its number."""
        for at in range(number):
            rng = random.Random(f"{self.seed}:{at}")
            thread = threading.Thread(target=self._guarded, args=(f"party-{at}", rng), daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Start no new games; return once the running ones are over, or once every client has lost patience."""
        self.closing.set()
        running, deadline = self.history.running(), time.monotonic() + self.patience
        while self._is_playing() and time.monotonic() < deadline:
            time.sleep(LOOK)
            if (now := self.history.running()) != running:
                running, deadline = now, time.monotonic() + self.patience
        self.stopped.set()
        deadline = time.monotonic() + 2 * TIMEOUT
        while self._is_playing() and time.monotonic() < deadline:
            time.sleep(LOOK)

    def _is_playing(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def _guarded(self, name: str, rng: random.Random) -> None:
        try:
            while not self.closing.is_set():
                self._game(name, rng)
        except Unanswered as error:
            self.unanswered.append(str(error))
        except Exception as error:  # noqa: BLE001 (a client that fails must not go unnoticed)
            self.failures.append(f"{name}: {type(error).__name__}: {error}")

    def _game(self, name: str, rng: random.Random) -> None:
        game, new = self._drawn(rng)
        host = self._client(name)
        created = host.ask("create", "POST", "/v1/games", token=self.app_key, body=new, key=new_key())
        if not created.ok:
            raise AssertionError(f"the engine refuses a game: {created.document}")
        game_id = str(created.document["id"])
        self.history.write(game_id, {"is": "created", "by": name, "new": new})
        self.history.told(game_id, created.document["version"])
        played = threading.Event()
        players = [
            threading.Thread(target=self._seated, args=(player,), daemon=True)
            for player in self._players(name, rng, game, created.document)
        ]
        followers = [
            threading.Thread(target=self._following, args=(follower,), daemon=True)
            for follower in self._followers(name, created.document, played)
        ]
        for thread in (*players, *followers):
            thread.start()
        for thread in players:
            thread.join()
        played.set()
        for thread in followers:
            thread.join()
        self.finished += 1

    def _drawn(self, rng: random.Random) -> tuple[Game, Json]:
        """A game to play, and the kinds of its seats, drawn at random."""
        game = game_named(rng.choice(sorted(GAMES)))
        people = rng.random() >= ONLY_BOTS
        seats = [self._seat(game, rng, people=people) for _ in range(rng.choice(list(game.seat_counts)))]
        if people:
            seats[0] = {"kind": "human", "player": "ada"}
        options = {
            option.name: rng.randint(*TURNS) for option in game.option_table if option.name == "turn_limit"
        }
        # A player who takes an open seat has no token yet, and sees public games only.
        public = not people or rng.random() < PUBLIC
        public = public or any(seat["kind"] == "open" for seat in seats)
        return game, {
            "game": game.name,
            "seats": seats,
            "options": options,
            "visibility": "public" if public else "private",
        }

    def _seat(self, game: Game, rng: random.Random, *, people: bool) -> Json:
        roll = rng.random()
        if people and roll < 0.5:
            return {"kind": "open"}
        if self.remote_bot is not None and roll > 0.85:
            return {"kind": "remote", "url": self.remote_bot}
        quick = sorted(bot.name for bot in game.bots.values() if bot.milliseconds <= QUICK_BOT)
        return {"kind": "bot", "bot": rng.choice(quick)}

    def _players(self, name: str, rng: random.Random, game: Game, created: Json) -> Iterator[Player]:
        """The players from here: holders of tokens, those who take open seats, and a spectator."""
        game_id, gone = str(created["id"]), threading.Event()
        for seat in created["seats"]:
            number, chance = seat["seat"], random.Random(rng.getrandbits(53))
            client = self._client(f"{name}-{game_id[:6]}-{number}")
            if seat["kind"] == "human":
                yield Player(client, game, game_id, chance, gone, number, seat["token"])
            elif seat["kind"] == "open":
                yield Player(client, game, game_id, chance, gone, number)
        if created["visibility"] == "public":
            yield Player(self._client(f"{name}-{game_id[:6]}-eyes"), game, game_id, rng, gone)

    def _followers(self, name: str, created: Json, played: threading.Event) -> Iterator[Follower]:
        """A seat's holder from the beginning, and a spectator, each on a stream beside the players."""
        game_id = str(created["id"])
        by = f"{name}-{game_id[:6]}-stream"
        human = next((seat for seat in created["seats"] if seat["kind"] == "human"), None)
        if human is not None:
            client = self._client(f"{by}-{human['seat']}")
            yield Follower(client, game_id, played, human["seat"], human["token"])
        if created["visibility"] == "public":
            yield Follower(self._client(f"{by}-eyes"), game_id, played)

    def _following(self, follower: Follower) -> None:
        try:
            follower.follow()
        except Unanswered as error:
            self.unanswered.append(str(error))
        except Exception as error:  # noqa: BLE001 (a client that fails must not go unnoticed)
            self.failures.append(f"{follower.client.by}: {type(error).__name__}: {error}")

    def _seated(self, player: Player) -> None:
        """Take the seat if it is an open one, and play."""
        try:
            if player.seat is not None and player.token is None:
                player.sit_again = lambda: self._sit(player)
                player.token = self._sit(player)
            player.play()
            return
        except Abandoned:
            self.history.write(player.game_id, {"is": "abandoned", "by": player.client.by})
        except Unanswered as error:
            self.unanswered.append(str(error))
        except Exception as error:  # noqa: BLE001 (a client that fails must not go unnoticed)
            self.failures.append(f"{player.client.by}: {type(error).__name__}: {error}")
        player.gone.set()
        self.history.over(player.game_id)

    @staticmethod
    def _sit(player: Player) -> str:
        path = f"/v1/games/{player.game_id}/seats/{player.seat}"
        answer = player.client.ask(
            "sit",
            "POST",
            path,
            game_id=player.game_id,
            seat=player.seat,
            body={"player": "bo"},
            key=new_key(),
        )
        if not answer.ok:
            raise Abandoned(player.game_id)
        return str(answer.document["token"])

    def _client(self, by: str) -> Client:
        return Client(self.url, by, self.history, self.patience, self.stopped)
