"""The site where gunicorn does not run, as on Windows: by waitress, with threads in one process."""

import waitress

from app.web import create_app
from app.web.service.deployment import find_trainer

THREAD_COUNT = 16  # a page that waits for its training keeps a thread


def serve_with_threads(host: str, port: int) -> None:
    """Serve the site until Ctrl-C; raises ModelError and SettingError."""
    application = create_app()
    if trainer := find_trainer(application):
        trainer.compile_kernels()
    print(f"Serving on http://{host}:{port}", flush=True)
    # The setting TRUSTED_PROXIES decides on the headers of proxies.
    waitress.serve(
        application,
        host=host,
        port=port,
        threads=THREAD_COUNT,
        ident=None,
        clear_untrusted_proxy_headers=False,
    )
