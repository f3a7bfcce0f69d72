import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostNames, loadHostNames } from "./host-names.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-names-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe("the names that only a host can make", () => {
  it("are the same after a restart, and others on another host", async () => {
    const [first, again] = [await loadHostNames(directory), await loadHostNames(directory)];
    const id = newId();
    expect(again.repositoryOf(id)).toBe(first.repositoryOf(id));
    expect(new HostNames("another").repositoryOf(id)).not.toBe(first.repositoryOf(id));
  });

  it("hold 160 bits, nothing of the id, and differ by id and purpose", async () => {
    const names = await loadHostNames(directory);
    const [id, other] = [newId(), newId()];
    const all = [id, other].flatMap((one) => [
      names.repositoryOf(one),
      names.fetchedOf(one),
      names.saltOf(one),
      names.cacheNamespaceOf(one),
    ]);
    expect(new Set(all.map((name) => name.replace("svc/", ""))).size).toBe(8);
    for (const name of all) expect(name).toMatch(/^(?:svc\/)?[0-9a-f]{40}$/);
  });

  it("come from a file that its owner alone reads", async () => {
    await loadHostNames(directory);
    expect((await stat(join(directory, "image-names.secret"))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(directory, "image-names.secret"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it("are not made from a damaged file, which is named", async () => {
    await writeFile(join(directory, "image-names.secret"), "");
    await expect(loadHostNames(directory)).rejects.toThrow(/image-names\.secret is damaged/);
  });
});
