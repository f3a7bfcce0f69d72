import { isPort, PORT } from "@svc/shared/rules/port.ts";
import { invalid } from "../platform/invalid.ts";

/** @throws SvcError invalid_request */
export function checkPort(port: number): void {
  if (!isPort(port)) throw invalid(`The port ${port} is not a whole number from ${PORT.min} to ${PORT.max}.`);
}
