import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { writeFiles } from './create-project.ts'

const root = mkdtempSync(join(tmpdir(), 'create-grantkit-'))
afterAll(() => rmSync(root, { recursive: true }))

describe('a file that cannot be written', () => {
  it('takes the others with it, and keeps what was there', () => {
    writeFileSync(join(root, 'b.ts'), 'mine')
    expect(() => writeFiles(root, { 'a.ts': '', 'b.ts': '', 'c.ts': '' })).toThrow('EEXIST')
    expect(readdirSync(root)).toEqual(['b.ts'])
    expect(readFileSync(join(root, 'b.ts'), 'utf8')).toBe('mine')
  })

  it('takes the new folder with it', () => {
    expect(() => writeFiles(join(root, 'new'), { 'a.ts': '', 'gone/b.ts': '' })).toThrow('ENOENT')
    expect(readdirSync(root)).not.toContain('new')
  })
})
