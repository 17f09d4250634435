"""The settings: read once from MIGRATO_* variables, checked, then handed around; never a module's global."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from environs import Env, EnvError

from events.runtime.rates import A_LIMIT, ON, rates_of
from events.runtime.stores import redis_options
from events.url_guard import Allowed

T = TypeVar("T")

FSYNC = ("always", "everysec", "no")
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
APART = "apart"
ROLES = ("together", APART)
REDIS_SCHEMES = ("redis", "rediss", "unix")
CLUSTER_SCHEMES = ("redis+cluster", "rediss+cluster")
TIME = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
PREFIX = "MIGRATO_"
OF_SUPERVISOR = {"PULSE", "LISTENER"}  # set by `migrato serve` for the processes that it starts
BESIDE = {"COMPILED", "WHEELS", *OF_SUPERVISOR}  # no members of Settings: see `compiled`
APP_KEY = re.compile(r"([a-z0-9][a-z0-9_-]{0,63})=([0-9a-fA-F]{64})")


class SettingsError(Exception):
    """A variable that is not valid, by its value or its name. The message names it, and says what is expected."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an engine. Times are in seconds; `app_keys` maps an app's name to the SHA-256 (hex) of its key.

    `fsync` is when the embedded server brings a move to the disk (see `events.runtime.embedded`); `cache_mb` are MiB,
    for each process. `remote_allow` are networks and hosts (see `events.url_guard`), `remote_seconds` is the time that
    a remote bot has for a move, `remote_calls` how many of them a remote worker waits for at once. `signing_keys` is a
    directory (see `events.runtime.key_files`); without one nothing is signed. `streams_per_caller` limits the streams
    and long polls of one address or token in each web process, each of which gives a sign of life after
    `stream_heartbeat` of silence; `trusted_proxies` are networks. With `require_apps` nobody is served as an app
    without a key, also while there is no app: an engine that others reach does not open when
    its store is lost. It is on behind a proxy or with a public address unless turned off. `ephemeral`: the event store
    is to keep nothing on a disk, so nobody is warned of that. With `allow_eviction` one that evicts does not stop the
    start. With `web_standby` one of several web workers stands by for another that ends. `roles`: whether
    `migrato serve` has workers that wait share a process. `archive` is a directory or a URL of fsspec, None for no
    archive; a game goes there `archive_after` its result was confirmed. It leaves the archive `archive_keep`, and the
    listings `listings_keep`, after its last event, or never (0). A fork that a seat has made
    for itself is kept for `seat_forks_kept`. A process without a heartbeat for `hang_seconds` is replaced; a web
    process that is told to end answers for `drain_seconds` more. `access_log`: a line of the log for each request, at
    the level info. `origins` are sites whose pages may do everything where there are no app keys (see
    `service.http.admission.origins`), or ANY_ORIGIN. `cors_origins` are sites whose pages may read the answers; none
    and ANY_ORIGIN are all sites. `embed_ancestors` are sites whose pages may show a table in a frame. `limits` says
    which limits are in force (see `events.runtime.rates`). `redis_replicas` must have what was written before it counts
    as done. `traces`: there are traces by OpenTelemetry, which OTEL_* variables configure.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    data_dir: Path = Path(".migrato")
    redis_url: str | None = None
    queue_url: str | None = None
    app_keys: Mapping[str, str] = field(default_factory=dict)
    web_workers: int = 2
    web_standby: int = 1
    bot_workers: int = 1
    think_workers: int = 1
    remote_workers: int = 1
    webhook_workers: int = 1
    roles: str = "together"
    log_level: str = "info"
    log_format: str = "text"
    access_log: bool = False
    public_url: str | None = None
    cache_mb: int = 128
    long_poll_max: int = 30
    streams_per_caller: int = 1000
    stream_heartbeat: float = 5.0
    trusted_proxies: tuple[str, ...] = ()
    require_apps: bool = False
    redis_replicas: int = 0
    redis_timeout: float = 2.0
    ephemeral: bool = False
    allow_eviction: bool = False
    fsync: str = "always"
    remote_allow: tuple[str, ...] = ()
    remote_seconds: float = 5.0
    remote_calls: int = 200
    signing_keys: Path | None = None
    archive: str | None = None
    archive_after: float = 604_800
    archive_keep: float = 0
    listings_keep: float = 0
    seat_forks_kept: float = 604_800
    abort_waiting_after: float = 0
    abort_silent_after: float = 0
    hang_seconds: int = 30
    drain_seconds: int = 2
    origins: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    embed_ancestors: tuple[str, ...] = ()
    limits: str = ON
    traces: bool = False


