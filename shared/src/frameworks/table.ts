import { django } from "./django.ts";
import { dockerfile } from "./dockerfile.ts";
import { express } from "./express.ts";
import { fastapi } from "./fastapi.ts";
import { flask } from "./flask.ts";
import type { Framework } from "./framework.ts";
import { go } from "./go.ts";
import { node } from "./node.ts";
import { rails } from "./rails.ts";
import { rust } from "./rust.ts";
import { staticSite } from "./static.ts";

/** In the order in which they are tried: what says most about a repository first. */
export const FRAMEWORKS: readonly Framework[] = [
  dockerfile,
  rails,
  django,
  fastapi,
  flask,
  go,
  rust,
  express,
  node,
  staticSite,
];
