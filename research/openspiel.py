"""Migrato as an OpenSpiel game, "python_migrato"; importing this module registers it.

Two players, turn by turn, zero sum, imperfect information. Chance is explicit: cards are dealt one by one by their
faces, so outcomes have exact probabilities and a reshuffle is no event of its own. A player's move is numbered as
`research.numbering.MOVES`, an outcome of chance as the domain numbers faces.

Game parameters: those of `domain.migrato.rules.rule_books`, but `first_seat` is -1 where it is drawn, a `deck_list`
other than "standard" is written "G5d:2 G4d:3 ...", and `turn_limit` must be set, since games have a greatest length in
OpenSpiel. With `score_difference` a game is worth its difference in points, else 1, 0 or -1.
"""

import random
import time
from collections.abc import Callable
from typing import Final

import numpy as np
import pyspiel

from domain.bot import Budget, Rng
from domain.lifecycle import Json
from domain.migrato.bots import BOTS
from domain.migrato.rules.cards import BIRDS, NAME, SPECIES, SPECIES_OF
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.options import OPTIONS, Rules, resolve
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS
from domain.prng import Prng
from research import sight
from research.dealing import Table
from research.numbering import MOVES, NUMBER_OF, described

DRAWN: Final = -1  # as a first seat
MOVES_A_TURN: Final = 2  # an action and a discard

GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_migrato",
    long_name="Migrato",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=SEATS,
    min_num_players=SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={
        **{one.name: one.of_bots for one in OPTIONS if one.is_of_bots},
        "score_difference": False,
    },
)


class MigratoGame(pyspiel.Game):
    """The game with its parameters; DomainError "validation-error" names one that is wrong."""

    def __init__(self, params: Json | None = None) -> None:
        """`params`: those that differ from the default."""
        params = GAME_TYPE.parameter_specification | (params or {})
        options = _options(params)
        rules = resolve(options)
        assert rules.turn_limit is not None
        self.laid = Table.laid(options)
        self.score_difference: bool = params["score_difference"]
        highest = float(_most_points(rules)) if self.score_difference else 1.0
        self._chance_nodes = 1 + SEATS * HAND_SIZE + rules.turn_limit * HAND_SIZE
        info = pyspiel.GameInfo(
            num_distinct_actions=len(MOVES),
            max_chance_outcomes=len(NAME),
            num_players=SEATS,
            min_utility=-highest,
            max_utility=highest,
            utility_sum=0.0,
            max_game_length=MOVES_A_TURN * rules.turn_limit,
        )
        super().__init__(GAME_TYPE, info, params)

    def new_initial_state(self) -> "MigratoState":
        """The state before the first card is dealt."""
        return MigratoState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes: the first seat, the deal, and a whole hand every turn."""
        return self._chance_nodes

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Json | None = None
    ) -> "MigratoObserver":
        """See `MigratoObserver`."""
        return MigratoObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


def _options(params: Json) -> Json:
    """The game's options in the domain's own words."""
    options = {name: value for name, value in params.items() if name != "score_difference"}
    if options["first_seat"] == DRAWN:
        options["first_seat"] = "random"
    if options["deck_list"] != "standard":
        entries = (entry.partition(":") for entry in options["deck_list"].split())
        options["deck_list"] = {face: int(count) for face, _, count in entries}
    return options


def _most_points(rules: Rules) -> int:
    """No score can be higher: the most birds of every species, and all Return Flight cards."""
    birds = sum(max(BIRDS[f] for f in rules.deck if SPECIES_OF[f] == s) for s in range(len(SPECIES)))
    return birds + (sum(rules.flight_points) if rules.return_flight else 0)


class MigratoState(pyspiel.State):
    """A moment of a game; `table` is all there is to it."""

    def __init__(self, game: MigratoGame) -> None:
        """Made by `MigratoGame.new_initial_state` only."""
        super().__init__(game)
        self.table = game.laid

    def current_player(self) -> int:
        """The seat to act, or who acts for none."""
        if self.table.deal is not None:
            return int(pyspiel.PlayerId.CHANCE)
        to_act = self.table.state.to_act
        return int(pyspiel.PlayerId.TERMINAL) if to_act is None else to_act

    def _legal_actions(self, player: int) -> list[int]:
        return sorted([NUMBER_OF[move] for move in legal_moves(self.table.state)])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The faces that may be dealt next, or the seats that may start."""
        return self.table.outcomes()

    def _apply_action(self, action: int) -> None:
        self.table = self.table.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return described(action)
        assert self.table.deal is not None
        return f"seat {action} starts" if self.table.deal.first_seat is None else f"deal {NAME[action]}"

    def is_terminal(self) -> bool:
        """True once the game is over."""
        return self.table.state.result is not None

    def returns(self) -> list[float]:
        """The return of each seat; 0 until the game is over."""
        result = self.table.state.result
        if result is None:
            return [0.0] * SEATS
        lead = result.scores[0] - result.scores[1]
        if not self.get_game().score_difference:
            lead = (lead > 0) - (lead < 0)
        return [float(lead), float(-lead)]

    def __str__(self) -> str:
        """The table with everything that is hidden; the order of the deck is nobody's."""
        table = self.table
        lines = [sight.described(table.state, seat, recalls=True) for seat in range(SEATS)]
        lines.append(f"in the deck: {' '.join(sorted(NAME[card] for card in table.state.deck))}")
        if table.deal is not None:
            lines.append(f"dealt: {' '.join(NAME[card] for card in table.deal.dealt)}")
        return "\n".join(lines)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "MigratoState":
        """A state that the player cannot tell from this one, hidden cards drawn from a seed of the `sampler`.

        It plays on by the rules like any other, but its `history()` is still this state's.
        """
        return self.imagined(player, Prng(int(sampler() * 2**53)))

    def imagined(self, player: int, rng: Rng) -> "MigratoState":
        """The same, by a generator such as `random.Random`: what ISMCTSBot.set_resampler asks for."""
        state: MigratoState = self.clone()
        state.table = self.table.imagined(player, rng)
        return state


