// sizes.mjs PAGE…: how many bytes of a page (base64) each launch takes per step.
import { readFileSync } from 'node:fs';

for (const file of process.argv.slice(2)) {
  const html = readFileSync(file, 'utf8');
  const data = JSON.parse(/id="heddle">(.*?)<\/script>/s.exec(html)[1]);
  const bytes = new Map([...html.matchAll(/id="(heddle-\d+)">([^<]*)</g)].map((m) => [m[1], m[2].length]));
  console.log(`${file}: ${html.length} bytes`);
  for (const launch of data.launches) {
    const blob = new Uint8Array(
      await new Response(
        new Blob([Buffer.from(new RegExp(`id="${launch.flow}">([^<]*)<`).exec(html)[1], 'base64')])
          .stream().pipeThrough(new DecompressionStream('deflate')),
      ).arrayBuffer(),
    );
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = blob[at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    };
    const steps = Array.from({ length: varint() }, () => [varint(), varint(), varint()][2]);
    const warps = launch.values.reduce((n, { count }) => n + count, 0);
    const covered = steps.slice(0, warps).reduce((a, b) => a + b, 0);
    const values = launch.values.reduce((n, { blob: id }) => n + bytes.get(id), 0);
    console.log(
      `  ${launch.name.slice(0, 50)}: ${launch.recorded} of ${launch.steps} steps, ` +
        `${(bytes.get(launch.flow) / launch.recorded).toFixed(3)} bytes a step who executed, ` +
        `${covered > 0 ? (values / covered).toFixed(2) : '-'} registers ` +
        `(of ${warps} of ${steps.length} warps)`,
    );
  }
}
