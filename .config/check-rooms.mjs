// Holds every import against the rooms of dependency-cruiser.cjs. The library's own reporter warns, on each run, that
// it does not parse with the TypeScript compiler (whose version 7 has no interface for that); swc parses here.
import { cruise } from "dependency-cruiser";
import { createRequire } from "node:module";

const { forbidden, options } = createRequire(import.meta.url)("./dependency-cruiser.cjs");
const workspaces = ["shared/src", "control-plane/src", "agent/src", "cli/src"];
const { output } = await cruise(workspaces, { ...options, ruleSet: { forbidden }, validate: true });
const { violations, totalCruised } = output.summary;
// Fewer than this means that the sources were not found or not parsed: a check that sees nothing must not pass.
const MODULES_MIN = 100;
if (totalCruised < MODULES_MIN)
  violations.push({ rule: { name: `only ${totalCruised} modules were read` }, from: "", to: "" });
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} → ${to}\n`);
process.exit(violations.length === 0 ? 0 : 1);