def load(environ: Mapping[str, str], *, with_queue: bool = True) -> Settings:
    """The settings that the environment asks for; SettingsError names the variable at fault.

    `with_queue`: there must be a server for jobs. What only reads and checks the store needs none.
    """
    _refuse_unknown(environ)
    env = _EnvironmentOf(environ)
    default = Settings()
    redis_url = _with_options(
        "REDIS_URL", _read(env.str, "REDIS_URL", default.redis_url, A_REDIS_URL, _is_store_url)
    )
    app_keys = _read(env.str, "APP_KEYS", "", APP_KEYS, _are_app_keys)
    remote_allow = _read(env.str, "REMOTE_ALLOW", "", PLACES, _are_places)
    proxies = _read(env.str, "TRUSTED_PROXIES", "", NETWORKS, _are_networks)
    public_url = _read(
        env.str,
        "PUBLIC_URL",
        None,
        "an http:// or https:// address, with nothing behind its path",
        _is_web_url,
    )
    is_public = "1" if proxies or public_url else "0"
    origins = _read(env.str, "ORIGINS", "", ORIGINS, _are_origins)
    cors_origins = _read(env.str, "CORS_ORIGINS", "", ORIGINS, _are_origins)
    embed_ancestors = _read(env.str, "EMBED_ANCESTORS", "", ORIGINS, _are_origins)
    archive = _read(env.str, "ARCHIVE", default.archive, A_PLACE, _is_place)
    _read(env.str, "COMPILED", "1", "0 or 1", ("0", "1").__contains__)
    archive_after = _seconds(_read(env.str, "ARCHIVE_AFTER", f"{default.archive_after}", A_TIME, _is_a_time))
    return Settings(
        host=_read(env.str, "HOST", default.host, "an address to listen on", _is_host),
        port=_read(env.int, "PORT", default.port, "a port, 1 to 65535", _within(1, 65535)),
        data_dir=_read(
            env.path, "DATA_DIR", default.data_dir, "a directory", lambda path: not path.is_file()
        ),
        redis_url=redis_url,
        queue_url=_with_options("QUEUE_URL", _queue_url(env, redis_url, needed=with_queue)),
        app_keys={name: digest.lower() for name, digest in APP_KEY.findall(app_keys)},
        web_workers=_read(env.int, "WEB_WORKERS", default.web_workers, "a number, 1 to 256", _within(1, 256)),
        web_standby=_read(env.int, "WEB_STANDBY", default.web_standby, "0 or 1", _within(0, 1)),
        bot_workers=_read(env.int, "BOT_WORKERS", default.bot_workers, "a number, 0 to 256", _within(0, 256)),
        think_workers=_read(
            env.int, "THINK_WORKERS", default.think_workers, "a number, 0 to 256", _within(0, 256)
        ),
        remote_workers=_read(
            env.int, "REMOTE_WORKERS", default.remote_workers, "a number, 0 to 256", _within(0, 256)
        ),
        webhook_workers=_read(
            env.int, "WEBHOOK_WORKERS", default.webhook_workers, "a number, 0 to 256", _within(0, 256)
        ),
        roles=_read(env.str, "ROLES", default.roles, _one_of(ROLES), ROLES.__contains__),
        log_level=_read(
            env.str, "LOG_LEVEL", default.log_level, _one_of(LOG_LEVELS), LOG_LEVELS.__contains__
        ),
        log_format=_read(
            env.str, "LOG_FORMAT", default.log_format, _one_of(LOG_FORMATS), LOG_FORMATS.__contains__
        ),
        access_log=_read(env.str, "ACCESS_LOG", "0", "0 or 1", ("0", "1").__contains__) == "1",
        public_url=public_url,
        cache_mb=_read(env.int, "CACHE_MB", default.cache_mb, "a number of MiB, at least 1", _within(1)),
        long_poll_max=_read(
            env.int, "LONG_POLL_MAX", default.long_poll_max, "seconds, 0 to 300", _within(0, 300)
        ),
        streams_per_caller=_read(
            env.int, "STREAMS_PER_CALLER", default.streams_per_caller, "a number, at least 1", _within(1)
        ),
        stream_heartbeat=_read(
            env.float, "STREAM_HEARTBEAT", default.stream_heartbeat, "seconds, 0.1 to 15", _within(0.1, 15)
        ),
        trusted_proxies=tuple(_listed(proxies)),
        require_apps=_read(env.str, "REQUIRE_APPS", is_public, "0 or 1", ("0", "1").__contains__) == "1",
        redis_replicas=_read(
            env.int, "REDIS_REPLICAS", default.redis_replicas, "a number, 0 to 9", _within(0, 9)
        ),
        redis_timeout=_read(
            env.float, "REDIS_TIMEOUT", default.redis_timeout, "seconds, 0.05 to 60", _within(0.05, 60)
        ),
        ephemeral=_read(env.str, "EPHEMERAL", "0", "0 or 1", ("0", "1").__contains__) == "1",
        allow_eviction=_read(env.str, "ALLOW_EVICTION", "0", "0 or 1", ("0", "1").__contains__) == "1",
        fsync=_read(env.str, "FSYNC", default.fsync, _one_of(FSYNC), FSYNC.__contains__),
        remote_allow=tuple(_listed(remote_allow)),
        remote_seconds=_read(
            env.float, "REMOTE_SECONDS", default.remote_seconds, "seconds, 0.1 to 60", _within(0.1, 60)
        ),
        remote_calls=_read(
            env.int, "REMOTE_CALLS", default.remote_calls, "a number, 1 to 256", _within(1, 256)
        ),
        signing_keys=_read(
            env.path, "SIGNING_KEYS", None, "a directory", lambda path: path is None or not path.is_file()
        ),
        archive=None if archive == NO_ARCHIVE else archive,
        archive_after=archive_after,
        archive_keep=_period(env, "ARCHIVE_KEEP", archive_after),
        listings_keep=_period(env, "LISTINGS_KEEP", archive_after),
        seat_forks_kept=_seconds(
            _read(env.str, "SEAT_FORKS_KEPT", f"{default.seat_forks_kept}", A_TIME, _is_a_time)
        ),
        abort_waiting_after=_seconds(
            _read(env.str, "ABORT_WAITING_AFTER", f"{default.abort_waiting_after}", A_TIME, _is_a_time)
        ),
        abort_silent_after=_seconds(
            _read(env.str, "ABORT_SILENT_AFTER", f"{default.abort_silent_after}", A_TIME, _is_a_time)
        ),
        hang_seconds=_read(
            env.int, "HANG_SECONDS", default.hang_seconds, "seconds, 5 to 3600", _within(5, 3600)
        ),
        drain_seconds=_read(
            env.int, "DRAIN_SECONDS", default.drain_seconds, "seconds, 1 to 600", _within(1, 600)
        ),
        origins=tuple(_listed(origins)),
        cors_origins=tuple(_listed(cors_origins)),
        embed_ancestors=tuple(_listed(embed_ancestors)),
        traces=_read(env.str, "TRACES", "0", "0 or 1", ("0", "1").__contains__) == "1",
        limits=_read(env.str, "LIMITS", default.limits, A_LIMIT, _are_limits),
    )


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """SettingsError for a name that nothing reads, most likely a slip: a setting that is not heeded may be a lock.

    So is the name of what commands and tests read: MIGRATO_APP_KEY is near to MIGRATO_APP_KEYS.
    """
    known = {name.upper() for name in Settings.__dataclass_fields__} | BESIDE
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if name == variable or not environ[variable] or name in known:
            continue
        raise SettingsError(f"{variable} is no setting. {_advice(name, known - OF_SUPERVISOR)}")


