import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Logger } from "./logger.ts";

export type RpcHandler = ReturnType<typeof connectNodeAdapter>;

/**
 * Connect's request handler for a server of Node's. A request that Connect can't read at all is answered with 400: Connect
 * throws for one inside of the server's event (an `:authority` that is no host), which would end the process.
 */
export function createRpcHandler(options: Parameters<typeof connectNodeAdapter>[0], log: Logger): RpcHandler {
  const handle = connectNodeAdapter(options);
  return (request, response) => {
    try {
      handle(request, response);
    } catch (err) {
      log.debug({ err }, "a request could not be read");
      response.statusCode = 400;
      response.end();
    }
  };
}
