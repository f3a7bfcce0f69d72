import { createRegistry, toBinary, type DescFile, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { ServerReflection, type ServerReflectionRequest } from "@svc/shared/gen/grpc/reflection/v1/reflection_pb.ts";
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as ServerReflectionRequestAlpha,
} from "@svc/shared/gen/grpc/reflection/v1alpha/reflection_pb.ts";

type Question = (ServerReflectionRequest | ServerReflectionRequestAlpha)["messageRequest"];

/** The fields that both versions have, under the same names. */
type Answer =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array<ArrayBuffer>[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

/** gRPC's standard reflection service, v1 and v1alpha, over the services given and itself. */
export function registerReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const answer = createAnswers([...services, ServerReflection, ServerReflectionAlpha]);

  async function* answers(requests: AsyncIterable<{ host: string; messageRequest: Question }>) {
    for await (const { host, messageRequest } of requests) {
      yield { validHost: host, messageResponse: answer(messageRequest) };
    }
  }
  router.service(ServerReflection, { serverReflectionInfo: answers });
  router.service(ServerReflectionAlpha, { serverReflectionInfo: answers });
}

function createAnswers(services: readonly DescService[]): (question: Question) => Answer {
  const files = withDependencies(services.map(({ file }) => file));
  const byName = new Map(files.map((file) => [file.proto.name, file]));
  const registry = createRegistry(...files);

  function fileOfSymbol(symbol: string): DescFile | undefined {
    // The symbol of a method or a field is found through the service or message that it belongs to.
    const found = registry.get(symbol) ?? registry.get(symbol.slice(0, Math.max(0, symbol.lastIndexOf("."))));
    return found?.file;
  }

  return (question) => {
    switch (question.case) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return descriptors(byName.get(question.value), question.value);
      case "fileContainingSymbol":
        return descriptors(fileOfSymbol(question.value), question.value);
      default:
        return failure(
          Code.Unimplemented,
          `${question.case ?? "an empty request"} is not answered: there are no extensions`,
        );
    }
  };
}

function descriptors(file: DescFile | undefined, asked: string): Answer {
  if (!file) return failure(Code.NotFound, `${asked} not found`);
  const fileDescriptorProto = withDependencies([file]).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function failure(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** The files and all that they import, each once. */
function withDependencies(files: readonly DescFile[]): DescFile[] {
  const seen = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (seen.has(file)) return;
    seen.add(file);
    file.dependencies.forEach(visit);
  };
  files.forEach(visit);
  return [...seen];
}
