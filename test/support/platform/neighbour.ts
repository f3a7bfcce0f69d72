import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Any: it listens in a network of its own. */
const PORT = 4000;
/** Where name servers are asked. */
const NAMES_PORT = 53;

export interface Neighbour {
  port: number;
  namesPort: number;
  stop(): Promise<void>;
}

/**
 * A host behind this one: a network namespace with a link to it, where something listens on these addresses. What a
 * container sends there is forwarded, as it would be to the next machine.
 */
export async function startNeighbour(addresses: readonly string[]): Promise<Neighbour> {
  const name = `svc-n${process.pid}`;
  const [near, far] = [`${name}a`, `${name}b`];
  await run("ip", ["netns", "add", name]);
  await run("ip", ["link", "add", near, "type", "veth", "peer", "name", far, "netns", name]);
  await run("ip", ["link", "set", near, "up"]);
  await run("ip", ["-n", name, "link", "set", far, "up"]);
  await run("ip", ["addr", "add", "198.18.77.1/30", "dev", near]);
  for (const address of addresses) await run("ip", ["-n", name, "addr", "add", `${address}/30`, "dev", far]);
  for (const address of addresses) await run("ip", ["route", "replace", `${address}/32`, "dev", near]);
  await run("ip", ["-n", name, "route", "add", "default", "via", "198.18.77.1"]);
  const program = `const up = [${PORT}, ${NAMES_PORT}].map((port) => new Promise((resolve) => {
      require('net').createServer((s) => s.on('error', () => 0)).listen(port, resolve);
    }));
    Promise.all(up).then(() => console.log('up'));`;
  // Not `ip netns exec`, which mounts /sys anew.
  const child = spawn("nsenter", [`--net=/run/netns/${name}`, process.execPath, "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    port: PORT,
    namesPort: NAMES_PORT,
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
      await run("ip", ["link", "delete", near]);
      await run("ip", ["netns", "delete", name]);
    },
  };
}