def _advice(name: str, settings: Collection[str]) -> str:
    close = get_close_matches(name, sorted(settings), n=1)
    return f"Did you mean {PREFIX}{close[0]}?" if close else "docs/reference/settings.md lists the settings."


IN_PASSWORDS = "in its password %23, %2F and %3F are for #, / and ?"
A_REDIS_URL = (
    f"a redis://, rediss:// or unix:// address, or redis+cluster://host:port[,host:port...]; {IN_PASSWORDS}"
)
A_QUEUE_URL = f"a redis://, rediss:// or unix:// address of one server; {IN_PASSWORDS}"
A_PLACE = "a directory, or an address that fsspec knows (s3://..., memory://...), or off"
A_TIME = "seconds, or a number with a unit: 90m, 12h, 7d"
OFF = "off"
NO_ARCHIVE = OFF
A_NETWORK = "10.0.0.0/8, ::1; with no bits set beyond the prefix: 127.0.0.0/8 and not 127.0.0.1/8"
ANY_ORIGIN = "*"
ORIGINS = "origins (http://localhost:3000, with no slash or path behind), separated by commas, or *"
PLACES = f"networks ({A_NETWORK}) and names of hosts, separated by commas"
NETWORKS = f"networks ({A_NETWORK}), separated by commas"
APP_KEYS = "name=sha256 pairs, separated by commas, where sha256 is the hex digest of the app's key"


