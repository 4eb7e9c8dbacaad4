import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * Copies an example out of the repository until the tests of the file end. The copy finds the packages that its manifest
 * names, and no others.
 *
 * @param example its folder
 * @returns the folder of the copy
 */
export function copyOut(example: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'grantkit-example-'))
  afterAll(() => rmSync(copy, { recursive: true }))
  cpSync(example, copy, { recursive: true, filter: (path) => !/\/node_modules|\.test\.ts$/.test(path) })
  symlinkSync(join(example, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
