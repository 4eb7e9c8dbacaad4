import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Environment } from './settings.ts'

const README = await readFile(new URL('../../README.md', import.meta.url), 'utf8')

/** The rows of the settings table. A row may name several settings: their names and defaults. */
const rows = [
  ...(README.split('\n## Settings\n')[1]?.split('\n## ')[0] ?? '').matchAll(
    /^\| (`[^|]*) \|.*\| ([^|]*) \|$/gm,
  ),
]
const documented = Object.fromEntries(
  rows.flatMap(([, names = '', defaults = '']) => {
    const each = defaults.split(', ')
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = ''], index) => [name, each[index] ?? defaults])
  }),
)

it('has exactly the settings of the code', () => {
  expect(Object.keys(documented).sort()).toEqual(Object.keys(Environment.shape).sort())
})

/** Plain defaults. For other settings the README describes the default. */
const defaults = Object.entries(Environment.parse({})).filter(([name]) =>
  /^(?!none$)`?[\w.]+`?$/.test(documented[name] ?? ''),
)

it.each(defaults)('has the default of %s in the README, %s', (name, value) => {
  expect(documented[name]?.replaceAll('`', '')).toBe(String(value))
})
