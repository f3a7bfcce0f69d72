import { expect, test } from "vitest";
import { readInstallation } from "./installation.ts";

test("a relative data directory is meant from where the person is", () => {
  const { dataDirectory, agentDirectory } = readInstallation({ SVC_DATA_DIR: "svc-data", INIT_CWD: "/home/ada" });
  expect([dataDirectory, agentDirectory]).toEqual(["/home/ada/svc-data", "/home/ada/svc-data/agent"]);
  expect(readInstallation({ SVC_DATA_DIR: "/srv/svc", INIT_CWD: "/home/ada" }).dataDirectory).toBe("/srv/svc");
});
