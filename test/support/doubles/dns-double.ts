import { createSocket } from "node:dgram";
import { once } from "node:events";
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer } from "dns-packet";

/** A name server's answer about a name: its records, a failure, or nothing at all. */
export type DnsName = { A?: string[]; TXT?: string[][] } | "SERVFAIL" | "silent";

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 };

export interface DnsDouble {
  /** As SVC_DNS_SERVERS takes it. */
  address: string;
  names: Map<string, DnsName>;
  stop(): Promise<void>;
}

/** Public DNS as a test wants it, on loopback, over UDP. A name that is not there does not exist. */
export async function startDnsDouble(): Promise<DnsDouble> {
  const names = new Map<string, DnsName>();
  const socket = createSocket("udp4");
  socket.on("message", (message, peer) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const entry = question && names.get(question.name.toLowerCase());
    if (!question || entry === "silent") return;
    const rcode = entry === undefined ? RCODES.NXDOMAIN : entry === "SERVFAIL" ? RCODES.SERVFAIL : RCODES.NOERROR;
    const records = typeof entry === "object" ? (entry[question.type as "A" | "TXT"] ?? []) : [];
    const answers = records.map((data) => ({ type: question.type, name: question.name, ttl: 0, data }) as Answer);
    const flags = AUTHORITATIVE_ANSWER | rcode;
    socket.send(encode({ type: "response", id: id ?? 0, flags, questions, answers }), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    names,
    async stop() {
      socket.close();
      await once(socket, "close");
    },
  };
}
