import type { SecureContextOptions } from "node:tls";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { atTime } from "../links/at-time.ts";
import type { Authority, Credentials } from "./authority.ts";

/** Is tried again this much later when a renewal fails; a third of 30 days is left for it. */
const RETRY_MS = 60_000;

/**
 * This process's certificate. It lives in memory only: a new process gets a new one, and a long-lived one renews at
 * two thirds of its life.
 */
export class ControlPlaneCredentials {
  readonly #authority: Authority;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  #current: Credentials;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  private constructor(authority: Authority, current: Credentials, log: Logger) {
    this.#authority = authority;
    this.#current = current;
    this.#log = log;
    this.#schedule();
  }

  static async issue(authority: Authority, log: Logger): Promise<ControlPlaneCredentials> {
    return new ControlPlaneCredentials(authority, await authority.issueControlPlaneCertificate(), log);
  }

  get notAfter(): Date {
    return this.#current.notAfter;
  }

  /** The chain includes the root, so that an agent that joins can compare it with its token. */
  tlsOptions(): SecureContextOptions {
    const { keyPem, certificatePem, authorityPem } = this.#current;
    return { key: keyPem, cert: certificatePem + authorityPem, ca: authorityPem, minVersion: "TLSv1.3" };
  }

  onRenewed(listener: () => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #schedule(): void {
    const now = Date.now();
    const lifeMs = this.#current.notAfter.getTime() - now;
    this.#cancel = atTime(new Date(now + (lifeMs * 2) / 3), () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      this.#current = await this.#authority.issueControlPlaneCertificate();
      if (this.#isStopped) return;
      this.#schedule();
      for (const listener of this.#listeners) listener();
      this.#log.info({ notAfter: this.#current.notAfter }, "renewed the control plane's own certificate");
    } catch (error) {
      this.#log.error({ err: error }, "could not renew the control plane's own certificate");
      if (!this.#isStopped) this.#cancel = atTime(new Date(Date.now() + RETRY_MS), () => void this.#renew());
    }
  }
}
