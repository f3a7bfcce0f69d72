import fc from "fast-check";
import { expect, test } from "vitest";
import { PUSH_COMMANDS_MAX, REPOSITORY_REFS_MAX } from "./git-bounds.ts";
import { PushCommands } from "./push-commands.ts";

const ZEROS = "0".repeat(40);
const SHA = "a".repeat(40);
const line = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;
const creating = (count: number): string =>
  Array.from({ length: count }, (_, i) => line(`${ZEROS} ${SHA} refs/tags/${i}\0report-status`)).join("");
const deleting = (count: number): string =>
  Array.from({ length: count }, (_, i) => line(`${SHA} ${ZEROS} refs/tags/${i}`)).join("");

function refusalOf(text: string, refCount = 0, sizes: readonly number[] = []): string | undefined {
  const commands = new PushCommands(refCount);
  let rest = Buffer.from(text, "latin1");
  for (const size of [...sizes, rest.length]) {
    const refusal = commands.add(rest.subarray(0, size));
    if (refusal) return refusal.code;
    rest = rest.subarray(size);
  }
  return undefined;
}

test("a push of as many commands as are allowed passes, one more is refused", () => {
  expect(refusalOf(`${creating(PUSH_COMMANDS_MAX)}0000PACK`)).toBeUndefined();
  expect(refusalOf(`${creating(PUSH_COMMANDS_MAX + 1)}0000PACK`)).toBe("payload_too_large");
});

test("a repository that has all the refs it may have takes no new one, and lets go of old ones", () => {
  expect(refusalOf(`${creating(1)}0000`, REPOSITORY_REFS_MAX - 1)).toBeUndefined();
  expect(refusalOf(`${creating(2)}0000`, REPOSITORY_REFS_MAX - 1)).toBe("repository_full");
  expect(refusalOf(`${deleting(100)}0000`, REPOSITORY_REFS_MAX + 5)).toBeUndefined();
});

test("bytes after the commands are never taken for commands", () => {
  for (const end of ["0000", "0001", "0002", "xyz!"]) {
    expect(refusalOf(creating(1) + end + creating(5_000))).toBeUndefined();
  }
});

test("commands are counted the same however they are cut", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.boolean(), (cuts, isTooMany) => {
      const count = PUSH_COMMANDS_MAX + (isTooMany ? 1 : 0);
      expect(refusalOf(`${creating(count)}0000PACK`, 0, cuts)).toBe(isTooMany ? "payload_too_large" : undefined);
    }),
    { numRuns: 30 },
  );
});
