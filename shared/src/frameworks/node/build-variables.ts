import type { NodeApp } from "./node-app.ts";
import type { BuildVariable } from "../javascript/script-condition.ts";

/** Is set by the tools themselves, in this build or in another. */
const OF_TOOLS =
  /^(?:CI|HOME|HOSTNAME|PATH|PORT|PWD|(?:npm|pnpm|yarn|bun|next|nuxt|nitro|astro|turbo|nx|vite|node)_.*)$/i;

/** Is read by the tools before the configuration. */
const FILES = [".env", ".env.production", ".env.local", ".env.production.local"];

/**
 * Returns the variables that a configuration finds in the environment while the app is built: `production`, what the
 * build command itself sets, and nothing of other hosts. What the user or a file may give, only the build can tell.
 */
export function buildVariables({ files, input, pkg }: NodeApp): BuildVariable {
  const command = input.build ?? pkg.scripts.build ?? "";
  const given = new Set([...input.buildEnvKeys, ...FILES.flatMap((file) => keysIn(files.read(file) ?? ""))]);
  return (name) => {
    const [, assigned] = new RegExp(`(?:^|\\s)${name}=["']?([\\w./:-]*)`).exec(command) ?? [];
    if (assigned !== undefined) return { value: assigned };
    if (name === "NODE_ENV") return { value: "production" };
    return given.has(name) || OF_TOOLS.test(name) ? undefined : { value: undefined };
  };
}

function keysIn(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/gm)].map(([, key]) => key!);
}
