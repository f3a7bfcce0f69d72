import { expect, test } from "vitest";
import { upperDirectory } from "./storage.ts";

const ROOT =
  "812 633 0:61 / / rw,relatime master:280 - overlay overlay rw,lowerdir=/s/2/fs:/s/1/fs,upperdir=/s/3/fs,workdir=/s/3/work";

test("the writable directory is the one of the overlay at the root", () => {
  const other = "900 812 0:70 / /data rw - overlay overlay rw,lowerdir=/x,upperdir=/y,workdir=/z";
  expect(upperDirectory(`${other}\n813 812 0:64 / /proc rw - proc proc rw\n${ROOT}\n`)).toBe("/s/3/fs");
});

test("the size of a layer is unknown without an overlay at the root", () => {
  expect(upperDirectory("812 633 8:1 / / rw - ext4 /dev/sda1 rw,upperdir=/y")).toBeUndefined();
  expect(upperDirectory("")).toBeUndefined();
});
