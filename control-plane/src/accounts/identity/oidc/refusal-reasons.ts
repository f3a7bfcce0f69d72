/** Why nobody was signed in or connected: the code is in the address of the page, which shows the sentence. */
export const REFUSALS = {
  unreachable:
    "The provider does not answer as it should at present. Try again in a few minutes, or sign in another way.",
  unproven: "The provider's answer can't be accepted. Start again; if this stays, tell the operator of this service.",
  fault: "Something went wrong in the service. Start again; if this stays, tell its operator.",
  denied: "The provider did not sign you in: it was canceled there, or you may not use this service.",
  expired:
    "This sign-in was begun in another browser or window, was ended already, or took more than 10 minutes. Start again.",
  unknown: "This service does not know the provider any more. Sign in another way.",
  too_many: "There were too many attempts. Try again in a minute.",
  no_address:
    "The provider does not confirm that an e-mail address is yours, which an account here needs. " +
    "If you have an account, sign in as you did before, and connect the provider on your page Profile.",
  address_taken:
    "There is an account with your e-mail address already. Sign in with its password, or set one with the link below, " +
    "and connect the provider on your page Profile.",
  invitation_needed: "Accounts are made by invitation only. Ask somebody of your team for one.",
  closed: "No accounts are made at present. Ask the operator of this service for one.",
  domain: "This service makes no accounts for addresses of your domain. Ask its operator which ones it takes.",
  signed_out: "You were signed out meanwhile. Sign in, and connect the provider again.",
  connected_elsewhere:
    "The account that you used at the provider is connected to another account here. Disconnect it there first, or use another one.",
} as const;

export type RefusalReason = keyof typeof REFUSALS;

/** @param code as the address has it; anybody may write anything there */
export function refusalSentence(code: string | null): string | undefined {
  return code !== null && Object.hasOwn(REFUSALS, code) ? REFUSALS[code as RefusalReason] : undefined;
}
