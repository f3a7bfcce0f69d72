import { APP_NAME_LENGTH_MAX, isAppName } from "@svc/shared/rules/app-name.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/** Subdomains that people would take for the platform itself, or that mail and DNS give a meaning. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `www api admin dashboard console login auth account accounts billing security status support help git registry
  agent agents control-plane svc internal localhost mail smtp imap pop pop3 mx webmail autoconfig autodiscover mta-sts
  postmaster ns ns1 ns2 dns ftp wpad root hostmaster webmaster abuse`.split(/\s+/),
);

interface Hosts {
  appsDomain: string;
  domainRules: {
    /** The host name of this service. */
    baseHost: string;
  };
}

/** @throws SvcError invalid_request */
export function checkAppName(name: string, { appsDomain, domainRules: { baseHost } }: Hosts): void {
  if (!isAppName(name)) {
    throw invalid(
      `The name ${quoted(name)} can't be a subdomain: use 1 to ${APP_NAME_LENGTH_MAX} of a-z, 0-9 and -, ` +
        "with a letter or digit at both ends.",
    );
  }
  // An app there would be sent the cookies of whoever is signed in here: they are not kept apart by port (RFC 6265, 8.5).
  const isOwnHost = `.${baseHost}`.endsWith(`.${name}.${appsDomain}`);
  if (RESERVED_NAMES.has(name) || isOwnHost)
    throw invalid(`The name ${quoted(name)} is reserved for the platform: choose another one.`);
}
