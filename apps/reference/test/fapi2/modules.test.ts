import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { MODULES, SIGNING_MODULES } from './modules.ts'

const folder = new URL('.', import.meta.url)

it('each module of the plan has a test', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'))
  const tests = (await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n')
  expect(MODULES).toHaveLength(56)
  expect([...MODULES, ...SIGNING_MODULES].filter((name) => !new RegExp(`'${name}[':,]`).test(tests))).toEqual(
    [],
  )
})
