import { beforeEach, expect, test } from "vitest";
import { useAppWorld } from "../../support/api/app-world.ts";

const world = useAppWorld();

const scale = (replicas: unknown, who = world.ada) => who.call("PATCH", `/api/apps/${world.name}`, { replicas });

/** Has the server's agent tell of so many machines; a server that is one machine tells of none. */
async function tellOfMachines(count: number): Promise<void> {
  const machines = Array.from({ length: count }, (_, at) => ({ name: `node${at}`, ready: true }));
  const status = JSON.stringify({ engine: { reachable: true, machines } });
  await world.http.database.query("update servers set status = $1 where id = $2", [status, world.serverId]);
}

const replicas = async () =>
  ((await world.ada.call("GET", "/api/apps")).json as { apps: { name: string; replicas: number }[] }).apps.find(
    ({ name }) => name === world.name,
  )!.replicas;

beforeEach(() => tellOfMachines(3));

test("an app of a cluster has as many replicas as it is given, at once where it is live", async () => {
  expect(await scale(2)).toMatchObject({ status: 200, json: { app: { replicas: 2 } } });
  expect(world.agent.calls).toEqual([]);
  await world.live();
  expect((await scale(5)).status).toBe(200);
  expect(world.agent.calls).toEqual([`scale ${world.name} 5`]);
  expect(await replicas()).toBe(5);
  expect(await scale(null)).toMatchObject({ status: 200, json: { app: { replicas: 1 } } });
});

test("more than one on a server that is one machine is refused, whatever its agent knows, and nothing is changed", async () => {
  await world.live();
  await tellOfMachines(0);
  const refusal = {
    status: 422,
    json: { error: "replicas_unsupported", detail: expect.stringContaining("one machine") },
  };
  expect(await scale(2)).toMatchObject(refusal);
  expect((await scale(1)).status).toBe(200);
  expect(world.agent.calls).toEqual([]);
  await tellOfMachines(3);
  world.agent.refusal = "invalid_request";
  expect(await scale(2)).toMatchObject(refusal);
  world.agent.refusal = "lock_held";
  expect(await scale(2)).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
  expect(await replicas()).toBe(1);
});

test.each([0, -1, 21, 1.5, "3"])("%j replicas are refused with what is allowed", async (wrong) => {
  expect(await scale(wrong)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
});
