// Rendered for each visit; without this line the page is made once, at build time.
export const dynamic = "force-dynamic";

export default function Page() {
  return (
    <main>
      <h1>My app</h1>
      <p>
        Release {process.env.SVC_RELEASE ?? "dev"}, rendered at {new Date().toISOString()}.
      </p>
      <p>
        The same as JSON: <a href="/api/time">/api/time</a>
      </p>
    </main>
  );
}
