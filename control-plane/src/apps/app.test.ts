import { expect, test } from "vitest";
import { APP_STATUSES, STATUS_CHANGES, statusWithout } from "./app.ts";

test("a deploy that does not succeed leaves a status that the table of changes has", () => {
  for (const deploy of ["failed", "canceled"] as const) {
    for (const former of [...APP_STATUSES, null]) {
      for (const current_release_id of ["release", null]) {
        const left = statusWithout(deploy, { status: "deploying", current_release_id }, former);
        expect(STATUS_CHANGES.deployFailed.to).toContain(left);
      }
    }
  }
});

test("a rollback that does not succeed leaves the status as it was", () => {
  for (const status of APP_STATUSES.filter((each) => each !== "deploying")) {
    expect(statusWithout("failed", { status, current_release_id: null }, status)).toBe(status);
  }
});

test("a live release keeps its status, and one that went with its server does not", () => {
  for (const former of ["running", "stopped"] as const) {
    expect(statusWithout("failed", { status: "deploying", current_release_id: "release" }, former)).toBe(former);
    expect(statusWithout("canceled", { status: "deploying", current_release_id: null }, former)).toBe("failed");
  }
});

test("an app that its owner had removed stays so when its deploy is canceled, and has failed when it fails", () => {
  const app = { status: "deploying", current_release_id: null } as const;
  expect(statusWithout("canceled", app, "soft_stopped")).toBe("soft_stopped");
  expect(statusWithout("failed", app, "soft_stopped")).toBe("failed");
  expect(statusWithout("canceled", app, "deploying")).toBe("failed");
});
