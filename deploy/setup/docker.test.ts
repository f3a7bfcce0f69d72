import { expect, test } from "vitest";
import { defaultRouteDevice, withOurSettings } from "./docker.mjs";

const HEADER = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT";

test("the uplink is the interface of the default route", () => {
  const table = [HEADER, "docker0\t000011AC\t00000000\t0001", "wg0\t00000000\t0100000A\t0003", ""].join("\n");
  expect(defaultRouteDevice(table)).toBe("wg0");
});

test("a machine without a default route has no uplink", () => {
  expect(defaultRouteDevice(`${HEADER}\ndocker0\t000011AC\t00000000\t0001\n`)).toBeUndefined();
});

const BUILDER = { gc: { enabled: true, defaultKeepStorage: "20GB" } };

test("an engine that we install keeps its containers over a restart, and its build cache within bounds", () => {
  expect(JSON.parse(withOurSettings("{}")!)).toEqual({ "live-restore": true, builder: BUILDER });
});

test("settings that are there already are kept, and ours are added to them", () => {
  const own = { "log-driver": "journald", builder: { gc: { enabled: false } } };
  expect(JSON.parse(withOurSettings(JSON.stringify(own))!)).toEqual({ "live-restore": true, ...own });
  expect(withOurSettings(JSON.stringify({ "live-restore": false, builder: BUILDER }))).toBeUndefined();
});

test("settings that can't be read are not overwritten", () => {
  expect(() => withOurSettings("{,}")).toThrow(/daemon.json is no JSON/);
});
