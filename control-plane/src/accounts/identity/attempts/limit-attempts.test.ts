import { expect, test } from "vitest";
import { networkOf, siteOf } from "./limit-attempts.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["unknown", "unknown"],
])("attempts from %s count for %s", (address, network) => expect(networkOf(address)).toBe(network));

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1"],
  ["2001:0db8:1:ffff::9", "2001:db8:1"],
  ["2001:db8::9", "2001:db8:0"],
  ["unknown", "unknown"],
])("attempts from %s count for the site %s", (address, site) => expect(siteOf(address)).toBe(site));
