import { expect, test } from "vitest";
import { appUrl } from "./app-url.ts";

test("an app's URL names the port only when it is not the default", () => {
  expect(appUrl("hello", { appsDomain: "apps.test", appsHttpsPort: 443 })).toBe("https://hello.apps.test");
  expect(appUrl("hello", { appsDomain: "apps.test", appsHttpsPort: 8443 })).toBe("https://hello.apps.test:8443");
});
