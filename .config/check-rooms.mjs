// Holds every import against the rooms of dependency-cruiser.cjs. The library's own reporter warns, on each run, that
// it does not parse with the TypeScript compiler (whose version 7 has no interface for that); swc parses here.
import { cruise } from "dependency-cruiser";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { forbidden, options } = require("./dependency-cruiser.cjs");
const { agent, agentPorts, cli, controlPlane, rules, shared } = require("./rooms.cjs");
/** Side by side in a folder, tests aside. */
const FILES_MAX = 20;
const workspaces = ["shared/src", "control-plane/src", "agent/src", "cli/src"];
const { output } = await cruise(workspaces, { ...options, ruleSet: { forbidden }, validate: true });
const { violations, totalCruised } = output.summary;
// Fewer than this means that the sources were not found or not parsed: a check that sees nothing must not pass.
const MODULES_MIN = 100;
if (totalCruised < MODULES_MIN)
  violations.push({ rule: { name: `only ${totalCruised} modules were read` }, from: "", to: "" });
violations.push(
  ...rules.filter((path) => !existsSync(path)).map((path) => problem("is a rule that is not there", path)),
  ...fenceOf("control-plane", controlPlane.flat()),
  ...fenceOf("cli", cli.flat()),
  ...fenceOf("shared", shared.flat()),
  ...fenceOf("agent", [...agent.flat(), agentPorts]),
);
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} → ${to}\n`);
process.exit(violations.length === 0 ? 0 : 1);

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

function problem(name, from) {
  return { rule: { name }, from, to: "" };
}
