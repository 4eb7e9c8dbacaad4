import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { shellLines } from '../../docs/test/shell-lines.ts'
import { createConsumer, typeCheck } from './consumer.ts'
import { importedNames, publishablePackages, ROOT, run } from './publishable.ts'
import { missingIn, resolveInstalls, shownInstalls } from './shown-installs.ts'
import { OF_WORKERS, typeCheckWorker } from './worker-types.ts'

const BIN = join(ROOT, 'node_modules/.bin')
const NAMES = publishablePackages().map(({ manifest }) => manifest.name)
const folder = mkdtempSync(join(tmpdir(), 'grantkit-packages-'))
const consumer = join(folder, 'consumer')
const packed = inject('tarballs')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(NAMES)('the tarball of %s', (name) => {
  const tarball = () => packed.find(({ manifest }) => manifest.name === name)?.tarball ?? ''

  it('passes publint', () => {
    run(join(BIN, 'publint'), ['run', tarball(), '--strict'])
  })

  it('has types that resolve wherever ES modules do', () => {
    run(join(BIN, 'attw'), [tarball(), '--profile', 'esm-only', '--no-emoji'])
  })
})

describe('a project that installed the tarballs', () => {
  beforeAll(() => {
    createConsumer(consumer, packed)
    writeFileSync(join(consumer, 'all.ts'), importAll(importedNames()))
    writeFileSync(join(consumer, 'store.test.ts'), STORE_TEST)
  }, 120_000)

  it('compiles with every package, without skipLibCheck', () => typeCheck(consumer))

  it('compiles a Worker without the types of Node', () => typeCheckWorker(consumer, OF_WORKERS))

  it.each(['fastify', 'express', 'hono'])('serves the quick start on %s', async (framework) => {
    const base = await serve(`${framework}.ts`)
    const metadata = await (await fetch(`${base}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({ issuer: base })
    expect((await fetch(`${base}/notes`)).status).toBe(401)
    const forged = await fetch(`${base}/notes`, { headers: { authorization: 'Bearer forged' } })
    expect(forged.status).toBe(401)
  })

  it.each(['@grantkit/doctor', 'grantkit-doctor'])('runs the doctor by the name %s', (name) => {
    expect(run('npx', ['--no', '--', name, '--help'], consumer)).toMatch(/^npx @grantkit\/doctor <base URL>/)
  })

  it('starts a server that `grantkit init` has configured', async () => {
    run('npx', ['--no', '--', 'grantkit', 'init', '.', '--yes', '--name', 'Notes'], consumer)
    const base = await serve('node_modules/@grantkit/server/dist/bin.js', consumer, ['start'])
    expect(await (await fetch(`${base}/login`)).text()).toContain('Notes')
  }, 120_000)

  it('creates a project that npm installs from the tarballs, and that compiles', () => {
    const project = join(folder, 'created')
    const choices = ['--framework', 'express', '--store', 'sqlite', '--features', 'all', '--yes']
    run(
      'npx',
      ['--no', '--', 'create-grantkit', project, ...choices, '--packages', dirname(packed[0]?.tarball ?? '')],
      consumer,
    )
    run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], project)
    run('npm', ['run', 'typecheck'], project)
  }, 240_000)

  it('proves its store with the suite of the testkit', () => {
    run(join(consumer, 'node_modules/.bin/vitest'), ['run'], consumer)
  })
})

describe('`pnpm tarballs`', () => {
  it('prints a command by which npm installs what the start needs, from its folder alone', async () => {
    const own = join(folder, 'tarballs')
    const [command = ''] = /^npm install .*$/m.exec(run('pnpm', ['tarballs', '--into', own])) ?? []
    const project = join(folder, 'by-npm')
    cpSync(join(ROOT, 'examples/quick-start'), project, { recursive: true, filter: isProgram })
    const init = shellLines().find(({ line }) => line.startsWith('npm init'))?.line ?? ''
    run('sh', ['-c', init], project)
    run('sh', ['-c', `${command} --no-audit --no-fund --prefer-offline`], project)
    const base = await serve('fastify.ts', project)
    expect((await fetch(`${base}/notes`)).status).toBe(401)
  }, 120_000)
})

describe('in a project that has core', () => {
  const installs = shownInstalls()

  it.each(installs.map((names) => names.join(' ')))('`npm install %s` has all it needs', (line) => {
    expect(missingIn(line.split(' '))).toEqual([])
  })

  it('npm resolves each of them', () => {
    const projects = join(folder, 'installs')
    mkdirSync(projects)
    resolveInstalls(projects, packed, installs)
  }, 300_000)
})

const isProgram = (path: string) => !/node_modules|\.json$/.test(path)

const STORE_TEST = `
import { createMemoryStore } from '@grantkit/store-memory'
import { describeStore } from '@grantkit/testkit'
describeStore('mine', ({ now }) => ({ store: createMemoryStore({ now }) }), { transients: true, namespaces: true })
`

function importAll(names: readonly string[]): string {
  return names.map((name, n) => `import * as package${n} from '${name}'\nvoid package${n}\n`).join('')
}

/** Runs a program of the consumer until the test ends. */
async function serve(program: string, cwd = consumer, words: readonly string[] = []): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const base = `http://127.0.0.1:${port}`
  while (child.exitCode === null && !(await answers(base))) await setTimeout(50)
  return base
}

const answers = (base: string) =>
  fetch(base).then(
    () => true,
    () => false,
  )
