import { expect, test, vi } from "vitest";
import { atOnce } from "./at-once.mjs";

const tick = (): Promise<void> => new Promise(setImmediate);
const fails = () => Promise.reject(new Error("no registry"));

test("after a failure the other part ends what is under way, begins nothing more, and the reason is the failure's", async () => {
  const done: string[] = [];
  const other = async (stop: AbortSignal): Promise<void> => {
    await tick();
    done.push("under way");
    stop.throwIfAborted();
    done.push("begun");
  };
  await expect(atOnce([other, fails])).rejects.toThrow("no registry");
  expect(done).toEqual(["under way"]);
});

test("so do the parts of a part", async () => {
  let isBegun = false;
  const inner = async (stop: AbortSignal): Promise<void> => {
    await tick();
    stop.throwIfAborted();
    isBegun = true;
  };
  await expect(atOnce([(stop) => atOnce([inner, inner], stop), fails])).rejects.toThrow("no registry");
  expect(isBegun).toBe(false);
});

test("a cause that two parts failed of is told once", async () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const failure = fails();
  await expect(atOnce([() => failure, () => failure])).rejects.toThrow("no registry");
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

test("all parts have ended when none fails", async () => {
  let ended = 0;
  const part = async (): Promise<void> => {
    await tick();
    ended += 1;
  };
  await atOnce([part, (stop) => atOnce([part, part], stop)]);
  expect(ended).toBe(3);
});
