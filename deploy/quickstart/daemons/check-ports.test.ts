import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkPorts } from "./check-ports.ts";
import { readInstallation } from "../installation.ts";

test("a taken port is named with its holder and the variable that chooses another", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const variables = ["SVC_LISTEN", "SVC_AGENTS_LISTEN", "SVC_METRICS_LISTEN", "SVC_AGENT_HTTP"];
  const free = Object.fromEntries(variables.map((name) => [name, "127.0.0.1:0"]));
  const installation = readInstallation({ ...free, SVC_HTTP_PORT: String(port), SVC_DATA_DIR: "/nowhere" });
  expect(() => checkPorts(installation)).toThrow(
    new RegExp(`Port ${port} [^]*process ${process.pid}[^]*SVC_HTTP_PORT=`),
  );
});
