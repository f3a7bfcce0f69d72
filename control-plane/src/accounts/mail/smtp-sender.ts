import type { SMTPTransportOptions } from "nodemailer";
import { MailError, messageOf, type MailSender } from "./mail-message.ts";

/** A server that takes longer to accept a connection is away, and the mail is tried again. */
const CONNECT_MS_MAX = 10_000;
/** Servers let unknown clients wait for some seconds, to see whether they are patient. */
const GREETING_MS_MAX = 20_000;
/** Silence within the dialogue. */
const SILENCE_MS_MAX = 20_000;

/** What the library attaches to its errors. */
interface SmtpError {
  code?: string;
  /** Such as ECONNREFUSED, where `code` names only the phase. */
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
  permanent?: boolean;
  message: string;
}

/**
 * Sends with SMTP, a connection for each mail: they are few. The library is loaded with the first one.
 * @param smtpUrl SVC_SMTP_URL, whose query may hold the library's options
 * @param domain of the sender's address
 */
export function createSmtpSender(smtpUrl: string, domain: string): MailSender {
  return {
    async send(mail, signal) {
      const { createTransport } = await import("nodemailer");
      try {
        const transport = createTransport(smtpOptions(smtpUrl));
        await transport.sendMail({ ...messageOf(mail, domain), signal }).finally(() => transport.close());
      } catch (error) {
        // The error itself is not kept as the cause: it holds the server's words and may hold the URL.
        throw mailErrorOf(error as SmtpError);
      }
    },
  };
}

/** The URL's own options win over these. A password goes only over TLS, unless the URL says `requireTLS=false`. */
function smtpOptions(smtpUrl: string): SMTPTransportOptions {
  const url = new URL(smtpUrl);
  // These would show the password and the links on standard output.
  for (const name of ["logger", "debug"]) url.searchParams.delete(name);
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(url.hostname);
  return {
    url: url.href,
    connectionTimeout: CONNECT_MS_MAX,
    dnsTimeout: CONNECT_MS_MAX,
    greetingTimeout: GREETING_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    requireTLS: url.password !== "" && !isLoopback,
    // A mail server on this machine mostly has a certificate that nobody signed, and nobody is between.
    ...(isLoopback && { tls: { rejectUnauthorized: false } }),
  };
}

/** Only codes and commands are told: the server's words may quote a link of the mail. */
function mailErrorOf(error: SmtpError): MailError {
  const { code, originalCode, command = "", response = "", responseCode, permanent = false, message } = error;
  if (responseCode !== undefined && responseCode > 0) {
    const [answer] = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(response) ?? [String(responseCode)];
    // A refused login or sender is a matter of the configuration, which the operator can mend before the mail is too old.
    const isFinal = permanent && ["RCPT TO", "DATA"].includes(command);
    return new MailError(`The mail server answered ${answer.replace("-", " ")} to ${commandOf(command)}.`, { isFinal });
  }
  if (code === "EABORT") return new MailError("The mail server took too long.");
  if (code === undefined) return new MailError("Something went wrong on our side.");
  // The message of a failed handshake is that of the local TLS library.
  const detail = code === "ETLS" ? message : (originalCode ?? code);
  return new MailError(`The mail could not be handed to the mail server: ${detail}.`);
}

function commandOf(command: string): string {
  return command === "CONN" || command === "" ? "the connection" : command;
}
