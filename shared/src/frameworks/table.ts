import { astro } from "./static/astro.ts";
import { django } from "./python/django.ts";
import { dockerfile } from "./dockerfile/dockerfile.ts";
import { fastapi } from "./python/fastapi.ts";
import { flask } from "./python/flask.ts";
import type { Framework } from "./framework.ts";
import { go } from "./go/go.ts";
import { nextjs } from "./node/nextjs.ts";
import { node } from "./node/node.ts";
import { nuxt } from "./node/nuxt.ts";
import { rails } from "./ruby/rails.ts";
import { remix } from "./node/remix.ts";
import { rust } from "./rust/rust.ts";
import { SERVER_FRAMEWORKS } from "./node/server-framework.ts";
import { SITE_TOOLS } from "./static/site-tools.ts";
import { staticSite } from "./static/static.ts";
import { vite } from "./node/vite.ts";

/**
 * Stands in the order in which they are tried: what says most about a repository first (its own Dockerfile, a server
 * framework that brings its assets' package.json along), what others contain after them.
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
  ...SERVER_FRAMEWORKS,
  vite,
  node,
  staticSite,
];
