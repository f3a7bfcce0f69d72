import type { Socket } from "node:net";

/** Has two sockets end together. They are among the open ones until they have. */
export function tieSockets(open: Set<Socket>, first: Socket, second: Socket): void {
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    open.add(one);
    one.on("error", () => other.destroy());
    one.on("close", () => {
      open.delete(one);
      other.destroy();
    });
  }
}
