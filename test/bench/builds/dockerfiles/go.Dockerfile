# https://docs.docker.com/guides/golang/build-images/, "Multi-stage builds", with Debian in place of distroless.
FROM golang:1-bookworm AS build
WORKDIR /app
COPY go.mod ./
RUN go mod download
COPY *.go ./
RUN CGO_ENABLED=0 GOOS=linux go build -o /server

FROM debian:bookworm-slim
WORKDIR /
COPY --from=build /server /server
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/server"]
