import { expect, test } from "vitest";
import { defaultRouteDevice } from "./docker.mjs";

const HEADER = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT";

test("the uplink is the interface of the default route", () => {
  const table = [HEADER, "docker0\t000011AC\t00000000\t0001", "wg0\t00000000\t0100000A\t0003", ""].join("\n");
  expect(defaultRouteDevice(table)).toBe("wg0");
});

test("a machine without a default route has no uplink", () => {
  expect(defaultRouteDevice(`${HEADER}\ndocker0\t000011AC\t00000000\t0001\n`)).toBeUndefined();
});
