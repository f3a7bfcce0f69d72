import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { makeServerCertificates } from "./certificates.ts";

export interface ReceivedMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** Whether the connection had TLS. */
  secure: boolean;
  /** Who logged in, if anybody did. */
  user: string | undefined;
  raw: string;
  mail: Email;
}

/** An answer other than the usual one: a refusal, or none at all. */
export interface Refusal {
  at: "login" | "recipient" | "content";
  answer: { code: number; text: string } | "none";
}

export interface SmtpDouble {
  port: number;
  received: ReceivedMail[];
  /** How many dialogues came as far as a refusal. */
  refused: number;
  /** Until it is called again; undefined: takes everything. */
  refuse(refusal: Refusal | undefined): void;
  stop(): Promise<void>;
}

/** A mail server on loopback that speaks the real protocol. With a login it offers STARTTLS. @param login who may send; nobody logs in without it */
export async function startSmtpDouble(login?: { user: string; password: string }): Promise<SmtpDouble> {
  const received: ReceivedMail[] = [];
  let refusal: Refusal | undefined;
  let refused = 0;

  /** Goes on, or answers as was asked for. */
  function answerAt(place: Refusal["at"], goOn: (error?: Error) => void): void {
    if (refusal?.at !== place) return goOn();
    refused += 1;
    const { answer } = refusal;
    if (answer !== "none") goOn(Object.assign(new Error(answer.text), { responseCode: answer.code }));
  }

  const server = new SMTPServer({
    ...(login && makeServerCertificates()),
    logger: false,
    closeTimeout: 1,
    disabledCommands: login ? [] : ["AUTH", "STARTTLS"],
    onAuth: ({ username, password }, _session, callback) =>
      answerAt("login", (error) => {
        const isKnown = username === login?.user && password === login?.password;
        if (error || !isKnown) return callback(error ?? new Error("wrong password"));
        callback(null, { user: username });
      }),
    onRcptTo: (_address, _session, callback) => answerAt("recipient", callback),
    onData: (stream, { envelope, secure, user }, callback) => {
      const receive = async (): Promise<void> => {
        const raw = (await buffer(stream)).toString();
        const mail = await PostalMime.parse(raw);
        answerAt("content", (error) => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : "";
          const to = envelope.rcptTo.map(({ address }) => address);
          if (!error) received.push({ from, to, secure, user: user as string | undefined, raw, mail });
          callback(error);
        });
      };
      receive().catch(callback);
    },
  });
  // A client that leaves in the middle is no failure of the double's.
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    received,
    get refused() {
      return refused;
    },
    refuse: (next) => void (refusal = next),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
