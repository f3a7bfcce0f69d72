import { listen, type ApiListener } from "@svc/control-plane/api/listener.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type Caller, type TestApi, type TestApiOptions } from "../api/http.ts";
import { makeSvcUser, type SvcUser } from "./svc.ts";

/** The API on loopback, a caller, and a user of the tool who has the caller's key. */
export interface SvcWorld {
  http: TestApi;
  url: string;
  caller: Caller;
  user: SvcUser;
  /** Nobody listens at the address until it comes back. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSvcWorld(options: TestApiOptions = {}): Promise<SvcWorld> {
  const http = await startTestApi(options);
  const listenAt = (port: number): Promise<ApiListener> =>
    listen(http.api, { address: { host: "127.0.0.1", port }, tls: undefined, log: silentLogger });
  let listener = await listenAt(0);
  const { port } = listener.address;
  const url = `http://127.0.0.1:${port}`;
  const caller = await http.addCaller();
  const user = await makeSvcUser({ SVC_URL: url, SVC_API_KEY: caller.key });
  return {
    http,
    url,
    caller,
    user,
    goAway: () => listener.close(),
    async comeBack() {
      listener = await listenAt(port);
    },
    async stop() {
      http.closing.abort();
      await listener.close();
      await user.remove();
      await http.stop();
    },
  };
}
