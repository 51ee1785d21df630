# The orchestrator and the scorer: one image, two services. Build from the repository's root:
#   docker build -f images/docassay.Dockerfile -t docassay/docassay:0.1.0 .
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS environment
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY images/docassay.lock /locks/docassay.lock
RUN python3 -m venv --without-pip /opt/docassay \
    && python3 -m pip --python /opt/docassay/bin/python install --no-cache-dir --no-deps --require-hashes \
        -r /locks/docassay.lock
COPY pyproject.toml README.md LICENSE /source/
COPY proto/docassay /source/proto/docassay
COPY annotations /source/annotations
COPY services /source/services
COPY scorer /source/scorer
COPY orchestrator /source/orchestrator
RUN python3 -m pip wheel --quiet --no-cache-dir --no-deps --wheel-dir /wheels /source \
    && python3 -m pip --python /opt/docassay/bin/python install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM ${BASE_IMAGE}
# /documents and /cache are volumes of whoever owns the results folder, which only the run knows.
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 curl \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && mkdir -m 1777 /documents /cache
COPY --from=environment /opt /opt
COPY images/health images/as-owner /usr/local/bin/
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="docassay" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /
ENV PATH=/opt/docassay/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp DOCASSAY_CACHE=/cache PYTHONDONTWRITEBYTECODE=1 \
    GRPC_VERBOSITY=ERROR
EXPOSE 50051
ENTRYPOINT ["as-owner", "docassay"]
