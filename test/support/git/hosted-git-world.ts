import { listen, type ApiListener } from "@svc/control-plane/api/listener.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterAll, beforeAll } from "vitest";
import { makeGitClient, type GitClient } from "./git-client.ts";
import { startTestApi, type Caller, type TestApi } from "../api/http.ts";

type GitService = "git-receive-pack" | "git-upload-pack";

/** A line of git's protocol, with its length before it (gitprotocol-common). */
export const packetLine = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;

/** The API with its git host on a port, a person's git, and two owners. */
export class HostedGitWorld {
  http!: TestApi;
  client!: GitClient;
  ada!: Caller;
  eve!: Caller;
  #listener: ApiListener | undefined;

  async start(): Promise<void> {
    this.http = await startTestApi();
    const address = { host: "127.0.0.1", port: 0 };
    this.#listener = await listen(this.http.api, { address, tls: undefined, log: silentLogger });
    this.client = await makeGitClient();
    this.ada = await this.http.addCaller();
    this.eve = await this.http.addCaller();
  }

  async stop(): Promise<void> {
    await this.#listener?.close();
    await this.client?.remove();
    await this.http?.stop();
  }

  urlOf(name: string, owner = this.ada): string {
    return `http://127.0.0.1:${this.#listener!.address.port}/git/${owner.userId}/${name}.git`;
  }

  /** Makes a repository with the files of a template. @returns its id */
  async makeRepository(name: string, owner = this.ada): Promise<string> {
    const { status } = await owner.call("POST", "/api/apps", { name, template: "static-site" });
    if (status !== 201) throw new Error(`an app of the name ${name}: answered ${status}`);
    const { rows } = await this.http.database.query("select id from repositories where name = $1", [name]);
    return String(rows[0]?.["id"]);
  }

  /** Calls a service of git as the first owner. @returns the answer's text */
  async post(name: string, service: GitService, body: Buffer, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${this.urlOf(name)}/${service}`, {
      method: "POST",
      headers: {
        Authorization: `Basic ${Buffer.from(`x:${this.ada.key}`).toString("base64")}`,
        "Content-Type": `application/x-${service}-request`,
        ...headers,
      },
      body: new Uint8Array(body),
    });
    return response.text();
  }

  /** Reads how many refs the repository has, and whether it is small on the disk. */
  async contentOf(id: string): Promise<{ refs: number; isSmall: boolean }> {
    const { folders } = this.http.hosting;
    return { refs: await folders.refCount(id), isSmall: (await folders.sizeOf(id)) < 1024 ** 2 };
  }
}

/** Call it at the top of a test file: it starts and stops the world. */
export function useHostedGitWorld(): HostedGitWorld {
  const world = new HostedGitWorld();
  beforeAll(() => world.start());
  afterAll(() => world.stop());
  return world;
}
