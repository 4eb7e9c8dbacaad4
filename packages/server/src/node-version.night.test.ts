import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeVersionProblem } from './node-version.ts'

const BIN = join(import.meta.dirname, 'bin.ts')

it.each(['24.15.0', '24.16.1', '25.0.0', process.versions.node])('Node %s runs grantkit', (version) => {
  expect(nodeVersionProblem(version)).toBeUndefined()
})

it.each(['20.20.2', '22.19.0', '24.9.0'])('Node %s is too old for grantkit', (version) => {
  expect(nodeVersionProblem(version)).toContain(`or newer; this is ${version}. `)
})

it('under an older Node, grantkit names the version that it needs, and how to get it', () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(older)}`, BIN, 'check'],
    { encoding: 'utf8' },
  )
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'grantkit needs Node 24.15 or newer; this is 20.20.2. In this folder, `npm install node@24` makes npx use it.\n',
  })
})

it('before the check, grantkit loads nothing that an older Node cannot load', () => {
  const imported = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^import (?!type ).* from '(.*)'$/gm)].map(([, name]) => name)
  expect(imported(BIN)).toEqual(['./node-version.ts'])
  expect(imported(join(import.meta.dirname, 'node-version.ts'))).toEqual(['node:fs'])
})
