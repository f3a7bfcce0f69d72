import { createSocket } from "node:dgram";
import { decode, encode, type Answer } from "dns-packet";

export interface NameServer {
  /** As SVC_DNS_SERVERS takes it. */
  address: string;
  /** How often each name was asked for, as `A hooks.test`. */
  questions: string[];
  stop(): Promise<void>;
}

/**
 * A name server on loopback. `addressesOf` gives the addresses of a name, v4 and v6, for the n-th question of that type
 * for it (from 1); undefined when there is no such name.
 */
export async function startNameServer(
  addressesOf: (name: string, n: number) => readonly string[] | undefined,
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (message, peer) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    const { name, type } = question;
    questions.push(`${type} ${name}`);
    const addresses = addressesOf(name, questions.filter((one) => one === `${type} ${name}`).length);
    const wanted = (addresses ?? []).filter((address) => (type === "AAAA") === address.includes(":"));
    const answers = wanted.map((data): Answer => ({ type: type === "AAAA" ? "AAAA" : "A", name, ttl: 0, data }));
    // The reply code is in the lowest bits of the flags: 3 is NXDOMAIN (RFC 1035, 4.1.1).
    const flags = addresses ? 0 : 3;
    const reply = encode({ type: "response", id: query.id ?? 0, flags, questions: [question], answers });
    socket.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
