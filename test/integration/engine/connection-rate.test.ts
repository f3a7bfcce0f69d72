import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestEngine, newApp, nodeContainer, type TestEngine } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";

/** The app sends packets to so many ports in less than two seconds: each is a connection to the kernel. */
const PORTS = 60_000;

let test: TestEngine;
let controller: AbortController;

beforeEach(() => {
  test = createTestEngine();
  controller = new AbortController();
});
afterEach(async () => {
  controller.abort();
  await test.cleanUp();
});

const connections = async (): Promise<number> =>
  Number(await readFile("/proc/sys/net/netfilter/nf_conntrack_count", "utf8"));

it("an app that opens connections without end takes a small part of the host's table", async () => {
  const { engine, docker } = test;
  void test.again().keepAppsApart(controller.signal, () => {});
  // Its network is made by the app's first container; a packet to the gateway is one to this host.
  const script = `import socket, subprocess, time
gateway = open("/proc/net/route").read().split("\\n")[1].split("\\t")[2]
address = socket.inet_ntoa(bytes.fromhex(gateway)[::-1])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
began = time.time()
for port in range(2000, 2000 + ${PORTS}):
    try: sender.sendto(b"x", (address, port))
    except OSError: pass
print("sent in %.1f s" % (time.time() - began), flush=True)
time.sleep(3600)`;
  const before = await connections();
  const fields = { image: "python:3.11-slim", command: ["python3", "-c", script] };
  const { id } = await engine.run(nodeContainer(newApp(), "", fields));
  const logs = () => docker.getContainer(id).logs({ stdout: true }).then(String);
  const said = await eventually(logs, (text) => text.includes("sent in"), { what: "all packets are sent" });
  const seconds = Number(/sent in ([\d.]+) s/.exec(said)![1]);
  const taken = (await connections()) - before;
  expect(taken).toBeLessThan(10_000 + 1_000 * (seconds + 1) + 2_000);
  expect(taken).toBeGreaterThan(5_000);
});
