// Holds every import against the rooms of dependency-cruiser.cjs. The library's own reporter warns, on each run, that
// it does not parse with the TypeScript compiler (whose version 7 has no interface for that); swc parses here.
import { cruise } from "dependency-cruiser";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { forbidden, options } = require("./dependency-cruiser.cjs");
const { agent, agentPorts, cli, controlPlane, dashboard, rules, shared } = require("./rooms.cjs");
/** Side by side in a folder, tests aside. */
const FILES_MAX = 20;
const workspaces = ["shared/src", "control-plane/src", "control-plane/dashboard/src", "agent/src", "cli/src"];
const { output } = await cruise(workspaces, { ...options, ruleSet: { forbidden }, validate: true });
const { violations, totalCruised } = output.summary;
// Fewer than this means that the sources were not found or not parsed: a check that sees nothing must not pass.
const MODULES_MIN = 100;
if (totalCruised < MODULES_MIN)
  violations.push({ rule: { name: `only ${totalCruised} modules were read` }, from: "", to: "" });
violations.push(
  ...rules.filter((path) => !existsSync(path)).map((path) => problem("is a rule that is not there", path)),
  ...fenceOf("control-plane", controlPlane.flat()),
  ...fenceOf("control-plane/dashboard", dashboard.flat()),
  ...fenceOf("cli", cli.flat()),
  ...fenceOf("shared", shared.flat()),
  ...fenceOf("agent", [...agent.flat(), agentPorts]),
  ...writesElsewhere(controlPlane.flat()),
);
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} → ${to}\n`);
process.exit(violations.length === 0 ? 0 : 1);

/** Files that belong to no room, rooms that are not there, and folders with too many files side by side. */
function fenceOf(workspace, rooms) {
  const source = `${workspace}/src/`;
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", source], {
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => /\.tsx?$/.test(file));
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

/**
 * Statements that write a table outside of its room's stores. A table belongs to the room whose `tables.ts` declares it;
 * any store may read it.
 */
function writesElsewhere(rooms) {
  const source = "control-plane/src/";
  const declared = rooms.flatMap((room) => {
    const file = `${source}${room}/tables.ts`;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return [...text.matchAll(/^ {4}(\w+): \{$/gm)].map(([, table]) => [table, room]);
  });
  return declared.flatMap(([table, room]) => {
    const write = `(insertInto|updateTable|deleteFrom)\\("${table}\\b|\\b(insert into|update|delete from) ${table}\\b`;
    // It exits with 1 when there is none.
    return spawnSync("git", ["grep", "-lE", "--untracked", write, "--", source], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\/migrations\//.test(file))
      .filter((file) => !file.startsWith(`${source}${room}/`) || !file.endsWith(".store.ts"))
      .map((file) => problem(`writes the table ${table}, which only stores of ${room} do`, file));
  });
}

function problem(name, from) {
  return { rule: { name }, from, to: "" };
}
