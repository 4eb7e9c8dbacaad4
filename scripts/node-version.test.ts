import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULTS } from '../packages/create-grantkit/src/choices.ts'
import { manifestOf, registry } from '../packages/create-grantkit/src/manifest.ts'
import { publishablePackages, ROOT } from './packages/publishable.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { engines } = JSON.parse(read('package.json'))
const minimum: string = engines.node.replace('>=', '')

/** Decisions and results are records of their day. */
const RECORDS = ['**/node_modules/**', 'docs/adr/**', '**/results/**', '**/CHANGELOG.md', 'site/**']
const PAGES = globSync('**/*.md', { cwd: ROOT, exclude: RECORDS })

it.each(publishablePackages().map(({ manifest }) => manifest))('$name needs the same Node', (manifest) => {
  expect(manifest).toMatchObject({ engines })
})

it('is what a generated project needs', () => {
  expect(manifestOf('notes', DEFAULTS, registry)).toMatchObject({ engines })
})

it('is the only version that pages name', () => {
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\bNode(?:\.js)? v?(\d+(?:\.\d+)*)/g)].map(([, version]) => ({ page, version })),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(({ version }) => version !== minimum)).toEqual([])
})

it('is tested in CI, like the newest', () => {
  expect(read('.github/workflows/ci.yml')).toContain(`node: ["${minimum}.0", latest]`)
})

it('is what pnpm compares the engines of dependencies with', () => {
  expect(read('pnpm-workspace.yaml')).toContain(`\nnodeVersion: ${minimum}.0\n`)
})
