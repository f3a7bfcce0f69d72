import { connect } from "node:net";

/**
 * Whether something accepts a connection there. Nothing is sent: an app need not speak HTTP, and an image needs no tool.
 * @returns undefined when it did, else the reason (ECONNREFUSED, ETIMEDOUT, …)
 */
export function probeTcp(address: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (reason: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => end("ETIMEDOUT"), timeoutMs);
    socket.once("connect", () => end(undefined));
    socket.once("error", (error) => end("code" in error ? String(error.code) : error.message));
  });
}
