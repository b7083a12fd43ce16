# The site as an image: docker build --tag q-tac-toe . && docker run --publish 8000:8000 q-tac-toe
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1

COPY requirements.txt /src/
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes \
    --requirement /src/requirements.txt

COPY . /src/
RUN pip install --no-cache-dir --disable-pip-version-check --no-deps /src \
    && rm -r /src \
    && useradd --create-home --uid 1000 site \
    && install --directory --owner site /var/cache/q-tac-toe

USER 1000
WORKDIR /home/site
# Compiled kernels; with a volume here they outlive the container.
ENV NUMBA_CACHE_DIR=/var/cache/q-tac-toe HOST=0.0.0.0 PORT=8000
EXPOSE 8000
HEALTHCHECK --start-period=30s --interval=30s --timeout=5s CMD \
    ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz')"]
CMD ["q-tac-toe", "serve"]
