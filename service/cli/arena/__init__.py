"""`migrato arena`: a round robin between bots, their Elo ratings, and what those are worth."""

from service.cli.arena.command import arena

__all__ = ["arena"]
