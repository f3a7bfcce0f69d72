# https://docs.docker.com/guides/rust/build-images/, with Debian in place of Alpine.
FROM rust:1-bookworm AS build
WORKDIR /app
RUN --mount=type=bind,source=src,target=src \
    --mount=type=bind,source=Cargo.toml,target=Cargo.toml \
    --mount=type=bind,source=Cargo.lock,target=Cargo.lock \
    --mount=type=cache,target=/app/target/ \
    --mount=type=cache,target=/usr/local/cargo/git/db \
    --mount=type=cache,target=/usr/local/cargo/registry/ \
    cargo build --locked --release && cp ./target/release/clock /bin/server

FROM debian:bookworm-slim AS final
RUN useradd --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin --uid 10001 appuser
USER appuser
COPY --from=build /bin/server /bin/
EXPOSE 8080
CMD ["/bin/server"]
