export function page(visits, total) {
  const rows = visits.map(({ id, visited_at }) => `<tr><td>${id}</td><td>${visited_at.toISOString()}</td></tr>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Hello</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
      td { padding: 0.1rem 1.5rem 0.1rem 0; font-variant-numeric: tabular-nums; }
    </style>
  </head>
  <body>
    <h1>Hello</h1>
    <p>This page was deployed from a git repository. Its database has counted ${total} visits; the latest are</p>
    <table>
      ${rows.join("\n      ")}
    </table>
  </body>
</html>
`;
}
