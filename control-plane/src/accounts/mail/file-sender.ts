import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { MailError, messageOf, type MailSender, type OutgoingMail } from "./mail-message.ts";

/**
 * Writes mails to the log and to a directory, one file each, where no mail server is configured. They hold one-time links, so
 * that the operator alone may read them.
 * @param directory is made with the first mail
 * @param domain of the sender's address
 */
export function createFileSender(options: { directory: string; domain: string; log: Logger }): MailSender {
  const { directory, domain, log } = options;
  return {
    async send(mail) {
      const file = join(directory, fileNameOf(mail));
      try {
        await writePrivately(directory, file, await mimeOf(mail, domain));
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        throw new MailError(
          `The mail could not be written to ${file}: ${code ?? "something went wrong on our side"}.`,
          {
            cause,
          },
        );
      }
      const { id: mail_id, recipient, subject, text } = mail;
      log.info({ mail_id, recipient, subject, text, file }, "mail written to a file, since SVC_SMTP_URL is not set");
    },
  };
}

/** Removes the files of mails that were written before that time, also where a mail server has been configured since. */
export async function removeMailFiles(directory: string, before: Date): Promise<void> {
  for (const name of await filesIn(directory)) {
    const file = join(directory, name);
    const found = await stat(file).catch(() => undefined);
    if (found && found.mtime < before) await rm(file, { force: true });
  }
}

/** Sorted by time. An attempt that is repeated has the same name. */
function fileNameOf({ id, createdAt }: OutgoingMail): string {
  return `${createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, "")}-${id}.eml`;
}

/** The complete message (RFC 5322). Its parts are not encoded, so that the operator can copy a link out of the file. */
async function mimeOf(mail: OutgoingMail, domain: string): Promise<Buffer> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { text, html, ...rest } = messageOf(mail, domain);
  const alternatives = [{ raw: plainPart("text/plain", text) }, { raw: plainPart("text/html", html) }];
  const { message } = await transport.sendMail({ ...rest, alternatives });
  return message as Buffer;
}

function plainPart(type: string, content: string): string {
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${content}`;
}

/** The file has its name only when it is complete. */
async function writePrivately(directory: string, file: string, content: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, file);
}

/** The names of mails' files, none while there is no such directory. Others may keep theirs beside them. */
async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => /^\d{8}T\d{6}Z-[0-9a-f-]{36}\.eml(\.unfinished)?$/.test(name));
}
