import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { tieSockets } from "../tools/tie-sockets.ts";

/** Where in a statement the database goes away: it never sees the statement, or the client never sees the answer. */
export type CutAt = "before" | "after";

/** A line to a database that is cut at a chosen statement, once. */
export interface CuttingLine {
  /** Of the database over this line. */
  url: string;
  /** Cuts every connection at that statement from now on, the first being 1. */
  cutAt(statement: number, at: CutAt): void;
  /** Serves again. @returns whether the line was cut since `cutAt` */
  mend(): boolean;
  close(): Promise<void>;
}

/** The frontend's Query and Sync: each asks for one ReadyForQuery (PostgreSQL, "Message Formats"). */
const ENDS_STATEMENT = new Set(["Q", "S"]);
const READY = "Z";

/** @param url of a database */
export async function startCuttingLine(url: string): Promise<CuttingLine> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let left = Infinity;
  let where: CutAt = "before";
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    sockets.forEach((socket) => socket.destroy());
  };

  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = createConnection(Number(port), hostname);
    // The answer to a statement whose client is to see nothing of it.
    let isSecret = false;
    const fromClient = new MessageReader(true, (type, bytes) => {
      if (isCut) return;
      if (ENDS_STATEMENT.has(type) && --left === 0) {
        if (where === "before") return cut();
        isSecret = true;
      }
      upstream.write(bytes);
    });
    const fromServer = new MessageReader(false, (type, bytes) => {
      if (isCut) return;
      if (!isSecret) return void client.write(bytes);
      if (type === READY) cut();
    });
    client.on("data", (bytes: Buffer) => fromClient.take(bytes));
    upstream.on("data", (bytes: Buffer) => fromServer.take(bytes));
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    tieSockets(sockets, client, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);

  return {
    url: own.href,
    cutAt(statement, at) {
      [left, where, isCut] = [statement, at, false];
    },
    mend() {
      const wasCut = isCut;
      [left, isCut] = [Infinity, false];
      return wasCut;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}

/** Finds the messages in a stream: a type of one byte, a length of four that counts itself, the content. */
class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  /** The first message of a client has no type. */
  #isStartup: boolean;
  readonly #onMessage: (type: string, bytes: Buffer) => void;

  constructor(isStartup: boolean, onMessage: (type: string, bytes: Buffer) => void) {
    this.#isStartup = isStartup;
    this.#onMessage = onMessage;
  }

  take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const head = this.#isStartup ? 0 : 1;
      if (this.#rest.length < head + 4) return;
      const length = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = this.#isStartup ? "" : String.fromCharCode(message[0]!);
      this.#isStartup = false;
      this.#onMessage(type, message);
    }
  }
}
