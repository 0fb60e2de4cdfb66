import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';

// Puts the script and the style into the page, which then needs no other file, and lets the page
// run exactly these and load nothing: its security policy names their digests.
function oneFile(): Plugin {
  const digest = (text: string) =>
    `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      let script = '';
      let style = '';
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') script += part.code;
        else if (name.endsWith('.css')) style += String(part.source);
        else continue;
        delete bundle[name];
      }
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('there is no index.html');
      const policy =
        `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; ` +
        `base-uri 'none'; form-action 'none'`;
      page.source = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/, '')
        .replace(/<link rel="stylesheet"[^>]*>\s*/, '')
        .replace("default-src 'none'", () => policy)
        .replace('</head>', () => `<style>${style}</style></head>`)
        .replace('</body>', () => `<script type="module">${script}</script></body>`);
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: { target: 'es2022', emptyOutDir: true, modulePreload: false, cssCodeSplit: false },
});
