import { expect, test } from "vitest";
import { isDebianLike } from "./apt.mjs";

test.each([
  ["Debian", "ID=debian\nVERSION_ID=12\n", true],
  ["Ubuntu", 'ID=ubuntu\nID_LIKE="debian"\n', true],
  ["a derivative of Ubuntu", 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
  ["Fedora", "ID=fedora\n", false],
  ["a system without os-release", "", false],
])("apt-get is used on %s: %#", (_name, release, expected) => {
  expect(isDebianLike(release)).toBe(expected);
});
