import { APP_NAME_LENGTH_MAX, isAppName } from "@svc/shared/rules/app-name.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/** Subdomains that people would take for the platform itself, or that mail and DNS give a meaning. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `www api admin dashboard console login auth account accounts billing security status support help git registry
  agent agents control-plane svc internal localhost mail smtp imap pop pop3 mx webmail autoconfig autodiscover mta-sts
  postmaster ns ns1 ns2 dns ftp wpad root hostmaster webmaster abuse`.split(/\s+/),
);

/** @throws SvcError invalid_request */
export function checkAppName(name: string): void {
  if (!isAppName(name)) {
    throw invalid(
      `The name ${quoted(name)} can't be a subdomain: use 1 to ${APP_NAME_LENGTH_MAX} of a-z, 0-9 and -, ` +
        "with a letter or digit at both ends.",
    );
  }
  if (RESERVED_NAMES.has(name))
    throw invalid(`The name ${quoted(name)} is reserved for the platform: choose another one.`);
}
