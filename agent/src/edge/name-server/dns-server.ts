import { createSocket, type RemoteInfo, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import * as dns from "dns-packet";

/** Bytes of a query over TCP that are kept while it arrives; a real one has under 300. */
const TCP_QUERY_BYTES_MAX = 1024;
/** Connections over TCP at a time: only the proxy asks, and it prefers UDP. */
const TCP_CONNECTIONS_MAX = 64;
const TCP_IDLE_MS = 10_000;
/** Go's resolver, which is the proxy's, takes no longer datagram. */
const DATAGRAM_BYTES_MAX = 1232;

/** Answers one packet; undefined ignores it. */
export type DnsAnswer = (packet: Buffer) => Buffer | undefined;

/** Serves DNS on one loopback port, UDP and TCP. @throws what listening throws, such as EADDRINUSE */
export async function listenForDns(port: number, answer: DnsAnswer): Promise<{ close(): void }> {
  const tcp = createServer({ noDelay: true }, (socket) => serveConnection(socket, answer));
  tcp.maxConnections = TCP_CONNECTIONS_MAX;
  await listening(tcp, port);
  try {
    const udp = await listenForDatagrams(port, (packet, from) => {
      const reply = answer(packet);
      if (reply) udp.send(fitDatagram(reply), from.port, from.address);
    });
    return {
      close() {
        udp.close();
        tcp.close();
      },
    };
  } catch (error) {
    tcp.close();
    throw error;
  }
}

/** Long answers come over TCP alone, where the asker turns when it is told that one was cut (RFC 1035, 4.2.1). */
function fitDatagram(reply: Buffer): Buffer {
  if (reply.length <= DATAGRAM_BYTES_MAX) return reply;
  const { id, flags = 0, questions } = dns.decode(reply);
  return dns.encode({
    type: "response",
    id: id ?? 0,
    flags: flags | dns.TRUNCATED_RESPONSE,
    questions: questions ?? [],
  });
}

/** Hears datagrams on one loopback port. @throws what listening throws, such as EADDRINUSE */
export async function listenForDatagrams(
  port: number,
  onPacket: (packet: Buffer, from: RemoteInfo) => void,
): Promise<DatagramSocket> {
  const udp = createSocket("udp4");
  try {
    udp.bind(port, "127.0.0.1");
    await once(udp, "listening");
  } catch (error) {
    udp.close();
    throw error;
  }
  // An answer that can't be delivered is the asker's loss; it asks again.
  udp.on("error", () => {});
  udp.on("message", onPacket);
  return udp;
}

/** May be tried again with a server that failed. @throws what listening throws, such as EADDRINUSE */
export async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

/** Over TCP each packet has its length in two bytes before it (RFC 1035, 4.2.2). */
function serveConnection(socket: Socket, answer: DnsAnswer): void {
  let received = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const reply = answer(received.subarray(2, end));
      received = received.subarray(end);
      if (reply) socket.write(withLength(reply));
    }
    if (received.length > TCP_QUERY_BYTES_MAX) socket.destroy();
  });
}

function withLength(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}
