import { isBuiltin } from 'node:module'
import { build, type Plugin } from 'esbuild'

/** Bundles a Worker as wrangler does with `nodejs_compat`: one file, with Node's own modules left to the runtime. */
export async function bundleWorker(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [nodeModules],
    logLevel: 'silent',
  })
}

/** `require('events')` of a package in CommonJS: a Worker has no `require`, and no names without `node:`. */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined
      const name = path.replace(/^(node:)?/, 'node:')
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import module_ from '${path}'; module.exports = module_`,
    }))
  },
}
