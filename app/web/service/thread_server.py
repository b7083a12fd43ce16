"""Serves the site with threads in one process, where gunicorn does not run, as on Windows."""

import waitress

from app.web import create_app
from app.web.service.deployment import find_trainer

# A page that waits for a training needs a thread.
THREAD_COUNT = 16


def serve_with_threads(host: str, port: int) -> None:
    """Serve the site until Ctrl-C; raises ModelError or SettingError if it cannot start."""
    application = create_app()
    if trainer := find_trainer(application):
        trainer.compile_kernels()
    print(f"Serving on http://{host}:{port}", flush=True)
    # Our setting TRUSTED_PROXIES decides about the headers of proxies.
    waitress.serve(
        application,
        host=host,
        port=port,
        threads=THREAD_COUNT,
        ident=None,
        clear_untrusted_proxy_headers=False,
    )
