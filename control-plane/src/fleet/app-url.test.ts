import { expect, test } from "vitest";
import { appUrlSuffix } from "./app-url.ts";

test("an app's URL names the port only when it is not the default", () => {
  expect(appUrlSuffix({ appsDomain: "apps.test", appsHttpsPort: 443 })).toBe(".apps.test");
  expect(appUrlSuffix({ appsDomain: "apps.test", appsHttpsPort: 8443 })).toBe(".apps.test:8443");
});
