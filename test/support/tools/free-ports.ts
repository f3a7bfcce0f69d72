import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the range that systems take the local ports of outgoing connections from (32768 and up on Linux), and below that
 * of the name servers (20000 and up). Each of the tests' processes has a part of its own; as many run at a time as
 * .config/vitest.config.ts says.
 */
const PROCESSES = 3;
const PART = 3_200;
// `fetch` refuses 10080, as browsers do (Fetch, "bad port").
const RANGE = { first: 10_100 + (Number(process.env["VITEST_POOL_ID"] ?? 1) % PROCESSES) * PART, count: PART };

/** Ports that this process was given are not given to it again: it may not listen there yet. */
const given = new Set<number>();

/** A port of 127.0.0.1 where nothing listens now, for TCP and UDP, and that no outgoing connection takes meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = RANGE.first + Math.floor(Math.random() * RANGE.count);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const tcp = createServer();
  const udp = createSocket("udp4");
  try {
    const bound = [once(tcp, "listening"), once(udp, "listening")];
    tcp.listen(port, "127.0.0.1");
    udp.bind(port, "127.0.0.1");
    const results = await Promise.allSettled(bound);
    return results.every(({ status }) => status === "fulfilled");
  } finally {
    if (tcp.listening) await new Promise((resolve) => tcp.close(resolve));
    udp.close();
  }
}
