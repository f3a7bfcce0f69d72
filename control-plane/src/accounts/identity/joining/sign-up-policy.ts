import { SvcError } from "@svc/shared/errors.ts";

export const SIGN_UP_MODES = ["invite", "open", "closed"] as const;

/** Who may make an account for themselves. The operator may make one for anybody. */
export interface SignUpPolicy {
  /** invite: who holds an invitation. open: anybody. closed: nobody. */
  mode: (typeof SIGN_UP_MODES)[number];
  /** The domains of addresses that may have an account, in lower case; empty for any. */
  domains: readonly string[];
}

/** Refuses somebody who asks for an account without an invitation. @throws SvcError sign_up_closed */
export function requireOpenSignUp(policy: SignUpPolicy, email: string): void {
  if (policy.mode !== "open") {
    throw new SvcError("sign_up_closed", "Accounts are made by invitation only. Ask somebody of your team for one.");
  }
  requireDomain(policy, email);
}

/** Refuses to make an account for somebody who was invited. @throws SvcError sign_up_closed */
export function requireInvitedSignUp(policy: SignUpPolicy, email: string): void {
  if (policy.mode === "closed") {
    throw new SvcError("sign_up_closed", "No accounts are made at present. Ask the operator of this service for one.");
  }
  requireDomain(policy, email);
}

/** Refuses an address that no account may have. @throws SvcError sign_up_closed */
export function requireDomain(policy: SignUpPolicy, email: string): void {
  if (allowsDomain(policy, email)) return;
  throw new SvcError(
    "sign_up_closed",
    `Accounts are for addresses of ${policy.domains.join(", ")} alone. Use such an address.`,
  );
}

export function allowsDomain({ domains }: SignUpPolicy, email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.length === 0 || domains.includes(domain);
}
