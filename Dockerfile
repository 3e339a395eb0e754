# pybinlog in a small image that does not run as root:
#   docker build --tag pybinlog .
#   docker run --rm pybinlog                                       # a summary of the logs of a small shop
#   docker run --rm --volume /backup:/logs:ro pybinlog check binlog.000001 binlog.000002
FROM python:3.13-slim AS build
# The image has one compiler for its own release of Debian, so versions need no pins.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev zlib1g-dev
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && python -m venv /pybinlog \
    && /pybinlog/bin/pip install --no-cache-dir "$(echo /wheels/*.whl)[encryption,remote,server]"

FROM python:3.13-slim
COPY --from=build /pybinlog /pybinlog
COPY testdata/shop /shop
USER 65534
WORKDIR /logs
ENTRYPOINT ["/pybinlog/bin/pybinlog"]
CMD ["summary", "/shop"]
