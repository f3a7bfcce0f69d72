import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/tools/eventually.ts";
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
  it.each(SCENES)(
    "tries, while another owner's app is asked to store a row at each request: %s",
    async (scene: Scene) => {
      load.phase(scene);
      await neighbours.play(scene);
      const sent = await eventually(load.sent, (count) => count > PER_SECOND, { what: "the load goes on" });
      expect(sent).toBeGreaterThan(PER_SECOND);
    },
  );

  it("is named to the operator with what it took", async () => {
    const status = await neighbours.setup.platform.admin("server", "status", "server-1");
    for (const code of ["disk_limit", "out_of_memory", "process_limit"]) {
      expect(status).toMatch(new RegExp(`${code}\\b.*\\bgreedy\\b`));
    }
  });

  it("has not made the other app lose a request or a stream", async () => {
    const { phases, steady } = await load.stop();
    expect(Object.keys(phases)).toEqual([...SCENES]);
    for (const [scene, { sent, answered, lost }] of Object.entries(phases)) {
      expect({ scene, lost, unanswered: sent - answered }).toEqual({ scene, lost: {}, unanswered: 0 });
    }
    expect(steady.broken).toEqual([]);
  });
});
