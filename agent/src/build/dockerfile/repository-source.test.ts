import { expect, test } from "vitest";
import { classifySource } from "./add-source.ts";
import { readRepositorySource } from "./repository-source.ts";

const PLACE = { line: 2, name: "ADD" };
const URL_OF_ALL = "https://a.example/b/c.git";

test.each<[source: string, ref: string | undefined, folder: string[]]>([
  ["", undefined, []],
  ["#", undefined, []],
  ["#main", "main", []],
  ["#v1.2:", "v1.2", []],
  ["#feature/one:docs/en", "feature/one", ["docs", "en"]],
  ["#:docs", undefined, ["docs"]],
  ["#:/docs//./en/", undefined, ["docs", "en"]],
  ["#main:a:b", "main", ["a:b"]],
  ["#a%2fb:c%20d", "a/b", ["c d"]],
  ["#refs/pull/1/head", "refs/pull/1/head", []],
])("the part %j of an address names ref and folder as BuildKit reads it", (part, ref, folder) => {
  expect(readRepositorySource(`${URL_OF_ALL}${part}`, PLACE)).toEqual({ url: new URL(URL_OF_ALL), ref, folder });
});

test.each<[source: string, sentence: RegExp]>([
  ["http://a.example/b.git", /its address "http:\/\/a\.example\/b\.git" must begin with https:\/\/\.$/],
  [`${URL_OF_ALL}?ref=main&subdir=docs`, /has a query\. Name branch and folder behind a #/],
  [`${URL_OF_ALL}?token=geheim#main`, /has a query/],
  [`${URL_OF_ALL}##ref=main,subdir=docs`, /has a ##/],
  [`${URL_OF_ALL}#main%`, /holds a % that encodes nothing/],
  [`${URL_OF_ALL}#--upload-pack=a`, /starts with a dash/],
  [`${URL_OF_ALL}#a..b`, /holds two dots/],
  [`${URL_OF_ALL}#main:../a`, /"\.\.\/a" is no folder inside the repository/],
  [`${URL_OF_ALL}#main:a/%2e%2e/%2e%2e`, /is no folder inside the repository/],
  [`${URL_OF_ALL}#main:a%00`, /is no folder inside the repository/],
  ["https:\\\\a.example\\b.git", /holds a space, a control or non-ASCII character/],
  ["https:///b.git", /has no host name/],
])("%j is refused with line and reason, and repeats no query", (source, sentence) => {
  const read = (): unknown => readRepositorySource(source, PLACE);
  expect(read).toThrow(/^Line 2 of the Dockerfile, ADD: /);
  expect(read).toThrow(sentence);
  expect(read).not.toThrow(/geheim/);
});

test.each<[source: string, kind: string]>([
  ["https://a.example/b.git", "git"],
  ["HTTPS://a.example/b.git#c:d", "git"],
  ["http://a.example/b.git", "git"],
  ["https://a.example/b.git?ref=c", "git"],
  ["https://a.example/b.GIT", "http"],
  ["https://a.example/b.git/", "http"],
  ["https://a.example/b#c.git", "http"],
  ["https://a.example/b?c=d.git", "http"],
  ["https://a.example/b.git.zip", "http"],
  ["git@a.example:b/c", "git"],
  ["ssh://git@a.example/b.git", "git"],
  ["git://a.example/b.git", "git"],
  ["github.com/b/c", "git"],
  ["b.git", "file"],
])("%j is taken as %s, as BuildKit does", (source, kind) => {
  expect(classifySource(source)).toBe(kind);
});
