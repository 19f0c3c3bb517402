// Bundles test/*.ts and runs them under node's own test runner.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ca-report-test-"));
try {
  const names = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.mjs"));
  await build({
    entryPoints: names.map((name) => join(here, "test", name)),
    bundle: true, platform: "node", format: "esm", outdir: folder, outExtension: { ".js": ".mjs" },
  });
  const done = spawnSync(process.execPath, ["--test", folder + "/"], { stdio: "inherit", cwd: folder });
  process.exitCode = done.status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
