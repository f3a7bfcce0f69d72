import type { Attempt } from "./attempt.ts";

/** Who the provider says has signed in there. */
export interface ProvenSubject {
  /** Stays the same, and is never somebody else's at this provider. */
  subject: string;
  /** @throws Refused */
  readProfile(): Promise<Profile>;
}

/** What a provider tells of somebody; it may be anything. */
export interface Profile {
  email: unknown;
  /** Whether the provider confirms that the address is theirs. */
  isVerified: boolean;
  name: unknown;
}

export interface ProviderClient {
  /** The page of the provider to send the browser to. @throws Refused */
  signInAddress(attempt: Attempt): Promise<string>;
  /**
   * Checks what the browser brings back, and takes the code to the provider.
   * @param answer the query of the redirect URI
   * @throws Refused
   */
  proveSubject(answer: URLSearchParams, attempt: Attempt): Promise<ProvenSubject>;
}
