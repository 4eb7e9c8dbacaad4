import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Packed, packAll } from './publishable.ts'

declare module 'vitest' {
  interface ProvidedContext {
    tarballs: readonly Packed[]
  }
}

/** Builds and packs every package once, for all files that install the tarballs. */
export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-tarballs-'))
  provide('tarballs', packAll(folder))
  return () => rmSync(folder, { recursive: true, force: true })
}
