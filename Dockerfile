FROM python:3.12-slim AS builder
COPY requirements.lock /tmp/
RUN python -m venv /opt/venv \
    && /opt/venv/bin/python -m pip install --no-cache-dir --require-hashes -r /tmp/requirements.lock

FROM python:3.12-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin mlsysim
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8000
COPY --from=builder /opt/venv /opt/venv
COPY catalog catalog
COPY mlsysim mlsysim
COPY service service
# The file system is read-only when it runs, so the bytecode has to be there already.
RUN python -m compileall -q mlsysim service
# By number, so that a cluster can tell that it isn't root.
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=2)"]
CMD ["python", "-m", "service"]
