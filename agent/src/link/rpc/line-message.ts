import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { LogOutput } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { LogLine } from "../../ports.ts";

const LOG_OUTPUTS = { stdout: LogOutput.STDOUT, stderr: LogOutput.STDERR } as const;

/** A line of a log as the wire has it. */
export function lineMessage({ time, text, output }: LogLine) {
  return { time: timestampFromDate(time), text, ...(output && { output: LOG_OUTPUTS[output] }) };
}
