import { SvcError } from "@svc/shared/errors.ts";
import { invalid, quoted } from "../invalid.ts";
import { readBounded } from "./request-body.ts";

/** A form's parameters by name. */
export type Form = ReadonlyMap<string, string>;

/** Far more than any form of ours holds. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * Reads a form. A parameter without a value counts as left out, and none may be there twice (RFC 6749, section 3.2).
 * @throws SvcError unsupported_media_type, payload_too_large, invalid_request
 */
export async function readForm(request: Request): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(request.headers.get("Content-Type") ?? "")) {
    throw new SvcError(
      "unsupported_media_type",
      "Send a form, with the header Content-Type: application/x-www-form-urlencoded.",
    );
  }
  const { bytes, complete } = await readBounded(request);
  if (!complete || bytes.length > FORM_BYTES_MAX) {
    throw new SvcError("payload_too_large", `The form is larger than ${FORM_BYTES_MAX} bytes.`);
  }
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    if (form.has(name)) throw invalid(`The parameter ${quoted(name)} is there twice.`);
    if (value !== "") form.set(name, value);
  }
  return form;
}
