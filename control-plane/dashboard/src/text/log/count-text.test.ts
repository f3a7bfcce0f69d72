import { expect, test } from "vitest";
import { countText } from "./count-text.ts";

test.for([
  [{ kept: 0, forgotten: 0, found: undefined }, "0 lines"],
  [{ kept: 1, forgotten: 0, found: undefined }, "1 line"],
  [{ kept: 20, forgotten: 0, found: 3 }, "3 of 20 lines"],
  [{ kept: 20, forgotten: 5, found: undefined }, "20 lines; 5 older ones are not kept here"],
  [{ kept: 20, forgotten: 5, found: 0 }, "0 of 20 lines; 5 older ones are not kept here"],
] as const)("of %o a log says %s", ([count, text]) => expect(countText(count)).toBe(text));
