"""Counts and durations of all responses, in the text format of Prometheus, at /metrics.

The module is imported only if the environment variable METRICS is 1.  The processes of a server
share their numbers in files of the folder PROMETHEUS_MULTIPROC_DIR, if it is set.
"""

import os
from collections.abc import Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, current_app
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

METRICS_PATH = "/metrics"
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
OTHER_LABEL = "other"  # label of all paths that this site does not have
METHODS = {"GET", "HEAD", "POST", "OPTIONS"}
DURATION_BUCKETS = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30)
RESPONSE_COUNTER = Counter(
    "qtactoe_http_responses_total",
    "Responses by the first part of the path, the method and the status.",
    ["page", "method", "status"],
)
DURATION_HISTOGRAM = Histogram(
    "qtactoe_http_response_seconds",
    "Time until a response is ready to be sent, by the first part of the path.",
    ["page"],
    buckets=DURATION_BUCKETS,
)
VERSION_GAUGE = Gauge(
    "qtactoe_info", "1, with the version.", ["version"], multiprocess_mode="max"
)


def init_app(app: Flask) -> None:
    """Measure all responses of an app, and serve the numbers at /metrics."""
    app.add_url_rule(METRICS_PATH, endpoint="metrics", view_func=show_metrics)
    pages = frozenset(rule.rule.split("/")[1] for rule in app.url_map.iter_rules())
    app.wsgi_app = measure_responses(app.wsgi_app, pages)  # type: ignore[assignment, method-assign]


def show_metrics() -> Response:
    """Return the counts and durations of all processes since the server started."""
    VERSION_GAUGE.labels(current_app.extensions["version"]).set(1)
    registry = REGISTRY
    if FOLDER_VARIABLE in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    response = Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
    response.cache_control.no_store = True
    return response


def measure_responses(
    application: "WSGIApplication", url_rules: frozenset[str]
) -> "WSGIApplication":
    """Wrap a WSGI application: count its responses and measure their durations by page."""

    def answer_measured(
        environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        begin = perf_counter()
        first = environ["PATH_INFO"].split("/", 2)[1:2]
        page = f"/{first[0]}" if first and first[0] in url_rules else OTHER_LABEL
        method = environ["REQUEST_METHOD"]

        def start_measured(status: str, *rest: Any) -> Any:
            name = method if method in METHODS else OTHER_LABEL
            RESPONSE_COUNTER.labels(page, name, status[:3]).inc()
            DURATION_HISTOGRAM.labels(page).observe(perf_counter() - begin)
            return start_response(status, *rest)

        return application(environ, start_measured)

    return answer_measured
