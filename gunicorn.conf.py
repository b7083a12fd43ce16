"""Configuration of gunicorn. To load new models, send `kill -HUP` to the first process."""

from gevent import Timeout, monkey, sleep

monkey.patch_all()  # before other imports: locks that they make unpatched would block after a fork

import gc
import os
import sys

from app.web import create_app
from app.web.service import deployment
from app.web.service.log import Logger

sys.excepthook = deployment.print_error
workers, bind = deployment.read_binding()
preload_app = True  # the workers share the memory of the models
worker_class = "gevent"  # a slow client then occupies only a connection, not a thread
worker_connections = deployment.allow_connections(2_000)
keepalive = 5  # seconds in which a client has to send the head of a request
limit_request_line, limit_request_fields, limit_request_field_size = 8190, 64, 4096
# The site checks TRUSTED_PROXIES itself, so gunicorn trusts no proxy.
forwarded_allow_ips, forwarder_headers, secure_scheme_headers = "", "", {}
logger_class, access_log_format = Logger, "%(json)s"
accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output
control_socket_disable = True
RESPONSE_SECONDS = 60.0  # time limit from a request to the last byte of its response


def post_worker_init(worker):
    if worker.age == 1 and (trainer := deployment.find_trainer(worker.wsgi)):
        trainer.compile_kernels()  # those of the lab that are missing


def child_exit(arbiter, worker):
    if trainer := deployment.find_trainer(arbiter.app.callable):
        trainer.job_queue.release_jobs(worker.pid)  # the other workers do its jobs


def pre_request(worker, request):
    sleep(0)  # the requests of other clients go first: one can send hundreds at once
    too_slow = BrokenPipeError("the client reads too slowly")
    request.time_limit = Timeout.start_new(RESPONSE_SECONDS, too_slow)


def post_request(worker, request, environ, response):
    request.time_limit.close()


def on_reload(arbiter):
    """Build the site again for new workers; if a model is broken, log its name and keep the old one."""
    if deployment.has_lost_terminal():  # it sends the same signal as a reload
        raise KeyboardInterrupt  # ends the server as Ctrl-C does
    try:
        arbiter.app.callable = create_app()
        gc.collect()  # deletes the old site, of which every new worker would have a copy
        arbiter.log.info("New models taken in.")
    except deployment.STOPPING_ERRORS as error:
        arbiter.log.error("Models refused, the old ones go on serving. %s", error)
