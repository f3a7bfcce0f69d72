#!/usr/bin/env node
import { VERSION } from "./runtime/version.ts";

// Is asked for by scripts and completions again and again: answered before anything else is loaded.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  process.stdout.write(`${VERSION}\n`);
} else {
  const { runCommandLine } = await import("./dispatch/run-command-line.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
