# A parser that is a Python package, and intake. Build from the repository's root:
#   docker build -f images/python.Dockerfile --build-arg PARSER=markitdown --build-arg VERSION=0.1.9 -t docassay/markitdown:0.1.9 .
# SETTING is a named setting of the parser, the default without. PACKAGES are Debian packages that the parser needs
# beside its environment (a JRE, say), PROGRAMS is one that Debian does not have: llama, the server of llama.cpp.
ARG BASE_IMAGE=debian:bookworm-slim
ARG PROGRAMS=none

FROM ${BASE_IMAGE} AS programs-none
RUN mkdir /programs

FROM ${BASE_IMAGE} AS programs-llama
RUN apt-get update \
    && apt-get install -y --no-install-recommends cmake g++ make python3-pip \
    && rm -rf /var/lib/apt/lists/*
# Its sources, as a Python package brings them. Nothing is tuned to the CPU that builds it, or linked to what it has alone.
COPY images/llama.lock /locks/llama.lock
RUN python3 -m pip download --no-cache-dir --no-deps --no-binary llama-cpp-python --require-hashes -r /locks/llama.lock -d /sources \
    && tar -C /sources --strip-components 3 -xzf /sources/*.tar.gz --wildcards '*/vendor/llama.cpp' \
    && cmake -S /sources -B /build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF \
        -DGGML_OPENMP=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF \
        -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF \
        -DCMAKE_EXE_LINKER_FLAGS="-static-libstdc++ -static-libgcc" \
    && cmake --build /build --target llama-server --parallel "$(nproc)" \
    && mkdir /programs \
    && cp /build/bin/llama-server /programs/

FROM programs-${PROGRAMS} AS programs

FROM ${BASE_IMAGE} AS environments
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*
# Two environments: no parser's pins can collide with gRPC's. Neither has pip in it.
COPY services/runtime/requirements.lock /locks/runtime.lock
RUN python3 -m venv --without-pip /opt/runtime \
    && python3 -m pip --python /opt/runtime/bin/python install --no-cache-dir --no-deps --require-hashes \
        -r /locks/runtime.lock
ARG PARSER
ARG VERSION
ARG SETTING=""
COPY services/${PARSER}/${VERSION}*.lock /locks/
# A setting may have a lock of its own.
RUN cp "/locks/${VERSION}-${SETTING}.lock" /locks/parser.lock 2>/dev/null || cp "/locks/${VERSION}.lock" /locks/parser.lock
RUN python3 -m venv --without-pip /opt/parser \
    && python3 -m pip --python /opt/parser/bin/python install --no-cache-dir --no-deps --require-hashes \
        -r /locks/parser.lock

FROM ${BASE_IMAGE}
ARG PACKAGES=""
# curl speaks HTTP/2 to the health service; starting Python and gRPC for that would cost a timed parse ten times as much.
# No program keeps a bit by which it would run as another user.
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 curl ${PACKAGES} \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && mkdir /documents /weights
COPY --from=environments /opt /opt
COPY --from=programs /programs /usr/local/bin
COPY images/health /usr/local/bin/
COPY proto/docassay /docassay/proto/docassay
COPY services/__init__.py /docassay/services/
COPY services/runtime /docassay/services/runtime
COPY services/forms /docassay/services/forms
COPY --from=environments /locks/parser.lock /docassay/parser.lock
ARG PARSER
ARG VERSION
ARG SETTING=""
COPY services/${PARSER} /docassay/services/${PARSER}
ARG LICENCE=""
ARG LOCK_DIGEST=""
# A label must not tell of another lock than the one that is installed.
RUN python3 -m compileall -q /docassay \
    && { [ -z "${LOCK_DIGEST}" ] \
        || echo "${LOCK_DIGEST}  /docassay/parser.lock" | sha256sum --check --quiet; }
LABEL org.opencontainers.image.title="${PARSER}" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.licenses="${LICENCE}" \
    docassay.lock-digest="${LOCK_DIGEST}"
WORKDIR /docassay
ENV PARSER=${PARSER} VERSION=${VERSION} SETTING=${SETTING} PYTHONPATH=/docassay:/docassay/proto PYTHONDONTWRITEBYTECODE=1 \
    GRPC_VERBOSITY=ERROR HOME=/tmp
USER 65532:65532
EXPOSE 50051
HEALTHCHECK --interval=60s --timeout=10s --retries=3 CMD ["health"]
ENTRYPOINT ["/opt/runtime/bin/python", "-m", "services.runtime.first"]
