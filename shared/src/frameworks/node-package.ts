import { z } from "zod";
import { SvcError } from "../errors.ts";
import type { FileTree } from "./framework.ts";

const packageJson = z.object({
  main: z.string().optional(),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  engines: z.object({ node: z.string().optional() }).optional().catch(undefined),
  workspaces: z.unknown().optional(),
});

export type NodePackage = z.infer<typeof packageJson>;

/**
 * The package.json at the root; undefined when there is none.
 * @throws SvcError framework_unknown when it cannot be read as one
 */
export function readPackage(files: FileTree): NodePackage | undefined {
  const text = files.read("package.json");
  if (text === undefined) return undefined;
  const parsed = packageJson.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue && issue.path.length > 0 ? ` \`${issue.path.join(".")}\` is wrong in it.` : "";
  throw new SvcError("framework_unknown", `The repository's package.json cannot be read.${where} Correct it and push.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new SvcError("framework_unknown", "The repository's package.json is not valid JSON. Correct it and push.");
  }
}

/** What starts the app, in words; undefined when nothing does. */
export function startSign(files: FileTree, pkg: NodePackage): string | undefined {
  if (pkg.scripts.start !== undefined) return "a start script in package.json";
  if (pkg.main !== undefined && files.read(pkg.main) !== undefined) return "`main` in package.json";
  if (files.read("server.js") !== undefined) return "a package.json beside server.js";
  if (files.read("index.js") !== undefined) return "a package.json beside index.js";
  return undefined;
}

/**
 * The command that starts the app. `node` is run directly where the start script says no more than that: npm would
 * stay in memory beside it and stand between it and the signal to stop.
 * @throws SvcError framework_unknown when nothing starts it
 */
export function startCommand(files: FileTree, pkg: NodePackage): string[] {
  const { start, prestart, poststart } = pkg.scripts;
  if (start !== undefined) {
    const words = start.trim().split(/\s+/);
    const isPlain = /^[A-Za-z0-9 ._/=:@,+-]+$/.test(start.trim()) && words[0] === "node" && words.length > 1;
    return isPlain && prestart === undefined && poststart === undefined ? words : ["npm", "start"];
  }
  const file = [pkg.main, "server.js", "index.js"].find((name) => name !== undefined && files.read(name) !== undefined);
  if (file !== undefined) return ["node", file];
  throw new SvcError(
    "framework_unknown",
    "Nothing says how the app is started. Add a `start` script to package.json, such as `node index.js`.",
  );
}
