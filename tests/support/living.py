"""Thinkers that live, as far as the queue's server can tell."""

from events.engine.pending_action import QUESTION_QUEUE
from events.store.connections.client import RedisClient
from events.store.queues.keys import workers


def live(link: RedisClient, number: int) -> None:
    """Make the server believe in so many living thinkers, and in one that has fallen silent."""
    for name, seconds in [(f"w{at}", 80) for at in range(number)] + [("dead", 50)]:
        link.call("SADD", workers(QUESTION_QUEUE), name)
        link.call("SET", name, "", "EX", seconds)
