"""What an operator sees: the id of each request, its line in the log, and statistics."""

import json
import re
import socket

from tests.service.server import Server, ask, serving, wait_until

ID = "X-Request-ID"
FRESH_ID = re.compile("[0-9a-f]{16}")


def test_a_response_has_the_id_of_its_request(app_server: Server) -> None:
    for given in ("from-a-proxy.1", "from-a-proxy.2"):  # the second response is from the cache
        assert ask(app_server, "/glossary", headers={ID: given}).headers[ID] == given
    for wrong in ("", "two words", "x" * 65):
        assert FRESH_ID.fullmatch(ask(app_server, "/glossary", headers={ID: wrong}).headers[ID])
    missing = ask(app_server, '/nowhere"?', headers={"User-Agent": 'a "b" %s'}).headers[ID]
    wait_until(lambda: missing in app_server.log)
    (line,) = (line for line in app_server.log.splitlines() if missing in line)
    logged = json.loads(line)
    assert (logged["path"], logged["status"], logged["agent"]) == ('/nowhere"', 404, 'a "b" %s')


def test_gunicorn_sends_statistics() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as statistics:
        statistics.bind(("127.0.0.1", 0))
        port = statistics.getsockname()[1]
        with serving(LAB="0", GUNICORN_CMD_ARGS=f"--statsd-host 127.0.0.1:{port}") as server:
            ask(server, "/glossary")
            while (told := statistics.recv(1000)) != b"gunicorn.request.status.200:1|c|@1.0":
                assert told
