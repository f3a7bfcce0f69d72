import { connect } from "node:net";

/** The server is on the same machine, and answers from memory. */
const ANSWER_MS_MAX = 1000;

/** The protocol's version 3.0 (PostgreSQL, "Message Formats", StartupMessage). */
const PROTOCOL = 3 << 16;

/** SQLSTATE of a server that starts, recovers or shuts down. */
const CANNOT_CONNECT_NOW = "57P03";

/**
 * Whether a PostgreSQL takes connections at this address, asked as pg_isready does: a session is begun and left before any
 * password, so that nothing is written to the server's log. A recovering server accepts TCP and is not ready.
 */
export function isPostgresReady(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS_MAX });
    const settle = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket
      .on("connect", () => socket.write(startupMessage()))
      .on("data", (answer: Buffer) => settle(answer.toString("latin1", 0, 1) !== "E" || !isRefusal(answer)))
      .on("timeout", () => settle(false))
      .on("error", () => settle(false))
      .on("end", () => settle(false));
  });
}

function isRefusal(answer: Buffer): boolean {
  return answer.includes(`\0C${CANNOT_CONNECT_NOW}\0`);
}

function startupMessage(): Buffer {
  const body = Buffer.from("\0\0\0\0user\0postgres\0database\0postgres\0\0", "latin1");
  body.writeInt32BE(PROTOCOL, 0);
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + body.length, 0);
  return Buffer.concat([length, body]);
}
