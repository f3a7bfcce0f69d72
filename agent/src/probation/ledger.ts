import { join } from "node:path";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { NO_PROBATIONS, keptContainers, parseProbations, type ProbationState } from "./probation.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import { createSerializer } from "../platform/serialize.ts";

/** The probations on the agent's disk: one that is killed goes on with them when it is back. */
export interface ProbationLedger {
  readonly state: ProbationState;
  /** One change at a time; memory follows the disk. Nothing is written when `next` returns what it was given. */
  change(next: (state: ProbationState) => ProbationState): Promise<void>;
  /** Whether the container stays although no route leads to it. */
  keeps(containerId: string): boolean;
}

interface Options {
  dataDirectory: string;
  log: Logger;
  /** Is called after each change. */
  onChange?: () => void;
}

export async function openLedger({ dataDirectory, log, onChange }: Options): Promise<ProbationLedger> {
  const path = join(dataDirectory, "probations.json");
  const oneAtATime = createSerializer();
  let state = await read();

  /** A ledger that can't be read is given up: the containers that serve go on. */
  async function read(): Promise<ProbationState> {
    const text = await readIfPresent(path);
    try {
      return text === undefined ? NO_PROBATIONS : parseProbations(text);
    } catch (err) {
      log.error({ err, path }, "the file of probations can't be read; deploys of the last moments are not watched");
      return NO_PROBATIONS;
    }
  }

  return {
    get state() {
      return state;
    },
    change: (next) =>
      oneAtATime("state", async () => {
        const after = next(state);
        if (after === state) return;
        await writeDurably(path, `${JSON.stringify(after, undefined, 1)}\n`);
        state = after;
        onChange?.();
      }),
    keeps: (containerId) => keptContainers(state).has(containerId),
  };
}
