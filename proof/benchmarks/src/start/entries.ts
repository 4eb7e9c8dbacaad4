import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** What a program imports that checks tokens, or makes them. */
export const ENTRIES = [
  '@grantkit/core',
  '@grantkit/core/guard',
  '@grantkit/core/jwt-resource-server',
  '@grantkit/core/adapter',
] as const

/** Milliseconds, in a process of its own without a compile cache. */
export function importTime(entry: string, folder: string): number {
  const code = `const started = performance.now()
    await import(${JSON.stringify(entry)})
    console.log(performance.now() - started)`
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, env }))
}

export interface Size {
  readonly minified: number
  readonly gzip: number
}

/** The bytes of an entry with all that it imports, as one minified module for Node. */
export async function bundleSize(entry: string, folder: string): Promise<Size> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)}`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    write: false,
    logLevel: 'warning',
  })
  const code = outputFiles[0]?.text ?? ''
  return { minified: Buffer.byteLength(code), gzip: gzipSync(code).length }
}
