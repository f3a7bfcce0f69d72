import { expect, test } from "vitest";
import { certificatesIn } from "./host-certificates.mjs";

test("equal certificates are equal whatever is around them", () => {
  const plain = "-----BEGIN CERTIFICATE-----\nAAAA\nBBBB\n-----END CERTIFICATE-----\n";
  const commented = `# Some authority\r\n${plain.replaceAll("\n", "\r\n")}\r\ntext\n`;
  expect(certificatesIn(commented)).toEqual([plain]);
  expect(certificatesIn(plain + plain)).toEqual([plain, plain]);
  expect(certificatesIn("nothing")).toEqual([]);
});
