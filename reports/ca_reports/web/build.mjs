// Builds built/report.js and built/report.css, which are committed: installing needs no Node.
// The first line of each names the sources that it was built from; a test compares it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

// The same over the same files as in tests/unit/reports/output/test_web.py.
export function fingerprint() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(here, "src")).sort().map((name) => `src/${name}`);
  for (const name of [...sources, "build.mjs", "package-lock.json"]) {
    hash.update(name + "\0");
    hash.update(readFileSync(join(here, name)));
    hash.update("\0");
  }
  return hash.digest("hex");
}

const out = join(here, process.argv[2] ?? "built");
mkdirSync(out, { recursive: true });
const banner = `/* built by build.mjs from sources ${fingerprint()} */`;
for (const [entry, name] of [["main.ts", "report.js"], ["report.css", "report.css"]]) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    write: false,
  });
  // A script element ends at its first `</script`, wherever that stands.
  const text = result.outputFiles[0].text.replaceAll("</", "<\\/");
  writeFileSync(join(out, name), `${banner}\n${name.endsWith(".js") ? text : result.outputFiles[0].text}`);
}
