import { describe, expect, it } from "vitest";
import { findEntry } from "./python-entry.ts";
import { readRequirements } from "./python-requirements.ts";
import { allowsPython } from "./python-version.ts";
import { fileTree, planOf } from "../testing.ts";

const FASTAPI = { "requirements.txt": "fastapi[standard]>=0.100  # web\n", "main.py": "app = FastAPI()\n" };
const FLASK = { "requirements.txt": "Flask==3.0\n", "app.py": "from flask import Flask\napp = Flask(__name__)\n" };
const MANAGE = `def main():\n    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")\n`;
const DJANGO = {
  "manage.py": MANAGE,
  "requirements.txt": "django\nwhitenoise\ngunicorn\n",
  "mysite/settings.py": 'STATIC_ROOT = "x"\nWSGI_APPLICATION = "mysite.wsgi.application"\n',
  "mysite/wsgi.py": "",
};

describe("a Python framework is recognised", () => {
  it.each([
    ["fastapi", FASTAPI, "`fastapi` in requirements.txt"],
    ["flask", FLASK, "`flask` in requirements.txt"],
    ["django", DJANGO, "manage.py with the settings mysite.settings"],
    ["django", { "site/manage.py": MANAGE, "requirements.txt": "Django", "site/mysite/wsgi.py": "" }, "site/manage.py"],
    [
      "flask",
      { "pyproject.toml": '[project]\ndependencies = ["flask>=3"]', "wsgi.py": "app = create_app()" },
      "`flask`",
    ],
    [
      "fastapi",
      {
        "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.11"\nFastAPI = "*"',
        "src/api/main.py": "a = FastAPI()",
      },
      "`fastapi` in pyproject.toml",
    ],
    [
      "flask",
      { "requirements/base.txt": "flask", "requirements/production.txt": "-r base.txt\n", ...pick(FLASK, "app.py") },
      "",
    ],
    ["django", { ...DJANGO, "package.json": '{"devDependencies":{"tailwindcss":"4"},"scripts":{"start":"x"}}' }, ""],
    ["flask", { "requirements.txt": "fastapi\nflask", "app.py": FLASK["app.py"] }, "`flask`"],
    [
      "fastapi",
      {
        "pyproject.toml":
          '[project]\ndependencies = ["pydantic"]\n[project.optional-dependencies]\nweb = ["fastapi>=0.1"]',
        "main.py": "app = FastAPI()",
      },
      "`fastapi` in the extra `web` of pyproject.toml",
    ],
    ["node", { "requirements.txt": "fastapi", "package.json": '{"scripts":{"start":"node a"}}' }, "start script"],
  ])("as %s", (framework, files, reason) => {
    const plan = planOf(files as Record<string, string>);
    expect(plan.framework).toBe(framework);
    expect(plan.reason).toContain(reason);
  });

  it.each([
    [
      { "requirements.txt": "flask\nfastapi", "a.py": "app = FastAPI()", "b.py": "app = Flask(__name__)" },
      /several frameworks \(fastapi in a, flask in b\)/,
    ],
    [{ "requirements.txt": "flask" }, /No file makes a Flask app.*`app = Flask/],
    [{ "requirements.txt": "fastapi" }, /No file makes a FastAPI app.*`start` in svc\.yaml/],
    [{ "manage.py": MANAGE }, /neither a requirements\.txt nor a pyproject\.toml/],
    [{ "manage.py": MANAGE, "requirements.txt": "django" }, /WSGI_APPLICATION/],
    [{ "pyproject.toml": "[project\n" }, /pyproject\.toml cannot be read \(line 1/],
    [{ "pyproject.toml": "[project]\ndependencies = 1" }, /`project\.dependencies` is wrong/],
  ])("or refused plainly: %j", (files, sentence) => {
    expect(() => planOf(files as Record<string, string>)).toThrow(sentence);
  });
});

function pick(files: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, files[name]!]));
}

describe("the object that is served", () => {
  it.each<[string, Record<string, string>, string]>([
    ["main:app", { "main.py": "app = FastAPI()" }, "."],
    ["main:api", { "main.py": "import fastapi\n\napi: FastAPI = fastapi.FastAPI(title='x')" }, "."],
    ["app.main:app", { "app/__init__.py": "", "app/main.py": "from app.routers import a\napp = FastAPI()" }, "."],
    ["main:app", { "app/routers.py": "", "app/main.py": "from routers import a\napp = FastAPI()" }, "app"],
    ["src.main:app", { "src/main.py": "app = FastAPI()" }, "."],
    ["main:app", { "src/main.py": "import config\napp = FastAPI()", "src/config.py": "" }, "src"],
    ["shop.main:app", { "src/shop/main.py": "app = FastAPI()" }, "src"],
    ["shop:app", { "src/shop/__init__.py": "app = FastAPI()" }, "src"],
    ["main:create_app()", { "main.py": "def create_app():\n    app = FastAPI()\n    return app" }, "."],
    ["shop:create_app()", { "shop/__init__.py": "def create_app(config=None):\n    app = FastAPI()" }, "."],
    [
      "wsgi:application",
      { "shop/__init__.py": "def create_app(a=1):\n  FastAPI()", "wsgi.py": "application = create_app()" },
      ".",
    ],
    ["server:app", { "tests/main.py": "app = FastAPI()", "server.py": "app = FastAPI()" }, "."],
    ["hello:app", { "hello.py": "app = FastAPI()", "test_hello.py": "app = FastAPI()" }, "."],
  ])("is %s", (expected, files, importedFrom) => {
    const entry = findEntry(fileTree(files), "FastAPI")!;
    expect(`${entry.module}:${entry.name}${entry.isFactory ? "()" : ""}`).toBe(expected);
    expect(entry.importedFrom).toBe(importedFrom);
  });

  it("is no factory that needs arguments, and nothing inside a function", () => {
    expect(
      findEntry(fileTree({ "main.py": "def create_app(settings):\n    app = FastAPI()" }), "FastAPI"),
    ).toBeUndefined();
  });
});

describe("requirements", () => {
  it("are read with what they include, and no file twice", () => {
    const files = {
      "requirements.txt":
        "-r requirements/base.txt\n-c limits.txt\nuvicorn[standard]>=0.1 \\\n  --hash=sha256:1\n--pre\n",
      "requirements/base.txt": "-r ../requirements.txt\nPython_Dotenv==1 ; python_version > '3'\n",
      "limits.txt": "",
    };
    expect(readRequirements(fileTree(files), "requirements.txt")).toEqual({
      names: ["uvicorn", "python-dotenv"],
      files: ["requirements.txt", "requirements/base.txt", "limits.txt"],
      needsSources: false,
    });
  });

  it.each(["-e .", ".", "./lib", "file:lib", "--editable lib"])(
    "that lie in the repository need the sources: %s",
    (line) => {
      expect(readRequirements(fileTree({ "r.txt": line }), "r.txt").needsSources).toBe(true);
      const { text } = planOf({ ...FASTAPI, "requirements.txt": `fastapi\n${line}` });
      expect(text.indexOf("COPY . .")).toBeLessThan(text.indexOf("pip --python"));
    },
  );
});

describe("a Dockerfile for Python", () => {
  it("installs what is missing to serve, with the app's own cache, before it sees the sources", () => {
    const { text } = planOf(FLASK);
    expect(text).toMatch(
      /COPY requirements\.txt \.\/\nRUN --mount=type=cache,id=0190f0a0-0000-7000-8000-000000000001-pip,target=\/root\/\.cache\/pip pip --python \/venv\/bin\/python install -r requirements\.txt gunicorn\n/,
    );
    expect(text.lastIndexOf("pip")).toBeLessThan(text.indexOf("COPY --chown=1000:1000 . /app"));
    expect(planOf({ ...FLASK, "requirements.txt": "flask\ngunicorn" }).text).toMatch(/-r requirements\.txt\n/);
  });

  it.each([
    ["uv", { "uv.lock": "", "pyproject.toml": '[project]\ndependencies = ["flask"]' }, /uv sync --frozen .*--no-dev/],
    [
      "Poetry",
      { "poetry.lock": "", "pyproject.toml": '[tool.poetry.dependencies]\nflask = "3"' },
      /poetry install --only main/,
    ],
    [
      "pip",
      { "pyproject.toml": `[project]\ndependencies = ["flask>=3 ; python_version > '3'"]` },
      /RUN --mount=\S+ \["\/bin\/sh","-c","pip .* install 'flask>=3 ; python_version > .*3.*' gunicorn"\]/,
    ],
  ])("installs with %s", (_name, files, expected) => {
    expect(planOf({ ...files, "app.py": FLASK["app.py"] }).text).toMatch(expected);
  });

  it("installs the extra that has the framework", () => {
    const toml = '[project]\ndependencies = ["pydantic"]\n[project.optional-dependencies]\nweb = ["fastapi"]';
    const files = { "pyproject.toml": toml, "main.py": "app = FastAPI()" };
    expect(planOf(files).text).toContain("install pydantic fastapi uvicorn");
    expect(planOf({ ...files, "uv.lock": "" }).text).toContain(" --extra web\n");
    expect(planOf({ ...files, "poetry.lock": "" }).text).toContain(" --extras web\n");
  });

  it("has the compilers and libraries of what is C inside, where they are needed", () => {
    const stages = planOf({ ...FLASK, "requirements.txt": "flask\npsycopg2" }).text.split(/^FROM /m);
    expect(stages[1]).toMatch(/RUN test -d \S+wheels \|\| \{ apt-get .* gcc libc6-dev libpq-dev /);
    expect(stages[2]).toMatch(/RUN dpkg-query --status libpq5 /);
    expect(planOf({ ...FLASK, "requirements.txt": "flask\npsycopg2-binary" }).text).not.toContain("apt-get");
  });

  it("serves as a user without rights, where PORT says", () => {
    const { text, port } = planOf(FASTAPI, { port: 5000 });
    expect(port).toBe(5000);
    expect(text).toMatch(
      /ENV .*PORT=5000[^]*USER 1000:1000\nEXPOSE 5000\nCMD \["\/bin\/sh","-c","exec uvicorn main:app /,
    );
    expect(planOf(FLASK).text).toMatch(/CMD \["gunicorn",.*"app:app"\]\n$/);
    expect(planOf(DJANGO).text).toMatch(/CMD \["gunicorn",.*"mysite\.wsgi:application"\]\n$/);
  });

  it("collects static files in a stage of its own, with a key that stays there, only where they have a place", () => {
    const settings = `${DJANGO["mysite/settings.py"]}SECRET_KEY = os.environ["DJANGO_SECRET_KEY"]\n`;
    const stages = planOf({ ...DJANGO, "mysite/settings.py": settings }).text.split(/^FROM /m);
    expect(stages[1]).toContain("DJANGO_SECRET_KEY=used-while-building-only python manage.py collectstatic --noinput");
    expect(stages[2]).not.toContain("SECRET");
    expect(planOf(DJANGO).text).toContain('"python manage.py collectstatic --noinput"');
    const without = planOf({ ...DJANGO, "mysite/settings.py": "ALLOWED_HOSTS = []" });
    expect(without.text).not.toContain("collectstatic");
    expect(without.notes.join(" ")).toMatch(/STATIC_ROOT is not set.*ALLOWED_HOSTS is empty/);
  });

  it("serves an asynchronous Django with Uvicorn", () => {
    const settings = 'ASGI_APPLICATION = "mysite.asgi.application"';
    const files = { ...DJANGO, "requirements.txt": "django\nchannels", "mysite/settings.py": settings };
    expect(planOf(files).text).toMatch(/exec uvicorn mysite\.asgi:application --host 0\.0\.0\.0/);
  });

  it("takes a user's build and start instead, however they are written", () => {
    const start = { form: "exec", words: ["python", "main.py"] } as const;
    const { text } = planOf(DJANGO, { build: "a && b\nc '$d'", start, buildEnvKeys: ["VITE_A"] });
    expect(text).toContain('ENV VITE_A=$VITE_A\nRUN ["/bin/sh","-c","a && b\\nc \'$d\'"]\n');
    expect(text).not.toContain("collectstatic");
    expect(text).toMatch(/CMD \["python","main\.py"\]\n$/);
    expect(text.split(/^FROM /m)[2]).not.toContain("VITE_");
    expect(planOf({ "requirements.txt": "fastapi" }, { start }).text).toMatch(/CMD \["python","main\.py"\]\n$/);
  });

  it("works in the folder of manage.py", () => {
    const { text } = planOf({ "site/manage.py": MANAGE, "requirements.txt": "Django", "site/mysite/wsgi.py": "" });
    expect(text).toContain("WORKDIR /app/site\n");
  });
});

describe("the Python version", () => {
  it.each([
    ">=3.8",
    "^3.10",
    ">=3.9,<3.13",
    "~=3.11",
    "==3.11.*",
    "3.11.4",
    ">=3.11.2",
    "<4",
    "^3.9 || ^3.12",
    ">3.10",
    "<=3.11",
    "!=3.10",
    "x",
    ">2.7",
  ])("%s allows 3.11", (specifier) => expect(allowsPython(specifier, 11)).toBe(true));
  it.each([">=3.12", "^3.12", "<3.11", "==3.10.*", ">3.11", "~=3.12.1", "!=3.11.*", ">=4", "<3", "3.9"])(
    "%s does not",
    (specifier) => expect(allowsPython(specifier, 11)).toBe(false),
  );

  it("is that of another official image only when it is required or named", () => {
    const required = planOf({ ...FASTAPI, "pyproject.toml": '[project]\nrequires-python = ">=3.12"' });
    expect(required.text).toMatch(/^FROM python:3\.12-slim AS build$/m);
    expect(required.notes.join()).toMatch(/requires Python >=3\.12, so the image python:3\.12-slim/);
    const preferred = planOf({ ...FASTAPI, ".python-version": "3.13\n" });
    expect(preferred.text).toMatch(/^FROM python:3\.13-slim AS build$/m);
    expect(preferred.notes.join()).toMatch(/asks for Python 3\.13, so the image python:3\.13-slim/);
    for (const version of ["3.7.2", "2.7", "3.99"]) {
      const unknown = planOf({ ...FASTAPI, ".python-version": version });
      expect(unknown.text).toMatch(/^FROM python:3\.11-slim AS build$/m);
      expect(unknown.notes.join()).toContain(`asks for Python ${version}; it is built and run with Python 3.11`);
    }
    const both = { "pyproject.toml": '[project]\nrequires-python = "<3.13"', ".python-version": "3.13" };
    const contradictory = planOf({ ...FASTAPI, ...both });
    expect(contradictory.text).toMatch(/^FROM python:3\.11-slim AS build$/m);
    expect(contradictory.notes.join()).toContain("asks for Python 3.13; it is built and run with Python 3.11");
    expect(planOf({ ...FASTAPI, "runtime.txt": "python-3.11.9" }).notes).toEqual([]);
  });
});
