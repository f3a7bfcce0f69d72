import { ChannelCredentials, Client, type ServiceError } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";

const root = new URL("../../../", import.meta.url).pathname;

/** The definitions that any gRPC client knows: the .proto files, ours and those that the standard services publish. */
const definitions = loadSync(
  [
    "svc/agent/v1/agent.proto",
    "health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
  ],
  {
    includeDirs: [
      `${root}proto`,
      `${root}node_modules/grpc-health-check/proto`,
      `${root}node_modules/@grpc/reflection/build/proto`,
    ],
    keepCase: true,
    longs: Number,
    enums: String,
    oneofs: true,
    defaults: true,
  },
);

export interface Pem {
  keyPem: string;
  certificatePem: string;
}

/** A stock gRPC client (@grpc/grpc-js) over mutual TLS; messages are plain objects. */
export class GrpcClient {
  readonly #client: Client;

  constructor(address: HostPort, authorityPem: string, identity: Pem | undefined, serverName: string) {
    const credentials = ChannelCredentials.createSsl(
      Buffer.from(authorityPem),
      identity && Buffer.from(identity.keyPem),
      identity && Buffer.from(identity.certificatePem),
    );
    this.#client = new Client(formatHostPort(address), credentials, {
      "grpc.ssl_target_name_override": serverName,
      "grpc.default_authority": serverName,
    });
  }

  /** @throws ServiceError */
  call(method: string, request: object): Promise<Message> {
    const { path, requestSerialize, responseDeserialize } = find(method);
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 20_000 };
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, answer) =>
        error ? reject(error) : resolve(answer as Message),
      );
    });
  }

  /** Leaving the loop cancels the call. @throws ServiceError */
  async *stream(method: string, request: object): AsyncGenerator<Message> {
    const { path, requestSerialize, responseDeserialize } = find(method);
    const stream = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    try {
      for await (const message of stream) yield message as Message;
    } finally {
      stream.on("error", () => undefined).cancel();
    }
  }

  /** Sends one request on a stream of both directions and returns the first answer. */
  ask(method: string, request: object): Promise<Message> {
    const { path, requestSerialize, responseDeserialize } = find(method);
    const stream = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    return new Promise((resolve, reject) => {
      stream.once("data", (message: Message) => resolve(message));
      stream.once("error", reject);
      stream.write(request);
      stream.end();
    });
  }

  close(): void {
    this.#client.close();
  }
}

export type Message = Record<string, unknown>;

/** gRPC's code and message, and the ErrorDetail that every failed call of ours carries. */
export function errorOf(call: Promise<unknown>): Promise<{ code: number; message: string; detail: string }> {
  return call.then(
    () => Promise.reject(new Error("the call did not fail")),
    (error: ServiceError) => {
      const status = error.metadata?.get("grpc-status-details-bin")[0];
      const text = Buffer.isBuffer(status) ? status.toString("latin1") : "";
      return {
        code: error.code,
        message: error.details,
        detail: /ErrorDetail[^a-z]*([a-z_]+)/.exec(text)?.[1] ?? "",
      };
    },
  );
}

function find(method: string): MethodDefinition<object, object> {
  const [service = "", name = ""] = method.split("/");
  const definition = definitions[service];
  if (!definition || "format" in definition) throw new Error(`no service ${service}`);
  const found = Object.entries(definition).find(([key]) => key === name)?.[1];
  if (!found) throw new Error(`no method ${method}`);
  return found;
}
