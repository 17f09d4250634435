"""The audit of a game by whoever does not trust its operator: pure functions of what was given, without any store.

`live` follows a stream of event documents as they arrive; `verify` checks the export of a game; `findings` names what
is checked, and what was found wrong.
"""
