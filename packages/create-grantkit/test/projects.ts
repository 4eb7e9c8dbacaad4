/** Projects that the tests create, compile and run. They lie in this package, whose dependencies they import. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { startProgram } from '@grantkit/test-servers/started-program'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { type Choices, completed } from '../src/choices.ts'
import { createProject } from '../src/create-project.ts'

const PACKAGE = join(import.meta.dirname, '..')

/** A folder for projects. */
export function projectsFolder(): { readonly path: string; remove(): void } {
  const parent = join(PACKAGE, '.projects')
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'test-'))
  return { path, remove: () => rmSync(path, { recursive: true }) }
}

export interface Project {
  readonly title: string
  readonly folder: string
}

export async function create(folder: string, given: Partial<Choices>): Promise<Project> {
  const choices = completed(given)
  const { app, framework, store, pages, features } = choices
  const title = `${app}, ${framework}, ${store}, ${pages} pages, ${features.length} features`
  const project = join(folder, title.replaceAll(/\W+/g, '-'))
  await createProject(project, choices)
  return { title, folder: project }
}

/** All projects in one program: as quick as one of them. @throws Error with the output of the compiler */
export async function compile(folder: string, projects: readonly Project[]): Promise<void> {
  const { compilerOptions } = JSON.parse(
    readFileSync(join(`${projects[0]?.folder}`, 'tsconfig.json'), 'utf8'),
  )
  // A program has one type of `env`: that of the last project, which has every feature.
  const environments = projects.map((project) => join(project.folder, 'env.d.ts')).filter(existsSync)
  const settings = { compilerOptions, include: ['*/*.ts'], exclude: environments.slice(0, -1) }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const tsc = join(PACKAGE, 'node_modules/.bin/tsc')
  await promisify(execFile)(tsc, ['-p', folder]).catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

/** Starts a project as its `npm start` does, signs in, and calls the API. */
export async function notesOf(
  { folder }: Project,
  environment: Record<string, string> = {},
): Promise<unknown> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [command = '', ...words] = scripts.start.split(' ')
  if (command === 'node') await startOnNode(folder, words, { ...environment, PORT: `${port}` })
  else await startWorker(folder, scripts.start, `${port}`)
  const app = await testClient(origin, { browser: formBrowser({ origin, typed: {} }) })
  const isMcp = existsSync(join(folder, 'mcp.ts'))
  const { access_token } = await app.tokens('notes:read', isMcp ? { resource: `${origin}/mcp` } : {})
  const headers = { authorization: `Bearer ${access_token}` }
  if (isMcp) {
    const refused = (await fetch(`${origin}/mcp`)).headers.get('www-authenticate')
    // Some clients take the scope and the address from here alone.
    for (const part of [
      'scope="notes:read"',
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    ])
      expect(refused).toContain(part)
    return toolAnswers(`${origin}/mcp`, headers)
  }
  return (await fetch(`${origin}/notes`, { headers })).json()
}

/** What the official SDK gets from the tool of the project. */
async function toolAnswers(url: string, headers: Record<string, string>): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  const { content } = await client.callTool({ name: 'list_notes' })
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** `npm test` of a project but for the compiler, which has all of them at once. @throws Error with what it printed */
export async function passesItsTest({ folder }: Project): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [, ...words] = scripts.test.replace(/^tsc && /, '').split(' ')
  await promisify(execFile)(process.execPath, words, { cwd: folder, env: PROGRAM_ENVIRONMENT }).catch(
    ({ stdout, stderr }) => {
      throw new Error(stdout + stderr)
    },
  )
}

/** On another port, as its README says. Wrangler without news of itself, and without data about this place. */
async function startWorker(folder: string, start: string, PORT: string): Promise<void> {
  const script = `${join(PACKAGE, 'node_modules/.bin')}/${start}`
  const line = `${script} --port $PORT --var ISSUER:http://127.0.0.1:$PORT --inspector-port 0`
  const quiet = { WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }
  const worker = await startProgram(line, folder, { ...quiet, WRANGLER_LOG_PATH: join(folder, 'logs'), PORT })
  onTestFinished(worker.close)
}

async function startOnNode(
  cwd: string,
  words: readonly string[],
  environment: Record<string, string>,
): Promise<void> {
  const program = spawn(process.execPath, words, {
    cwd,
    env: { ...PROGRAM_ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const exited = once(program, 'exit')
    if (program.kill()) await exited
  })
  await Promise.race([once(program.stdout, 'data'), once(program, 'exit').then(failed)])
}

function failed([code]: unknown[]): never {
  throw new Error(`The program ended with ${code}`)
}
