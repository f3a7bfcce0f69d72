import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Figure } from "../figures.ts";
import { SVC } from "../../support/platform/bundles.ts";

const run = promisify(execFile);
const RUNS = 31;

/** How soon the tool is there: `svc --version`, and `svc --help`, beside Node.js that does nothing. */
export async function benchSvcStart(): Promise<Figure[]> {
  const nothing: number[] = [];
  const version: number[] = [];
  const help: number[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    nothing.push(await took(["-e", "0"]));
    version.push(await took([SVC, "--version"]));
    help.push(await took([SVC, "--help"]));
  }
  const floor = { unit: "ms", floor: nothing, floorIs: "node -e 0" } as const;
  return [
    { bench: "svc-start", what: "svc --version", values: version, ...floor },
    { bench: "svc-start", what: "svc --help", values: help, ...floor },
  ];
}

async function took(argv: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await run(process.execPath, argv);
  return performance.now() - startedAt;
}
