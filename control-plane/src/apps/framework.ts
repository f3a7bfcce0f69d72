import { FRAMEWORK_NAMES, isFrameworkName } from "@svc/shared/rules/frameworks.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/** @throws SvcError invalid_request */
export function checkFramework(value: string): void {
  if (isFrameworkName(value)) return;
  throw invalid(`The framework ${quoted(value)} is not supported: use one of ${FRAMEWORK_NAMES.join(", ")}.`);
}
