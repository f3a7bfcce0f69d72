/**
 * The images that generated Dockerfiles start from, under their official names. deploy/base-images has a recipe for each,
 * for hosts that cannot pull them.
 */
export const BASE_IMAGES = {
  caddy: "caddy:2",
  debian: "debian:bookworm-slim",
  go: "golang:1-bookworm",
  node: "node:22-slim",
  python: "python:3.11-slim",
  ruby: "ruby:3.1-slim",
  rust: "rust:1-bookworm",
} as const;

/** Languages and distributions without names for these numbers run as this user, which owns nothing but the app. */
export const APP_USER = "1000:1000";
