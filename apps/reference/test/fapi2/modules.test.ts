import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { MODULES, OF_OTHER_PROFILES } from './modules.ts'

const folder = new URL('.', import.meta.url)
const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'))
const tests = (await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n')

it('the plan has 62 modules, of which 56 are of the profile itself', () => {
  expect([MODULES.length, new Set([...MODULES, ...OF_OTHER_PROFILES]).size]).toEqual([56, 62])
})

it.each(MODULES)('%s has a test', (name) => {
  expect(tests).toMatch(new RegExp(`'${name}[':,]`))
})