class MigratoObserver:
    """Observation of a player or, by private_info NONE, a spectator: `string_from`, and as numbers `tensor` and `dict`.

    With perfect recall it is a text only: the own cards, and all that happened as far as the player could see it.
    Without, it is the table; own face-down cards are shown as the rules have it, with the option `memory_aid`.
    """

    def __init__(self, iig_obs_type: pyspiel.IIGObservationType, params: Json | None) -> None:
        """ValueError for what is not offered: private information alone, or that of all players."""
        if params or not iig_obs_type.public_info:
            raise ValueError("There are no observations without what is public, and none with parameters.")
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("There are no observations of all players' cards.")
        self._spectates = iig_obs_type.private_info == pyspiel.PrivateInfoType.NONE
        self._recalls: bool = iig_obs_type.perfect_recall
        self.tensor = None if self._recalls else np.zeros(sight.SIZE, np.float32)
        self.dict = {} if self.tensor is None else sight.pieces(self.tensor)

    def set_from(self, state: MigratoState, player: int) -> None:
        """Write what the player sees into `tensor`, of which `dict` holds the parts."""
        if self.tensor is not None:
            self.tensor.fill(0)
            viewer = None if self._spectates else player
            sight.fill(self.dict, state.table.state, player, viewer, _aided(state))

    def string_from(self, state: MigratoState, player: int) -> str:
        """The player's observation in words."""
        table, viewer = state.table, None if self._spectates else player
        if not self._recalls:
            who = "a spectator" if viewer is None else f"seat {viewer}"
            return f"{who} sees\n{sight.described(table.state, viewer, _aided(state))}"
        own = "" if viewer is None else f"{sight.held(table.state, viewer)}\n"
        return own + table.history(viewer)


def _aided(state: MigratoState) -> bool:
    return bool(state.table.options["memory_aid"])


class MigratoBot(pyspiel.Bot):
    """One of the project's bots at OpenSpiel's tables. It gets what its seat has seen, never the state.

    `budget`: as the bot itself has it unless given; milliseconds are counted from the moment it is asked, by `clock`
    (in seconds).
    """

    def __init__(
        self,
        name: str,
        seed: int,
        budget: Budget | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`name`: see domain.migrato.bots.BOTS."""
        super().__init__()
        self._bot, self._rng = BOTS[name], random.Random(seed)
        self._budget, self._clock = budget or self._bot.budget, clock

    def step(self, state: MigratoState) -> int:
        """The bot's move for the seat to act, by its number."""
        asked = self._clock()
        limit = self._budget.milliseconds if self._budget else None

        def over() -> bool:
            return limit is not None and (self._clock() - asked) * 1000 >= limit

        seen = state.table.seen(state.current_player())
        move = self._bot.think(seen, self._rng, self._budget, over).move
        return NUMBER_OF[move]


pyspiel.register_game(GAME_TYPE, MigratoGame)
