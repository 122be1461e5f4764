# Two stages: the Go toolchain builds the static programs, and only these and the licences go into
# the image.
#
#   docker build -t tsumero .
#   docker run --rm -p 8080:8080 tsumero
#   docker run --rm -i --entrypoint /tsumero tsumero solve   the command line
#   docker run --rm -i --entrypoint /tsumero-usi tsumero     the USI engine on standard input and output
#
# The programs say which commit they are if the build context has .git. What else they are to say,
# and what is there without it, is given:
#
#   docker build -t tsumero:v1.2.3 --build-arg VERSION=v1.2.3 --build-arg REVISION=$(git rev-parse HEAD) \
#     --build-arg DATE=$(git log -1 --format=%cI) .

# The base is named by the digest of its index over all platforms; deploy/README.md says how to
# renew it.

# build has the Go version go.mod names, on Debian for the git that records in the binaries which commit they are.
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION REVISION DATE
# The solver for browsers, which tsumero-server serves: the same for every platform.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go run ./web/engine/build -ldflags="\
      -X github.com/tsumero/tsumero/cmd/internal/version.release=$VERSION \
      -X github.com/tsumero/tsumero/cmd/internal/version.revision=$REVISION \
      -X github.com/tsumero/tsumero/cmd/internal/version.date=$DATE"
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w \
      -X github.com/tsumero/tsumero/cmd/internal/version.release=$VERSION \
      -X github.com/tsumero/tsumero/cmd/internal/version.revision=$REVISION \
      -X github.com/tsumero/tsumero/cmd/internal/version.date=$DATE" \
    -o /out/ ./cmd/tsumero ./cmd/tsumero-check ./cmd/tsumero-server ./cmd/tsumero-usi
# What a volume for jobs is mounted on: a new one takes the owner of the folder.
RUN mkdir -p /jobs/

FROM scratch
ARG VERSION=dev REVISION=unknown
LABEL org.opencontainers.image.title="Tsumero" \
      org.opencontainers.image.description="Tsume-shogi solver: HTTP service, USI engine and command line" \
      org.opencontainers.image.licenses="MIT AND OFL-1.1 AND BSD-3-Clause AND Apache-2.0 AND MPL-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /out/ /
COPY --from=build --chown=65532:65532 /jobs/ /var/lib/tsumero/
COPY LICENSE deploy/licenses/LICENSES.txt /
# The number distroless images use for nonroot; a number, since the image has no /etc/passwd.
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/tsumero-server", "healthcheck"]
ENTRYPOINT ["/tsumero-server"]
CMD ["serve"]
