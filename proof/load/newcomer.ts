import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { readCommandLine } from '@grantkit/reference/command-line'
import { openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'

/** How long somebody waits who has never had Grantkit: a clone, an empty home, and the commands of the README. */

readCommandLine(
  `pnpm --dir proof newcomer

Clones the last commit into an empty folder, runs the README's commands there with an empty home and no cache, gets
tokens with a browser, and starts a second time. It prints what each step took.`,
  {},
)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'grantkit-newcomer-'))
const home = join(folder, 'home')
const clone = join(folder, 'grantkit')
const port = String(await freePort())
const SETTINGS = { PORT: port, BASE_URL: `http://127.0.0.1:${port}` }

await mkdir(home)
registrySettings()
console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`)
await timed('clone', async () => execFileSync('git', ['clone', '--quiet', ROOT, clone]))
const [start = '', demo = ''] = ['start', 'demo'].map(ofReadme)
const first = run(start)
await timed('install', () => first.printed('Done in'))
await timed('first start', () => first.printed('Try next'))
await timed('first tokens, with the demo', () => signIn(run(`${demo} --no-open`)))
await first.end()
const second = run(start)
await timed('second start', () => second.printed('Try next'))
await second.end()
console.log(`disk: ${size(folder)}, with the caches in the home; files that both have count once`)
await rm(folder, { recursive: true, force: true })

/** The registry of this machine, and nothing else of its user. */
function registrySettings(): void {
  const settings = join(homedir(), '.npmrc')
  if (existsSync(settings)) copyFileSync(settings, join(home, '.npmrc'))
}

/** The command of the README, as it is written there. */
function ofReadme(script: string): string {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8')
  const [, command] = new RegExp(`^(npx \\S+ \\S+ ${script})\\b`, 'm').exec(readme) ?? []
  if (command === undefined) throw new Error(`The README has no command for ${script}.`)
  return command
}

interface Running {
  /** What the output has, once it has a text. */
  printed(text: string): Promise<string>
  /** As Ctrl-C ends it. */
  end(): Promise<void>
}

function run(command: string): Running {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env
  const env = { PATH, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }), HOME: home, ...SETTINGS }
  const program = spawn('sh', ['-c', `${command} 2>&1`], { cwd: clone, env, detached: true })
  let output = ''
  program.stdout.on('data', (chunk) => {
    output += stripVTControlCharacters(String(chunk))
  })
  const early = once(program, 'exit').then(() => Promise.reject(new Error(`It ended early:\n${output}`)))
  early.catch(() => {})
  return {
    async printed(text) {
      while (!output.includes(text)) await Promise.race([once(program.stdout, 'data'), early])
      return output
    },
    end: () => interrupted(program),
  }
}

async function interrupted(program: ChildProcess): Promise<void> {
  const ended = once(program, 'exit')
  if (program.pid !== undefined) process.kill(-program.pid, 'SIGINT')
  await ended
}

async function signIn(demoProgram: Running): Promise<void> {
  const output = await demoProgram.printed('code_challenge')
  const browser = await openChromium()
  const page = await browser.context.newPage()
  await page.goto(/http\S+code_challenge\S+/.exec(output)?.[0] ?? '')
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await demoProgram.printed('Signed in')
  await browser.close()
  await demoProgram.printed('the access token now answers')
}

async function timed(step: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  await work()
  console.log(`${step}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
}

function size(path: string): string {
  return execFileSync('du', ['-sh', path], { encoding: 'utf8' }).split('\t')[0] ?? ''
}