class _EnvironmentOf(Env):
    """An environment reader over a given mapping; an empty variable counts as one that is not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(prefix=PREFIX)
        self._variables = environ

    def _get_value(self, env_key: str, default: Any) -> Any:
        return self._variables.get(env_key) or default


def _read(parse: Callable[..., Any], name: str, default: T, wants: str, fits: Callable[[Any], bool]) -> T:
    """The variable's value. The message says only what is wanted, because the value may hold a password."""
    try:
        value: T = parse(name, default)
        fit = value is default or fits(value)
    except (EnvError, ValueError) as error:  # as urlsplit's of "http://[::1"
        raise SettingsError(f"MIGRATO_{name} must be {wants}.") from error
    if not fit:
        raise SettingsError(f"MIGRATO_{name} must be {wants}.")
    return value


def _one_of(words: tuple[str, ...]) -> str:
    return "one of " + ", ".join(words)


def _within(low: float, high: float = float("inf")) -> Callable[[float], bool]:
    return lambda number: low <= number <= high


def _is_host(host: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9.:_-]+", host) is not None


def _is_redis_url(url: str) -> bool:
    """True if the URL names one server and nothing else, so that no part of a password is taken for a port or path.

    The client takes a database that is no number for database 0. It is not asked here: imported so early, it would use
    the standard library as it is before gevent changes it. Raises ValueError for some URLs that cannot be used.
    """
    parts = urlsplit(url)
    if parts.scheme not in REDIS_SCHEMES or parts.fragment or not _is_query(parts.query):
        return False
    if parts.scheme == "unix":
        return parts.path not in ("", "/")
    return parts.port != 0 and re.fullmatch(r"/?|/[0-9]+", parts.path) is not None


