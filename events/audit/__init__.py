"""The audit of a game, without trust in its operator: pure functions of an export or of events, with no store.

`stream_verifier` follows a stream of event documents as they arrive; `verify` checks the export of a game; `findings`
names the checks, and what they found. `domain.game.Game` answers everything that is particular to a game.
"""
