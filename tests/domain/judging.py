"""What the net says of the moves of whole games, as one checksum."""

import random
from hashlib import sha256
from typing import Any, Final

from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import observe
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import Judge
from domain.migrato.rules.decide import decide
from domain.migrato.rules.state import INITIAL, evolve, fold

SEATS: Final = (Seat("human", "ada"), Seat("human", "bob"))


def judged(positions: int, options: dict[str, Any]) -> str:
    """The checksum of the judgements of so many positions that moves lead to, in games with random moves."""
    digest, rng, seed = sha256(), random.Random(positions), 0
    while positions > 0:
        seed += 1
        chance = SeededChance(seed.to_bytes(32, "big"), "judging")
        state = fold(INITIAL, decide(INITIAL, None, Create("judging", "c", options, SEATS), chance))
        known = [NOTHING, NOTHING]
        while state.to_act is not None and state.turn < 80 and positions > 0:
            seat = state.to_act
            observation = observe(state, seat, known[seat])
            judge = Judge(observation, trained())
            logits = [judge.logit(move) for move in observation.moves]
            digest.update(repr(logits).encode())
            positions -= len(logits)
            best = observation.moves[logits.index(max(logits))]
            move = best if rng.random() < 0.7 else rng.choice(observation.moves)
            for event in decide(state, seat, move, chance):
                after = evolve(state, event)
                known = [update_knowledge(known[s], s, state, event, after) for s in (0, 1)]
                state = after
    return digest.hexdigest()
