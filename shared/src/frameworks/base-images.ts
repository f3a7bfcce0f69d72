import { NODE_MAJORS } from "./node/project/node-version.ts";

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

/** All that hosts can make, other versions of the same included. */
export const MADE_IMAGES: readonly string[] = [
  ...new Set([...Object.values(BASE_IMAGES), ...NODE_MAJORS.map((major) => `node:${major}-slim`)]),
];

/** The image of what an agent runs in a cluster beside the apps. No registry has it. */
export const CLUSTER_IMAGE = "svc-swarm:1";

/**
 * Wheels that deploy/base-images adds to its Python, for hosts that reach no index: pip in that image installs these
 * and what they need from the folder, and looks nowhere else.
 */
export const PYTHON_WHEELS = {
  folder: "/usr/local/share/wheels",
  packages: [
    "fastapi",
    "uvicorn",
    "gunicorn",
    "django",
    "whitenoise",
    "flask",
    "asyncpg",
    "psycopg2",
    "sqlalchemy",
    "flask-sqlalchemy",
    "dj-database-url",
    "python-multipart",
    "python-dotenv",
    "httpx",
    "requests",
    "httptools",
    "uvloop",
    "websockets",
    "watchgod",
    "pyyaml",
  ],
} as const;

/** Languages and distributions without names for these numbers run as this user, which owns nothing but the app. */
export const APP_USER = "1000:1000";
