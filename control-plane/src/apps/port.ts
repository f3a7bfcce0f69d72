import { invalid } from "../platform/invalid.ts";

export const PORT_MIN = 1;
export const PORT_MAX = 65_535;

/** @throws SvcError invalid_request */
export function checkPort(port: number): void {
  if (!Number.isInteger(port) || port < PORT_MIN || port > PORT_MAX) {
    throw invalid(`The port ${port} is not a whole number from ${PORT_MIN} to ${PORT_MAX}.`);
  }
}
