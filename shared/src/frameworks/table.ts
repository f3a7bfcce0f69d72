import { dockerfile } from "./dockerfile.ts";
import { express } from "./express.ts";
import type { Framework } from "./framework.ts";
import { node } from "./node.ts";
import { staticSite } from "./static.ts";

/** In the order in which they are tried: what says most about a repository first. */
export const FRAMEWORKS: readonly Framework[] = [dockerfile, express, node, staticSite];
