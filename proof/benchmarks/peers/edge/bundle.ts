import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** A Worker as one module, as wrangler makes it, with the modules of Node and of the runtime left to the runtime. */
export async function bundle(worker: string, minify = false): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'workers', `${worker}.ts`)],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    minify,
    write: false,
    logLevel: 'warning',
  })
  return outputFiles[0]?.text ?? ''
}

export interface Size {
  readonly minified: number
  readonly gzip: number
}

/** In bytes. */
export async function sizeOf(worker: string): Promise<Size> {
  const code = await bundle(worker, true)
  return { minified: Buffer.byteLength(code), gzip: gzipSync(code).length }
}
