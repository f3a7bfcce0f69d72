import { describe, expect, it } from "vitest";
import { planOf, TEST_APP_ID } from "../testing.ts";

const LOCK = "GEM\n  specs:\n    puma (5.6.5)\n      nio4r (~> 2.0)\n    rails (6.1.7.10)\n\nPLATFORMS\n  ruby\n";
const RAILS = {
  Gemfile: 'source "https://rubygems.org"\ngem "rails", "~> 6.1"\ngem "puma"\n',
  "Gemfile.lock": LOCK,
  "config/application.rb": "",
};

describe("a Rails app", () => {
  it("is recognised by its Gemfile and config/application.rb, whatever builds its assets", () => {
    const plan = planOf({ ...RAILS, "package.json": '{"scripts":{"build":"esbuild"},"dependencies":{"express":"5"}}' });
    expect(plan).toMatchObject({ framework: "rails", reason: "`rails` in the Gemfile" });
    expect(() => planOf({ Gemfile: 'gem "sinatra"', "config/application.rb": "" })).toThrow(/rails/);
  });

  it("installs gems before it sees the sources, with the app's own cache", () => {
    const { text } = planOf(RAILS);
    expect(text).toMatch(
      new RegExp(
        `COPY Gemfile Gemfile\\.lock \\./\nRUN --mount=type=cache,id=${TEST_APP_ID}-gems,\\S+ bundle install\nCOPY \\. \\.`,
      ),
    );
    expect(text).toContain("BUNDLE_FROZEN=1");
    expect(planOf({ ...RAILS, "Gemfile.lock": "" }).text).toContain("BUNDLE_WITHOUT=development:test");
  });

  it("compiles assets only where there are some and something compiles them, with a key that is used for nothing", () => {
    expect(planOf(RAILS).text).not.toContain("assets:precompile");
    expect(planOf({ ...RAILS, "app/assets/a.css": "" }).text).not.toContain("assets:precompile");
    const { text } = planOf({
      ...RAILS,
      "app/assets/a.css": "",
      "Gemfile.lock": LOCK.replace("rails (", "propshaft (1.0)\n    rails ("),
    });
    const stages = text.split(/^FROM /m);
    expect(stages[1]).toContain(
      "SECRET_KEY_BASE_DUMMY=1 SECRET_KEY_BASE=used-while-building-only bundle exec rails assets:precompile",
    );
    expect(stages[2]).not.toContain("used-while-building-only");
  });

  it("has Node.js and the packages' manager for assets that need them, in the build alone", () => {
    expect(planOf(RAILS).text).not.toContain("node");
    const { text } = planOf({ ...RAILS, "package.json": "{}", "yarn.lock": "" });
    expect(text).toMatch(/^FROM node:22-slim AS node\n\nFROM ruby:3\.1-slim AS build\n/);
    expect(text).toMatch(/COPY --from=node \/usr\/local\/bin\/node [^]*npm install --global .* yarn@1\n[^]*COPY \. \./);
    expect(text.split(/^FROM /m)[3]).not.toContain("node");
  });

  it("starts without a key among its variables, and says so", () => {
    const { text, notes } = planOf(RAILS);
    expect(text).toMatch(/ENTRYPOINT \["\/bin\/sh","-c","if \[ -z .*\/dev\/urandom.*exec \\"\$@\\"","start"\]\nCMD /);
    expect(notes.join()).toMatch(/SECRET_KEY_BASE/);
  });

  it("is served by Puma, or by what Rails finds, as a user without rights", () => {
    expect(planOf(RAILS).text).toMatch(/USER 1000:1000\nEXPOSE 3000\n[^]*exec bundle exec puma --bind/);
    const { text } = planOf({ ...RAILS, Gemfile: 'gem "rails"', "Gemfile.lock": "" });
    expect(text).toMatch(/rm -f tmp\/pids\/server\.pid; exec bundle exec rails server/);
  });

  it("takes a user's build and start instead", () => {
    const start = { form: "exec", words: ["bin/start"] } as const;
    const { text } = planOf(
      { ...RAILS, "app/assets/a.css": "" },
      { build: "bin/build", start, buildEnvKeys: ["VITE_A"] },
    );
    expect(text).toContain('ENV VITE_A=$VITE_A\nRUN ["/bin/sh","-c","bin/build"]');
    expect(text).toMatch(/CMD \["bin\/start"\]\n$/);
  });

  it("has the libraries that its gems load", () => {
    const { text } = planOf({ ...RAILS, Gemfile: `${RAILS.Gemfile}gem 'pg'\ngem "sqlite3"\n` });
    expect(text.split(/^FROM /m)[2]).toContain("dpkg-query --status libpq5 libsqlite3-0");
    expect(planOf(RAILS).text.split(/^FROM /m)[2]).not.toContain("apt-get");
  });
});

describe("the Ruby version", () => {
  const image = (files: Record<string, string>): string => /^FROM (\S+)/.exec(planOf({ ...RAILS, ...files }).text)![1]!;
  it.each([
    ["ruby:3.1-slim", {}],
    ["ruby:3.1-slim", { ".ruby-version": "ruby-3.3.0\n" }],
    ["ruby:3.3.0-slim", { Gemfile: `ruby "3.3.0"\n${RAILS.Gemfile}` }],
    ["ruby:3.3.0-slim", { Gemfile: `ruby file: ".ruby-version"\n${RAILS.Gemfile}`, ".ruby-version": "ruby-3.3.0\n" }],
    ["ruby:3.1-slim", { Gemfile: `ruby ">= 3.0"\n${RAILS.Gemfile}` }],
    ["ruby:3.2-slim", { Gemfile: `ruby "~> 3.2.1"\n${RAILS.Gemfile}` }],
    ["ruby:3.1-slim", { Gemfile: `ruby "~> 3.1.0"\n${RAILS.Gemfile}` }],
    ["ruby:3.4-slim", { "Gemfile.lock": LOCK.replace("6.1.7.10", "8.0.1") }],
  ])("is that of %s", (expected, files) => expect(image(files)).toBe(expected));

  it("is noted where it differs from the preferred one", () => {
    expect(planOf({ ...RAILS, ".ruby-version": "3.3.0" }).notes.join()).toMatch(/asks for Ruby 3\.3\.0; .* Ruby 3\.1/);
    expect(planOf({ ...RAILS, ".ruby-version": "3.1.2" }).notes.join()).not.toMatch(/asks for/);
  });
});
