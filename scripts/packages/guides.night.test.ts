/** The programs of the guides that need a large framework: installed with the tarballs, built and started as a reader does it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { foreignTargetsOf } from '@grantkit/test-servers/foreign-addresses'
import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { browserOf } from '../../docs/test/chromium.ts'
import { fencedBlocks, INTERACTION, write } from '../../docs/test/code-blocks.ts'
import { install, writeJson } from './consumer.ts'
import { run } from './publishable.ts'

const TYPES = { '@types/node': '^24.0.0', '@types/express': '^5.0.6', '@types/express-session': '^1.18.2' }
const NEST = {
  '@nestjs/common': '^12.5.1',
  '@nestjs/core': '^12.5.1',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
}
const ON_EXPRESS = { '@nestjs/platform-express': '^12.5.1', express: '^5.3.0', 'express-session': '^1.18.2' }
const ON_FASTIFY = {
  '@nestjs/platform-fastify': '^12.5.0',
  fastify: '^5.12.8',
  '@fastify/cookie': '^11.0.2',
  '@fastify/session': '^11.1.0',
}
const REACT = { react: '^19.3.1', 'react-dom': '^19.3.1', '@types/react': '^19.3.0' }
const STRICT = { strict: true, skipLibCheck: true, target: 'es2023' }

const GUIDES = [
  {
    page: 'docs/how-to/nestjs.md',
    interaction: 'src/interaction.ts',
    signIn: '/login',
    manifest: {
      type: 'module',
      dependencies: { ...NEST, ...ON_EXPRESS, ...ON_FASTIFY, ...TYPES, typescript: '^7.0.2' },
    },
    compilerOptions: {
      ...STRICT,
      module: 'nodenext',
      types: ['node'],
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      rewriteRelativeImportExtensions: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    build: ['tsc'],
    starts: [['dist/main.js'], ['dist/main-fastify.js']],
  },
  {
    page: 'docs/how-to/nextjs.md',
    interaction: 'lib/interaction.ts',
    signIn: '/session',
    manifest: { dependencies: { ...REACT, next: '^16.4.6', '@types/node': '^24.0.0', typescript: '^5.9.3' } },
    build: ['next', 'build'],
    starts: ['start', 'dev'].map((command) => [
      'node_modules/next/dist/bin/next',
      command,
      '-H',
      '127.0.0.1',
    ]),
  },
]

const folder = mkdtempSync(join(tmpdir(), 'grantkit-guides-'))
let chromium: Browser
beforeAll(async () => {
  chromium = await openChromium()
}, 120_000)
afterAll(async () => {
  await chromium.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(GUIDES)(
  'the program of $page',
  ({ page, interaction, signIn, manifest, compilerOptions, build, starts }) => {
    const project = join(folder, page)
    beforeAll(() => {
      install(project, inject('tarballs'), manifest)
      if (compilerOptions !== undefined)
        writeJson(join(project, 'tsconfig.json'), { compilerOptions, exclude: ['node_modules'] })
      for (const block of fencedBlocks().filter(({ info, page: of }) => of === page && info.includes('[')))
        write(block, project)
      cpSync(INTERACTION, join(project, interaction))
    }, 600_000)

    it('compiles', () => {
      const [command = '', ...options] = build
      run(join(project, 'node_modules/.bin', command), options, project)
    }, 300_000)

    it.each(starts.map((command) => ({ command, named: command.slice(0, 2).join(' ') })))(
      'lets an app in that its user allows: $named',
      async ({ command }) => {
        const issuer = await start(project, command)
        const app = await testClient(issuer, { browser: browserOf(chromium) })
        const { access_token } = await app.tokens('notes:read')
        const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
        expect(await notes.json()).toEqual(['a note of alice'])
        const refused = await fetch(`${issuer}/notes`)
        expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringContaining('"notes:read"'),
        ])
        expect(await foreignTargetsOf(issuer + signIn)).toEqual([])
      },
      120_000,
    )

    if (page.endsWith('nextjs.md'))
      it('knows its clients when its developer has changed the server', async () => {
        const issuer = await start(project, starts.at(-1) ?? [])
        const app = await testClient(issuer)
        const file = join(project, 'lib/server.ts')
        const changed = readFileSync(file, 'utf8').replace(
          'const scopes = {',
          "$& 'a:new': { description: 'A new one' },",
        )
        writeFileSync(file, changed)
        const metadata = `${issuer}/.well-known/oauth-authorization-server`
        await until(async () => (await (await fetch(metadata)).text()).includes('a:new'))
        const page = await app.visit(app.authorizationUrl({ scope: 'a:new', code_challenge: 'a'.repeat(43) }))
        expect([page.status, page.headers.location]).toEqual([303, expect.stringContaining('/login?')])
      }, 120_000)
  },
)

/** Starts a program of the project. @returns its issuer, when it listens */
async function start(project: string, command: readonly string[]): Promise<string> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const program = spawn(process.execPath, command, {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: project,
      PORT: `${port}`,
      ISSUER: issuer,
      NEXT_TELEMETRY_DISABLED: '1',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(async () => {
    program.kill()
    // Next.js may wait for a connection that the browser keeps open.
    const timer = setTimeout(() => program.kill('SIGKILL'), 10_000)
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
    clearTimeout(timer)
  })
  await until(async () => program.exitCode !== null || (await listens(`${issuer}/login`)))
  if (program.exitCode !== null) throw new Error(`It ended with ${program.exitCode}`)
  return issuer
}

async function listens(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function until(happens: () => Promise<boolean>): Promise<void> {
  while (!(await happens())) await sleep(100)
}
