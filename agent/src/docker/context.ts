import type { Logger } from "@svc/shared/logger.ts";
import type Docker from "dockerode";
import type { Cidr } from "../domain/address-block.ts";

/** What the files of this room work with. */
export interface DockerContext {
  docker: Docker;
  /** Value of the `svc.server` label; nothing without it is seen or touched. */
  serverId: string;
  addressBlock: Cidr;
  /** Official name of a base image → where this host gets it. */
  resolveImage: (officialName: string) => string;
  /** Runs pieces of work of one key one after another. */
  serialize: Serialize;
  /** Keeps apps from link-local addresses; never throws. */
  guardLinkLocal: () => Promise<void>;
  log: Logger;
}

export type Serialize = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** One agent drives an engine, so that its own order is all that choosing a free address needs. */
export function createSerializer(): Serialize {
  const tails = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    tails.set(key, result);
    const forget = (): void => {
      if (tails.get(key) === result) tails.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
