import { astro } from "./astro.ts";
import { django } from "./django.ts";
import { dockerfile } from "./dockerfile.ts";
import { express } from "./express.ts";
import { fastapi } from "./fastapi.ts";
import { fastify } from "./fastify.ts";
import { flask } from "./flask.ts";
import type { Framework } from "./framework.ts";
import { go } from "./go.ts";
import { hono } from "./hono.ts";
import { nextjs } from "./nextjs.ts";
import { node } from "./node.ts";
import { nuxt } from "./nuxt.ts";
import { rails } from "./rails.ts";
import { remix } from "./remix.ts";
import { rust } from "./rust.ts";
import { SITE_TOOLS } from "./site-tools.ts";
import { staticSite } from "./static.ts";
import { vite } from "./vite.ts";

/**
 * In the order in which they are tried: what says most about a repository first (its own Dockerfile, a server framework
 * that brings its assets' package.json along), what others contain after them.
 */
export const FRAMEWORKS: readonly Framework[] = [
  dockerfile,
  rails,
  django,
  nextjs,
  remix,
  nuxt,
  astro,
  fastapi,
  flask,
  go,
  rust,
  ...SITE_TOOLS,
  express,
  hono,
  fastify,
  vite,
  node,
  staticSite,
];
