import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { MixedLoad } from "../support/load/mixed-load.ts";
import { SCENES, startNeighbours, type Neighbours, type Scene } from "../support/load/neighbours.ts";

/** Low enough for a machine that runs other tests too: what is lost counts here, not how long an answer takes. */
const PER_SECOND = 20;

let neighbours: Neighbours;
let load: MixedLoad;

beforeAll(async () => {
  neighbours = await startNeighbours();
  load = await neighbours.startLoad(PER_SECOND);
});
afterAll(() => neighbours?.setup.stop());

describe("an owner who takes what a host has", () => {
  it.each(SCENES)("loses no request and no row of another owner's app: %s", async (scene: Scene) => {
    load.phase(scene);
    await neighbours.play(scene);
    await eventually(load.sent, (sent) => sent > PER_SECOND, { what: "the load goes on" });
  });

  it("is named to the operator, and to the owner with what to do", async () => {
    const status = await neighbours.setup.platform.admin("server", "status", "server-1");
    expect(status).toMatch(/greedy/);
  });

  it("had nothing of the others", async () => {
    const { phases, steady } = await load.stop();
    expect(Object.keys(phases)).toEqual([...SCENES]);
    for (const [scene, { sent, answered, lost }] of Object.entries(phases)) {
      expect({ scene, lost, unanswered: sent - answered }).toEqual({ scene, lost: {}, unanswered: 0 });
    }
    expect(steady.broken).toEqual([]);
  });
});
