"""Django settings. Every environment variable is read here and nowhere else."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError

from indexer.pipeline.cores import own_cores
from indexer.pipeline.hosts import check_editor_template

BASE_DIR = Path(__file__).resolve().parent.parent
SOCKET_PATH_LIMIT = 100  # Linux refuses a Unix socket path over 107 bytes.

# Torch, FAISS and OpenMP hang after a fork with more than one thread each, and one
# thread per query is also the fastest way to serve several.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

env = Env()


def read_flag(name: str, default: bool) -> bool:
    """Read a yes/no variable; refuse anything that is neither 0 nor 1."""
    value = env.str(name, "1" if default else "0")
    if value not in ("0", "1"):
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to 0 or 1")
    return value == "1"


def read_number(name: str, default: int, *, least: int = 1) -> int:
    """Read a whole number that is at least `least`."""
    try:
        value = env.int(name, default)
    except EnvError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number") from error
    if value < least:
        raise ImproperlyConfigured(f"{name} is {value}; set it to {least} or more")
    return value


def read_seconds(name: str, default: float) -> float:
    """Read a span of time, more than nothing."""
    try:
        value = env.float(name, default)
    except EnvError as error:
        raise ImproperlyConfigured(f"{name} must be a number of seconds") from error
    if value <= 0:
        raise ImproperlyConfigured(f"{name} is {value}; set it to more than 0")
    return value


def read_folders(name: str) -> list[Path]:
    """Read a list of folders, separated by the system's path separator."""
    folders = [Path(part) for part in env.str(name, "").split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_absolute():
            raise ImproperlyConfigured(f"{name} holds {folder}; use absolute paths")
    return folders


def stored_secret(path: Path) -> str:
    """Return the secret kept in `path`; make it at the first start."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(name, path)  # Atomic: the first of two starting processes wins.
        except FileExistsError:
            pass
        finally:
            os.unlink(name)
    return path.read_text()


def socket_path(folder: Path) -> Path:
    """Return where the embedded broker listens: in `folder` if the path is short."""
    path = folder / "valkey.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT:
        return path
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"codesearch-{digest}" / "valkey.sock"


DEBUG = read_flag("CODESEARCH_DEBUG", default=False)
DATA_DIR = Path(env.str("CODESEARCH_DATA", str(BASE_DIR / "data"))).resolve()
try:
    SECRET_KEY = env.str("CODESEARCH_SECRET_KEY", "") or stored_secret(
        DATA_DIR / "secret_key"
    )
except OSError as error:
    raise ImproperlyConfigured(
        f"The data folder {DATA_DIR} cannot be used: {error.strerror}. "
        "Make it writable, or set CODESEARCH_DATA to another folder"
    ) from error
ALLOWED_HOSTS = env.list("CODESEARCH_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CODESEARCH_ORIGINS", [])
LISTEN_ADDRESS = env.str("CODESEARCH_ADDRESS", "127.0.0.1")
LISTEN_PORT = read_number("CODESEARCH_PORT", 8000)
WEB_THREADS = read_number("CODESEARCH_WEB_THREADS", 16)
SEARCHES = read_number("CODESEARCH_SEARCHES", 4)
WORKERS = read_number("CODESEARCH_WORKERS", 2)
# Days that weak queries are kept for staff; 0 keeps none.
QUERY_DAYS = read_number("CODESEARCH_QUERY_DAYS", 30, least=0)

# A process that indexes and has grown beyond this is replaced after its step. With a
# model it takes 700 MB.
WORKER_MEGABYTES = read_number("CODESEARCH_WORKER_MB", 900)

# What was parsed and encoded once is kept up to this size, oldest use first to go.
CACHE_MEGABYTES = read_number("CODESEARCH_CACHE_MB", 4096, least=0)
# No build starts a step with less room than this on the disk of its data.
FREE_MEGABYTES = read_number("CODESEARCH_FREE_MB", 512, least=0)

# Folders below which the web may register a local folder.
ROOTS = read_folders("CODESEARCH_ROOTS")
# Address that opens a file in an editor, with {path} and {line}; empty: no such links.
EDITOR_URL = env.str("CODESEARCH_EDITOR_URL", "")
if EDITOR_URL:
    try:
        check_editor_template(EDITOR_URL)
    except ValueError as error:
        raise ImproperlyConfigured(f"CODESEARCH_EDITOR_URL: {error}") from error
# "packaged", "static", "none", a folder, or a model id that this machine already holds.
MODEL = env.str("CODESEARCH_MODEL", "packaged")
# Computes the vectors: the fastest of the good ones, or one that is named.
RUNTIME = env.str("CODESEARCH_RUNTIME", "auto")
if RUNTIME not in ("auto", "int8", "bf16", "fp32"):
    raise ImproperlyConfigured(
        f"CODESEARCH_RUNTIME is {RUNTIME!r}; set it to auto, int8, bf16 or fp32"
    )
ENCODER_THREADS = read_number("CODESEARCH_ENCODER_THREADS", own_cores())
# A folder or a model id; empty: none.
CROSS_ENCODER = env.str("CODESEARCH_CROSS_ENCODER", "")
RERANK_SECONDS = read_seconds("CODESEARCH_RERANK_SECONDS", 2.0)

MIRRORS_DIR = DATA_DIR / "mirrors"
BUILDS_DIR = DATA_DIR / "builds"
CACHE_DIR = DATA_DIR / "cache"
MODELS_DIR = Path(env.str("CODESEARCH_MODELS", str(DATA_DIR / "models"))).resolve()
RUN_DIR = DATA_DIR / "run"

ROOT_URLCONF = "codesearch.urls"
WSGI_APPLICATION = "codesearch.wsgi.application"
INSTALLED_APPS = [
    "codesearch",
    "indexer",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "codesearch.signed_out.SignedOutMiddleware",
    "axes.middleware.AxesMiddleware",
    "codesearch.renaming.RenamedMiddleware",
    "codesearch.recovery.RecoveryMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "codesearch.pages.site.frame",
            ]
        },
    }
]

DATABASE_URL = env.str("DATABASE_URL", "")
if DATABASE_URL:
    DATABASES = {"default": dj_database_url.parse(DATABASE_URL, conn_max_age=60)}
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(DATA_DIR / "db.sqlite3"),
            # The first connection makes two files that the last one removes. On a
            # full disk they could not be made again, and nothing would be searched.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # Web and worker write at the same time: readers never wait, and a
                # writer takes its lock at the start instead of failing half-way.
                "timeout": 30,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator")
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": [],
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    },
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
HTTPS_ONLY = read_flag("CODESEARCH_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS_ONLY
if HTTPS_ONLY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

REDIS_URL = env.str("REDIS_URL", "")
BROKER_SOCKET = socket_path(RUN_DIR)
CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{BROKER_SOCKET}"
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# A task whose pool process is killed goes back to the queue; the database, not the
# broker, decides whether there is anything left to do.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_MEMORY_PER_CHILD = WORKER_MEGABYTES * 1024  # KiB
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "resume-builds": {"task": "indexer.tasks.resume_builds", "schedule": 30.0},
    "fetch": {"task": "indexer.tasks.request_due_fetches", "schedule": 60.0},
    "resume-audits": {"task": "codesearch.tasks.resume_audits", "schedule": 30.0},
    "resume-experiments": {
        "task": "codesearch.tasks.resume_experiments",
        "schedule": 30.0,
    },
    "collect-garbage": {"task": "indexer.tasks.collect_garbage", "schedule": 3600.0},
    "forget-queries": {"task": "codesearch.tasks.forget_queries", "schedule": 3600.0},
    "check-builds": {"task": "indexer.tasks.check_builds", "schedule": 86400.0},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(RUN_DIR / "beat-schedule")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "codesearch": {"level": "INFO"},
        "indexer": {"level": "INFO"},
        "axes": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},  # Not every page that is not there.
    },
}
