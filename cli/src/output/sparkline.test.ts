import { expect, test } from "vitest";
import { sparkline } from "./sparkline.ts";

test("values are bars from 0 to the largest, and what is not known is a gap", () => {
  expect(sparkline([0, 1, 2, 4, null, 7], 10)).toBe("▁▂▃▅ █");
  expect(sparkline([0, 0, 0], 10)).toBe("▁▁▁");
  expect(sparkline([], 10)).toBe("");
});

test("of more values than fit, the largest of neighbours is shown", () => {
  const values = Array.from({ length: 100 }, (_, place) => (place === 55 ? 7 : 0));
  expect(sparkline(values, 10)).toBe("▁▁▁▁▁█▁▁▁▁");
  expect(
    sparkline(
      Array.from({ length: 95 }, () => 1),
      10,
    ),
  ).toHaveLength(10);
});
