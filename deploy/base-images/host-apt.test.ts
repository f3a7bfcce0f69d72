import { expect, test } from "vitest";
import { mirrorsOf } from "./host-apt.mjs";

const noFile = (file: string): string => {
  throw new Error(`read ${file}`);
};

test("the mirrors are those of the host's Debian sources, whoever else has sources there", () => {
  const targets = [
    "Example|Example|https://packages.example.com/apt/",
    "Debian|Debian|http://mirror.example.com/debian/",
    "Debian|Debian|http://other.example.com/debian/",
    "Debian|Debian-Security|http://mirror.example.com/debian-security/",
    "",
  ].join("\n");
  expect(mirrorsOf(targets, noFile)).toEqual({
    main: "http://mirror.example.com/debian",
    security: "http://mirror.example.com/debian-security",
  });
});

test("credentials of a source never get into an image", () => {
  const targets = "Debian|Debian|https://user:secret@mirror.example.com/debian/";
  expect(mirrorsOf(targets, noFile).main).toBe("https://mirror.example.com/debian");
});

test("a list of mirrors stands for its first", () => {
  const targets = "Debian|Debian|mirror+file:/etc/apt/mirrors/debian.list/";
  const read = (file: string): string =>
    file === "/etc/apt/mirrors/debian.list" ? "# here\nhttps://mirror.example.com/debian\tpriority:1\n" : noFile(file);
  expect(mirrorsOf(targets, read).main).toBe("https://mirror.example.com/debian");
});

test("a host that is no Debian leaves the choice to mmdebstrap", () => {
  const targets = "Ubuntu|Ubuntu|http://mirror.example.com/ubuntu/\nDebian|Debian|cdrom:[Debian]/";
  expect(mirrorsOf(targets, noFile)).toEqual({ main: undefined, security: undefined });
});
