// Holds every import against the rooms of dependency-cruiser.cjs. The library's own reporter warns, on each run, that
// it does not parse with the TypeScript compiler (whose version 7 has no interface for that); swc parses here.
import { cruise } from "dependency-cruiser";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { forbidden, options } = require("./dependency-cruiser.cjs");
const { agent, agentPorts, cli, controlPlane, shared } = require("./rooms.cjs");
/** Of Node.js, what has no effects. */
const PURE = /^(node:)?(crypto|buffer|net|path|util)$/;
/** Side by side in a folder, tests aside. */
const FILES_MAX = 20;
const workspaces = ["shared/src", "control-plane/src", "agent/src", "cli/src"];
const { output } = await cruise(workspaces, { ...options, ruleSet: { forbidden }, validate: true });
const { violations, totalCruised } = output.summary;
// Fewer than this means that the sources were not found or not parsed: a check that sees nothing must not pass.
const MODULES_MIN = 100;
if (totalCruised < MODULES_MIN)
  violations.push({ rule: { name: `only ${totalCruised} modules were read` }, from: "", to: "" });
violations.push(...floorsOf(output.modules), ...fenceOf("control-plane", controlPlane.flat()));
violations.push(
  ...fenceOf("cli", cli.flat()),
  ...fenceOf("shared", shared.flat()),
  ...fenceOf("agent", [...agent.flat(), agentPorts]),
);
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} → ${to}\n`);
process.exit(violations.length === 0 ? 0 : 1);

/**
 * Inside a subject of the control plane: rules, then `*.store.ts`, then verbs, then `*.routes.ts`. What a store imports of
 * the subjects are other stores and rules, which are pure; a verb imports no routes.
 */
function floorsOf(modules) {
  const subjects = /^control-plane\/src\/(?!platform\/|secrets\/|api\/|admin\/|[a-z]+\.ts$)/;
  const bySource = new Map(modules.map((module) => [module.source, module]));
  const isIn = ({ source }) => subjects.test(source) && !source.endsWith(".test.ts");
  const isStore = (source) => source.endsWith(".store.ts");
  const imports = modules
    .filter(isIn)
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved, dependencyTypes }) => ({ from: source, to: resolved, dependencyTypes })),
    );
  const rules = new Set();
  const found = imports.filter(({ from }) => isStore(from));
  for (const { to } of found) {
    if (rules.has(to) || isStore(to) || !subjects.test(to)) continue;
    rules.add(to);
    const { dependencies } = bySource.get(to);
    found.push(...dependencies.map(({ resolved }) => ({ to: resolved })));
  }
  const reach = imports.filter(
    ({ from, dependencyTypes }) => rules.has(from) && !dependencyTypes.includes("type-only"),
  );
  return [
    ...imports
      .filter(({ from, to }) => to.endsWith(".routes.ts") && !from.endsWith(".routes.ts"))
      .map(({ from, to }) => problem("only the API's wiring imports routes", from, to)),
    ...reach
      .filter(({ to }) => isStore(to))
      .map(({ from, to }) => problem("a store imports rules, and those no store", from, to)),
    ...reach
      .filter(({ to, dependencyTypes }) => dependencyTypes.includes("core") && !PURE.test(to))
      .map(({ from, to }) => problem("what a store imports is pure", from, to)),
  ];
}

/** Files that belong to no room, rooms that are not there, and folders with too many files side by side. */
function fenceOf(workspace, rooms) {
  const source = `${workspace}/src/`;
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", source], {
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => file.endsWith(".ts"));
  const found = new Set(
    files.map(
      (file) =>
        file
          .slice(source.length)
          .replace(/\.test\.ts$/, ".ts")
          .split("/")[0],
    ),
  );
  const sources = files.filter((file) => !file.endsWith(".test.ts"));
  // The check may run with the system's Node.js 20, which has no Map.groupBy.
  const folders = new Map();
  for (const file of sources) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [
    ...[...found].filter((room) => !rooms.includes(room)).map((room) => problem("belongs to no room", source + room)),
    ...rooms.filter((room) => !found.has(room)).map((room) => problem("is a room that is not there", source + room)),
    ...[...folders]
      .filter(([, count]) => count > FILES_MAX)
      .map(([folder, count]) => problem(`has ${count} files side by side, more than ${FILES_MAX}`, folder)),
  ];
}

function problem(name, from, to = "") {
  return { rule: { name }, from, to };
}
