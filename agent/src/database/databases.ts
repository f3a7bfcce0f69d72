import type { Clock } from "@svc/shared/platform/clock.ts";
import type { ContainerState, Engine } from "../ports.ts";
import { PSQL_ARGV } from "./statements.ts";

/** A recovery after a crash of the host takes up to a minute. */
const READY_MS_MAX = 60_000;
const PAUSE_MS = 250;

const LIST_DATABASES =
  "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1;\n";

/** Starts the PostgreSQL if need be. @returns its databases; undefined when it does not start */
export async function readyDatabases(
  { engine, clock }: { engine: Engine; clock: Clock },
  container: ContainerState,
): Promise<string[] | undefined> {
  if (container.state !== "running") await engine.start(container.id);
  const deadline = clock.now().getTime() + READY_MS_MAX;
  while (clock.now().getTime() < deadline) {
    const [current] = await engine.list({ appId: container.appId, role: "database" });
    if (current?.state !== "running" && current?.state !== "restarting") return undefined;
    const argv = [...PSQL_ARGV, "--tuples-only", "--no-align"];
    const { exitCode, output } = await engine.exec(container.id, argv, LIST_DATABASES);
    if (exitCode === 0) return output.split("\n").filter((name) => name !== "");
    await clock.sleep(PAUSE_MS);
  }
  return undefined;
}
