import { expect, test } from "vitest";
import { DEFAULT_TIERS, parseTiers, tierOf } from "./tier.ts";

test("a file of tiers is read as the built-in ones are written", () => {
  const text = JSON.stringify({
    free: { apps: 3, memory: "512m", cpus: "1" },
    pro: { apps: 25, memory: "1g", cpus: "2.0" },
    team: { apps: 250, memory: "2g", cpus: "4" },
  });
  expect(parseTiers(text)).toEqual(DEFAULT_TIERS);
});

test("the write rate of a tier can be raised", () => {
  const tier = { apps: 3, memory: "512m", cpus: "1", writes_per_minute: 600, write_burst: 60 };
  expect(parseTiers(JSON.stringify({ fast: tier }))["fast"]!.writes).toEqual({ perMinute: 600, burst: 60 });
});

test("reads are limited where a tier says so", () => {
  const tier = { apps: 3, memory: "512m", cpus: "1", reads_per_minute: 600, read_burst: 60 };
  expect(parseTiers(JSON.stringify({ slow: tier }))["slow"]!.reads).toEqual({ perMinute: 600, burst: 60 });
});

test.each([
  ["{", /not JSON/],
  ["[]", /one property a tier/],
  ["{}", /one property a tier/],
  ['{"x": 1}', /tier x must be an object/],
  ['{"x": {"apps": -1, "memory": "1g", "cpus": "1"}}', /apps of tier x/],
  ['{"x": {"apps": 1, "memory": "1gb", "cpus": "1"}}', /memory of tier x/],
  ['{"x": {"apps": 1, "memory": "0m", "cpus": "1"}}', /memory of tier x/],
  ['{"x": {"apps": 1, "memory": "15m", "cpus": "1"}}', /memory of tier x .* at least "16m"/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": 1}}', /cpus of tier x/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": "1", "writes_per_minute": 0}}', /writes_per_minute of tier x/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": "1", "write_burst": "5"}}', /write_burst of tier x/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": "1", "reads_per_minute": 60}}', /read_burst of tier x/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": "0.009"}}', /cpus of tier x .* at least "0.01"/],
  ['{"x": {"apps": 1, "memory": "1g", "cpus": "1", "disk": 1}}', /unknown property disk/],
])("%s is refused with the reason", (text, reason) => expect(() => parseTiers(text)).toThrow(reason));

test("a tier that is gone allows what the smallest one allows", () => {
  expect(tierOf(DEFAULT_TIERS, "gold")).toEqual(DEFAULT_TIERS["free"]);
});
