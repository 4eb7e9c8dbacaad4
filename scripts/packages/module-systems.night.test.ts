import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  compile,
  createProjects,
  JEST_WAYS,
  MODULE_SYSTEMS,
  oldestNode,
  runJest,
  TYPESCRIPT,
} from './module-systems.ts'
import { importedNames, run } from './publishable.ts'

const folder = mkdtempSync(join(tmpdir(), 'grantkit-module-systems-'))
const projects = join(folder, 'projects')

beforeAll(() => createProjects(projects, inject('tarballs')), 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(TYPESCRIPT)('TypeScript %s', (version) => {
  const systems = Object.entries(MODULE_SYSTEMS).filter(([, { since = '0' }]) => version >= since)

  it.each(systems)('compiles the quick start, and it runs: %s', async (_, system) => {
    const program = compile(projects, version, system)
    expect(await firstLine(oldestNode(projects), program)).toMatch(/^Notes at http/)
  })
})

it.each(Object.keys(JEST_WAYS))('Jest 30 and ts-jest load the quick start, with %s of the page', (way) => {
  runJest(projects, way)
})

describe('`engines` is true', () => {
  it.each(importedNames())('of %s', (name) => {
    const program = join(projects, 'module', 'import.js')
    writeFileSync(program, `console.log(Object.keys(await import('${name}')).length > 0)`)
    expect(run(oldestNode(projects), [program])).toBe('true\n')
  })
})

/** What the program says first. It is ended then. */
async function firstLine(node: string, program: string): Promise<string> {
  const env = { PATH: process.env.PATH, PORT: `${await freePort()}` }
  const child = spawn(node, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  child.kill()
  return typeof line === 'object' ? String(line) : errors
}
