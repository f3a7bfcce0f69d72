import { expect, test } from "vitest";
import type { DiskSpace } from "@svc/shared/rules/disk-watermarks.ts";
import { DiskRoom } from "./disk-room.ts";

const GIB = 1024 ** 3;
const roomy: DiskSpace = { totalBytes: 20 * GIB, availableBytes: 4 * GIB, inodesTotal: 1_000, inodesAvailable: 900 };

function roomOf(disk: Partial<DiskSpace>): DiskRoom {
  return new DiskRoom("/", async () => ({ ...roomy, ...disk }));
}

test("room promised at the same time fits above the watermark, and can be promised again when it is given back", async () => {
  const room = roomOf({ availableBytes: 4 * GIB });
  const asked = await Promise.allSettled([1, 2, 3].map(() => room.take(GIB, "the push")));
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  const [first] = asked as PromiseFulfilledResult<() => void>[];
  first!.value();
  await room.take(GIB, "the push");
  await expect(room.take(1, "the push")).rejects.toMatchObject({
    code: "disk_full",
    message:
      "There is no room for the push: only 4096 MiB of its disk are free on the server. Have whoever runs this service " +
      "free space, then try again.",
  });
});

test("a twentieth of a large disk stays free, and of the files that it can hold", async () => {
  const large = { totalBytes: 1_000 * GIB, availableBytes: 51 * GIB };
  await roomOf(large).take(GIB, "the push");
  await expect(roomOf(large).take(GIB + 1, "the push")).rejects.toMatchObject({ code: "disk_full" });
  await expect(roomOf({ inodesAvailable: 49 }).take(1, "the push")).rejects.toThrow(
    "only 49 of the 1000 files that its disk can hold are free on the server",
  );
});

test("the disk of a real folder is read", async () => {
  await expect(new DiskRoom("/").take(Number.MAX_SAFE_INTEGER, "the push")).rejects.toMatchObject({
    code: "disk_full",
  });
});
