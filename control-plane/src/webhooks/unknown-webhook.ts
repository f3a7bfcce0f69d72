import { SvcError } from "@svc/shared/errors.ts";

export function unknownWebhook(): SvcError {
  return new SvcError("not_found", "The app has no webhook with that id.");
}
