import { isIP } from "node:net";
import type { SendMailOptions } from "nodemailer";
import { serviceNameOf, type Mail } from "./mail-text.ts";

/** A mail as it is sent. */
export interface OutgoingMail extends Omit<Mail, "kind"> {
  id: string;
  recipient: string;
  createdAt: Date;
}

/** Takes a mail out of the hands of the platform. */
export interface MailSender {
  /** @throws MailError when it was not sent; anything else when `signal` aborted */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
}

/** The message says why a mail was not sent, without secrets: neither its content nor the server's own words, which may quote it. */
export class MailError extends Error {
  /** The server will never take this mail. */
  readonly isFinal: boolean;

  constructor(reason: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(reason, options);
    this.isFinal = isFinal;
  }
}

/** The part of an address after `@`: the host of {base_url}, an IP address in brackets (RFC 5321, 4.1.3). */
export function mailDomainOf(baseUrl: string): string {
  const name = serviceNameOf(baseUrl);
  if (name.startsWith("[")) return `[IPv6:${name.slice(1)}`;
  return isIP(name) ? `[${name}]` : name;
}

/**
 * The mail as the library takes it. The recipient is given as an object, which is not parsed: it can't become two. An attempt
 * that is repeated has the same Message-ID, so that a receiver who got both can show one.
 */
export function messageOf(mail: OutgoingMail, domain: string): SendMailOptions & Pick<Mail, "text" | "html"> {
  const { id, recipient, createdAt, subject, text, html } = mail;
  return {
    from: { name: "", address: `svc@${domain}` },
    to: { name: "", address: recipient },
    messageId: `<${id}@${domain}>`,
    date: createdAt,
    // Programs that answer mails of the absent leave these alone (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
    subject,
    text,
    html,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
