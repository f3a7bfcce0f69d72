import type { SvcError } from "@svc/shared/errors.ts";
import type { ContainerCounters, ListeningSocket, LogLine, StoragePlace } from "../ports.ts";

/** The failures that a test can ask for; each takes effect with the next call and stays until it is taken back. */
export interface DummyEngineKnobs {
  /** Every call fails with engine_unavailable. */
  down: boolean;
  /** Every call that needs disk fails with disk_full. */
  diskFull: boolean;
  /** No further network is possible. */
  addressesExhausted: boolean;
  /** Containers end as soon as they are started. */
  exits: { exitCode: number; outOfMemory: boolean } | undefined;
  /** Sockets that containers listen on. */
  sockets: ListeningSocket[] | undefined;
  /** Answers a command in a container; `cat` by default. */
  exec: (argv: readonly string[], stdin: string) => { exitCode: number; output: string };
  /** Builds end with it. */
  buildError: SvcError | undefined;
  /** The places of a container on the disk. */
  storage: (containerId: string) => StoragePlace["paths"];
  /** The lines that every container has written. */
  log: LogLine[];
  /** How often a running container could start no further process. */
  processRefusals: (containerId: string) => number;
  /** The use of a container since its start; undefined where that can't be read. */
  counters: (containerId: string) => ContainerCounters | undefined;
}
