import { createPrivateKey, X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * That a text is one or more certificates in PEM, each of which can be read: whoever trusts them would otherwise refuse
 * every connection, or silently trust none.
 * @throws Error with half a sentence that names the first block that is none
 */
export function checkCertificates(pem: string): void {
  const blocks = pem.match(BLOCK) ?? [];
  const begun = pem.match(/-----BEGIN /g)?.length ?? 0;
  if (blocks.length === 0) throw new Error("it holds no certificate in PEM (-----BEGIN CERTIFICATE-----)");
  if (blocks.length < begun) throw new Error("it holds something else than whole certificates in PEM");
  for (const [index, block] of blocks.entries()) {
    try {
      void new X509Certificate(block);
    } catch (cause) {
      throw new Error(`certificate ${index + 1} of ${blocks.length} in it can't be read`, { cause });
    }
  }
}

/** That the key, PEM without a passphrase, is that of the first certificate. @throws Error with half a sentence */
export function checkKeyOf(certificatesPem: string, keyPem: string): void {
  checkCertificates(certificatesPem);
  let fits: boolean;
  try {
    fits = new X509Certificate(certificatesPem).checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    // The cause may hold parts of the key.
    throw new Error("its key can't be read; it has to be PEM without a passphrase");
  }
  if (!fits) throw new Error("the key is not that of its first certificate");
}