def _is_query(query: str) -> bool:
    """True if the text can be a query, and is not part of a password with a ? in it. Raises ValueError."""
    return not query or (
        "@" not in query and bool(parse_qsl(query, strict_parsing=True, keep_blank_values=True))
    )


def _with_options(name: str, url: str | None) -> str | None:
    """The address of a Redis server; the client can use all its options. SettingsError names one that is not."""
    fault = None if url is None else redis_options.fault(urlsplit(url))
    if fault is not None:
        raise SettingsError(f"{PREFIX}{name} {fault}.")
    return url


def _is_store_url(url: str) -> bool:
    """True if the URL names a server or a cluster: some of its servers, each with a port if need be."""
    parts = urlsplit(url)
    if parts.scheme not in CLUSTER_SCHEMES:
        return _is_redis_url(url)
    servers = parts.netloc.rpartition("@")[2].split(",")
    return (
        parts.path in ("", "/")
        and not parts.fragment
        and _is_query(parts.query)
        and all(map(_is_server, servers))
    )


def _is_server(text: str) -> bool:
    match = re.fullmatch(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?", text)
    return match is not None and 0 < int(match[1] or 1) < 65_536


def _queue_url(env: Env, redis_url: str | None, *, needed: bool) -> str | None:
    """Server of the jobs: with the games, unless another server is named. A cluster cannot keep them."""
    if redis_url is None or urlsplit(redis_url).scheme not in CLUSTER_SCHEMES:
        return _read(env.str, "QUEUE_URL", redis_url, A_QUEUE_URL, _is_redis_url)
    url: str | None = _read(env.str, "QUEUE_URL", None, A_QUEUE_URL, _is_redis_url)
    if url is None and needed:
        raise SettingsError(
            f"MIGRATO_QUEUE_URL must be set beside a cluster, which cannot keep jobs: {A_QUEUE_URL}."
        )
    return url


def _is_web_url(url: str) -> bool:
    parts = urlsplit(url)
    behind = parts.query or parts.fragment or "@" in parts.netloc
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not behind


def _is_place(text: str) -> bool:
    scheme, separator, _ = text.partition("://")
    if not separator:
        return text == NO_ARCHIVE or not Path(text).is_file()
    from fsspec import available_protocols

    return scheme in available_protocols()


def _is_a_time(text: str) -> bool:
    return TIME.fullmatch(text) is not None


def _seconds(text: str) -> float:
    match = TIME.fullmatch(text)
    assert match is not None
    return float(match[1]) * UNITS[match[2]]


def _period(env: Env, name: str, least: float) -> float:
    """Seconds for which a game is kept; 0 for ever. It is more than `least`, after which games are archived."""
    wants = f"{A_TIME}, and more than MIGRATO_ARCHIVE_AFTER; or {OFF}"
    text = _read(
        env.str,
        name,
        OFF,
        wants,
        lambda text: text == OFF or (_is_a_time(text) and _seconds(text) > least),
    )
    return 0 if text == OFF else _seconds(text)


def _are_app_keys(text: str) -> bool:
    names = []
    for pair in text.split(","):
        match = APP_KEY.fullmatch(pair.strip())
        if match is None:
            return False
        names.append(match[1])
    return len(set(names)) == len(names)


def _listed(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def _are_networks(text: str) -> bool:
    try:
        for entry in _listed(text):
            ip_network(entry)
    except ValueError:
        return False
    return True


def _are_limits(text: str) -> bool:
    try:
        rates_of(text)
    except ValueError:
        return False
    return True


def _are_origins(text: str) -> bool:
    return all(entry == ANY_ORIGIN or is_origin(entry) for entry in _listed(text))


def is_origin(text: str) -> bool:
    """True if the text is an origin and nothing else: a scheme, a host and perhaps a port."""
    return re.fullmatch(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?", text) is not None


def _are_places(text: str) -> bool:
    try:
        Allowed.of(_listed(text))
    except ValueError:
        return False
    return True
