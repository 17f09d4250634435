"""Compiles `domain` and parts of `events` in the working directory in place, and removes the sources of those parts."""

import os
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

# What only the service asks for, a few times a request, stays plain: it would double the time that compiling takes.
LEFT_OUT = {
    "domain/base/__init__.py",
    "domain/base/events.py",
    "domain/base/game.py",
    "domain/base/lifecycle.py",
    "domain/base/rules.py",
    "domain/base/table.py",
    "domain/game.py",
    "domain/registry.py",
    "domain/migo/audit.py",
    "domain/migo/codec/event_codec.py",
    "domain/migo/codec/move_codec.py",
    "domain/migo/codec/position_reader.py",
    "domain/migo/drawing.py",
    "domain/migo/net/trained.py",
    "domain/migo/rules/fork.py",
    "domain/migo/positions/__init__.py",
    "domain/migo/positions/impossible.py",
    "domain/migo/positions/reachable.py",
    "domain/migo/game.py",
    "domain/migo/preview.py",
    "domain/migo/notation.py",
    "domain/migo/rules/view.py",
    "domain/migo/archive_columns.py",
    "domain/migrato/archive_columns.py",
    "domain/migrato/belief/resampling.py",
    "domain/migrato/net/trained.py",
    "domain/migrato/rules/fork.py",
    "domain/migrato/codec/readers.py",
    "domain/migrato/codec/history_reader.py",
    "domain/migrato/codec/table_reader.py",
    "domain/migrato/notation.py",
    "domain/migrato/codec/position_reader.py",
    "domain/migrato/preview.py",
    "domain/takebacks/decide.py",
    "domain/takebacks/takebacks.py",
}
# What a move passes through between the rules and the store, and what an audit spends its time in.
RECORDING = {
    "domain/annotations.py",
    "domain/chance.py",
    "domain/keyed_hash.py",
    "domain/migrato/audit.py",
    "domain/migrato/codec/event_codec.py",
    "domain/migrato/codec/move_codec.py",
    "domain/migrato/codec/position_codec.py",
    "domain/migrato/game.py",
    "domain/migrato/rules/view.py",
    "events/audit/bots.py",
    "events/audit/clocks.py",
    "events/audit/counts.py",
    "events/audit/fast_path.py",
    "events/audit/infer_commands.py",
    "events/audit/remarks/traces.py",
    "events/audit/remarks/unproven.py",
    "events/audit/replay.py",
    "events/audit/stream_verifier.py",
    "events/games/command_handler.py",
    "events/games/pending_action.py",
    "events/log/chain.py",
    "events/log/envelope.py",
    "events/log/game_secrets.py",
    "events/log/partitions.py",
    "events/log/player_ids.py",
    "events/log/seeds.py",
    "events/log/serialisers.py",
    "events/log/snapshot.py",
    "events/log/upcasters.py",
    "events/redis/event_store.py",
    "events/redis/keys.py",
    "events/redis/stream_entries.py",
}

# What every request of a player passes through beside that, from the request to the answer.
SERVING = {
    "events/caching.py",
    "events/games/access.py",
    "events/games/caches.py",
    "events/games/repository.py",
    "events/players/players.py",
    "events/ports.py",
    "events/redis/cluster/client.py",
    "events/redis/cluster/slots.py",
    "events/redis/cluster/topology.py",
    "events/redis/connections/batching.py",
    "events/redis/connections/client.py",
    "events/redis/connections/direct.py",
    "events/redis/connections/hub_batching.py",
    "events/redis/connections/refusals.py",
    "events/runtime/figures.py",
    "events/use_cases/callers.py",
    "events/use_cases/moves.py",
    "events/use_cases/views.py",
    "service/http/call.py",
    "service/http/fast_path.py",
    "service/http/operations/request_metrics.py",
    "service/http/request_context.py",
    "service/http/request_parsing.py",
    "service/http/resources/posted_moves.py",
    "service/http/responses.py",
    "service/http/server/arrivals.py",
    "service/http/server/plain_connection.py",
    "service/http/server/plain_requests.py",
}

rules = {str(path) for path in Path("domain").rglob("*.py")} - LEFT_OUT - RECORDING - SERVING
second_game = {path for path in rules if path.startswith("domain/migo/")}
# One C file each: calls within it are direct. They are compiled at the same time, as far as there are cores. No library
# may be called like the last part of a package's name: mypyc would look for that package's modules beside it.
libraries = {
    "library_rules": rules - second_game,
    "library_second_game": second_game,
    "library_recording": RECORDING,
    "library_serving": SERVING,
}
modules = sorted(rules | RECORDING | SERVING)
# -O1: higher levels take twice as long and are no faster.
extensions = mypycify(
    ["--ignore-missing-imports", "--no-warn-unused-ignores", *modules],
    opt_level="1",
    debug_level="0",
    separate=[(sorted(files), name) for name, files in libraries.items()],
)
for extension in extensions:  # a product is rounded before it is added to, on every machine, as Python does
    extension.extra_compile_args.append("-ffp-contract=off")
setup(
    name="domain",
    packages=[],
    ext_modules=extensions,
    script_args=[
        "--quiet",
        "build_ext",
        "--inplace",
        f"--parallel={min(len(libraries), os.cpu_count() or 1)}",
    ],
)
for module in {*modules, *map(str, Path("service").rglob("*.py"))}:
    Path(module).unlink()
