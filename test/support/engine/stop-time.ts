import type Docker from "dockerode";

export interface StopTime {
  milliseconds: number;
  exitCode: number | undefined;
}

/**
 * How long a container takes from its first signal to its end, as the engine notes it: without the time of our own
 * calls.
 */
export async function timeStop(docker: Docker, id: string, stop: () => Promise<void>): Promise<StopTime> {
  const since = Math.floor(Date.now() / 1000);
  await stop();
  const until = Math.ceil(Date.now() / 1000) + 1;
  const times = await eventTimes(docker, id, since, until);
  const { State } = await docker.getContainer(id).inspect();
  return { milliseconds: times.die - times.kill, exitCode: State.ExitCode };
}

interface EngineEvent {
  Action: string;
  timeNano: number;
}

/** Milliseconds of the first signal and of the end. */
async function eventTimes(
  docker: Docker,
  id: string,
  since: number,
  until: number,
): Promise<{ kill: number; die: number }> {
  const filters = { container: [id], event: ["kill", "die"] };
  const stream = await docker.getEvents({ since, until, filters });
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as EngineEvent);
  const timeOf = (action: string): number => (events.find((event) => event.Action === action)?.timeNano ?? NaN) / 1e6;
  return { kill: timeOf("kill"), die: timeOf("die") };
}
