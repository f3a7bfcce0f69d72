export const dynamic = "force-dynamic";

export function GET() {
  return Response.json({ time: new Date().toISOString(), release: process.env.SVC_RELEASE ?? "dev" });
}
