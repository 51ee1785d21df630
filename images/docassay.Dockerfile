# The orchestrator and the scorer: one image, two services. Build from the repository's root:
#   docker build -f images/docassay.Dockerfile -t docassay/docassay:0.1.0 .
# There is no checkout in it: the records of its runs know the commit only of an image that was built with
#   --build-arg COMMIT="$(git describe --always --abbrev=40 --dirty --exclude '*')"
# The target cdm has what CDM needs as well: LaTeX, Ghostscript and a Chinese font.
#   docker build -f images/docassay.Dockerfile --target cdm -t docassay/cdm:0.1.0 .
# It grades a folder of markdown, nothing reached but the folder at hand:
#   docker run --rm --network none --user "$(id -u):$(id -g)" -v "$PWD:/data" docassay/cdm:0.1.0 \
#       grade omnidoc --gold OmniDocBench.json --predictions mine=markdown
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS dependencies
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY images/docassay.lock /locks/docassay.lock
RUN python3 -m venv --without-pip /opt/docassay \
    && python3 -m pip --python /opt/docassay/bin/python install --no-cache-dir --no-deps --require-hashes \
        -r /locks/docassay.lock \
    && echo /opt/project >/opt/docassay/lib/python3.11/site-packages/project.pth

# Beside what it needs, so that an edit of it copies megabytes, not all of that.
FROM dependencies AS project
COPY pyproject.toml README.md LICENSE /source/
COPY proto/docassay /source/proto/docassay
COPY annotations /source/annotations
COPY services /source/services
COPY scorer /source/scorer
COPY orchestrator /source/orchestrator
RUN python3 -m pip wheel --quiet --no-cache-dir --no-deps --wheel-dir /wheels /source \
    && python3 -m pip --python /opt/docassay/bin/python install --no-cache-dir --no-deps --no-index \
        --target /opt/project /wheels/*.whl

FROM ${BASE_IMAGE} AS cdm
# The packages are those that scorer/renderers/environment.py names; the font cache is made now, for a read-only root.
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 fontconfig fonts-noto-cjk ghostscript lmodern \
        texlive-lang-chinese texlive-latex-extra texlive-latex-recommended texlive-xetex \
    && fc-cache --system-only \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* /usr/share/doc \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && mkdir -m 1777 /cache /data
COPY --from=dependencies /opt /opt
COPY --from=project /opt/project /opt/project
ARG VERSION=0.1.0
ARG COMMIT=""
LABEL org.opencontainers.image.title="docassay cdm" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${COMMIT}" \
    org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /data
ENV PATH=/opt/project/bin:/opt/docassay/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp DOCASSAY_CACHE=/cache \
    DOCASSAY_COMMIT=${COMMIT} PYTHONDONTWRITEBYTECODE=1 GRPC_VERBOSITY=ERROR
ENTRYPOINT ["docassay"]

FROM ${BASE_IMAGE} AS docassay
# /documents and /cache are volumes of whoever owns the results folder, which only the run knows; /weights is anybody's.
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 curl \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && mkdir -m 1777 /documents /cache /weights
COPY --from=dependencies /opt /opt
COPY --from=project /opt/project /opt/project
COPY images/health images/as-owner /usr/local/bin/
ARG VERSION=0.1.0
ARG COMMIT=""
LABEL org.opencontainers.image.title="docassay" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${COMMIT}" \
    org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /
ENV PATH=/opt/project/bin:/opt/docassay/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp DOCASSAY_CACHE=/cache \
    DOCASSAY_COMMIT=${COMMIT} PYTHONDONTWRITEBYTECODE=1 GRPC_VERBOSITY=ERROR
EXPOSE 50051
ENTRYPOINT ["as-owner", "docassay"]
