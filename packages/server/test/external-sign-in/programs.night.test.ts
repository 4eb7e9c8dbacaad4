import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canInstallDebianPackages, installDebianPackages } from '@grantkit/test-servers/debian-packages'
import { freePort } from '@grantkit/test-servers/free-port'
import { type StartedProgram, startProgram } from '@grantkit/test-servers/started-program'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { externalSignIn } from '../../src/config/users.ts'
import { KEY, type ServerWithUsers, serverWithUsers } from './server-with-users.ts'
import { throughApplication } from './through-application.ts'

/** The programs of examples/external-sign-in, each with a server and a user who signs in. */

const EXAMPLES = join(import.meta.dirname, '../../../../examples/external-sign-in')
const MAX_LINES = 30

interface Program {
  readonly file: string
  /** Lines of a shell, in a copy of its folder. */
  readonly needs: string
  readonly debianPackages?: readonly string[]
  readonly install?: string
  readonly start: string
  /** Default: ada. */
  readonly sub?: string
}

const PYTHON = {
  needs: 'python3 -m venv --help',
  install: 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt',
}
const DJANGO: Program = {
  ...{ file: 'django/sign_in.py', ...PYTHON },
  start:
    '.venv/bin/python application.py migrate && .venv/bin/python application.py runserver --noreload $PORT',
  sub: '1',
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  Django: DJANGO,
  Flask: {
    ...{ file: 'flask/sign_in.py', ...PYTHON },
    start: '.venv/bin/flask --app sign_in run --port $PORT',
  },
  Sinatra: {
    file: 'sinatra/sign_in.rb',
    needs: 'ruby -r sinatra/base -r jwt -r webrick -e 1',
    debianPackages: ['ruby', 'ruby-jwt', 'ruby-sinatra', 'ruby-webrick'],
    start: 'ruby sign_in.rb -o 127.0.0.1 -p $PORT',
  },
  PHP: {
    file: 'php/sign-in.php',
    needs: 'php --version',
    debianPackages: ['php-cli'],
    start: 'php -S 127.0.0.1:$PORT sign-in.php',
  },
  Go: {
    file: 'go/sign_in.go',
    needs: 'go version',
    install: 'go build -o application .',
    start: 'exec ./application',
  },
  Express: { file: 'express/sign-in.js', needs: 'node --version', start: 'node sign-in.js' },
}

function isThere({ needs, debianPackages }: Program): boolean {
  const runs = () => spawnSync('sh', ['-ec', needs]).status === 0
  if (!runs() && debianPackages && canInstallDebianPackages()) installDebianPackages(debianPackages)
  return runs()
}

const copies = new Map<string, string>()
afterAll(() => {
  for (const copy of copies.values()) rmSync(copy, { recursive: true, force: true })
})

/** A copy of the folder of a program, in which it is installed once. */
function installed({ file, install = 'true' }: Program): string {
  const [folder = ''] = file.split('/')
  // Express is where the packages of the example are.
  if (folder === 'express') return join(EXAMPLES, folder)
  const known = copies.get(folder)
  if (known !== undefined) return known
  const copy = mkdtempSync(join(tmpdir(), 'external-'))
  copies.set(folder, copy)
  cpSync(join(EXAMPLES, folder), copy, { recursive: true })
  execFileSync('sh', ['-ec', install], { cwd: copy, stdio: 'pipe' })
  return copy
}

/** @param settings of the server */
async function open(given: Program, settings = {}) {
  const copy = installed(given)
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}/sign-in`
  const server = await serverWithUsers(() => externalSignIn({ url, key: KEY }), settings)
  const environment = {
    PORT,
    ISSUER: server.baseUrl,
    SIGN_IN_URL: url,
    EXTERNAL_SIGN_IN_KEY: KEY,
    SECRET_KEY: randomBytes(64).toString('hex'),
  }
  const program = await startProgram(given.start, copy, environment)
  onTestFinished(() => program.close())
  /** Another command of the application. */
  const run = (line: string, more = {}) =>
    promisify(execFile)('sh', ['-ec', line], { cwd: copy, env: { ...process.env, ...environment, ...more } })
  return { server, program, url, run }
}

async function signInThrough({ baseUrl }: ServerWithUsers, program: StartedProgram) {
  const send = throughApplication(program.url)
  const browser = formBrowser({ origin: baseUrl, typed: { none: '' }, send })
  const client = await testClient(baseUrl, { browser })
  const { access_token, refresh_token = '' } = await client.tokens('openid profile', { max_age: '3600' })
  const headers = { authorization: `Bearer ${access_token}` }
  const user = await (await fetch(`${baseUrl}/api/oauth/userinfo`, { headers })).json()
  const refreshed = await client.refresh(refresh_token)
  await client.approve('openid', { prompt: 'login' })
  const refresh = async () => (await client.refresh(refresh_token)).response.status
  return { user, refreshed: refreshed.response.status, refresh }
}

/** Requests that no server of the program has signed for it. */
function forgedRequests(issuer: string, url: string) {
  const now = Math.floor(Date.now() / 1000)
  const good = {
    iss: issuer,
    aud: url,
    jti: 'x',
    iat: now,
    exp: now + 600,
    return_to: 'https://evil.example',
  }
  const signed = (change: JWTPayload, key = KEY) =>
    new SignJWT({ ...good, ...change }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(key))
  return {
    'of another key': signed({}, 'another key of at least 32 bytes!'),
    'without a signature': Promise.resolve(new UnsecuredJWT(good).encode()),
    'of another server': signed({ iss: 'https://other.example' }),
    'for another application': signed({ aud: 'https://other.example/sign-in' }),
    'that has expired': signed({ iat: now - 1200, exp: now - 600 }),
    'that is none': Promise.resolve('x'),
  }
}

describe.each(Object.entries(PROGRAMS))('the program in %s', (name, program) => {
  const missing = !isThere(program)
  if (missing) console.warn(`The program in ${name} cannot run. It needs: ${program.needs}`)

  it('has at most thirty lines, without blank ones', () => {
    const lines = readFileSync(join(EXAMPLES, program.file), 'utf8').split('\n')
    expect(lines.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(MAX_LINES)
  })

  // Continuous integration has every language: there the test fails without it.
  it.skipIf(missing && !process.env.CI)(
    'signs its user in, and responds to no request that the server did not sign for it',
    async () => {
      const { server, program: started, url } = await open(program)
      const { user, refreshed } = await signInThrough(server, started)
      expect(user, started.output()).toMatchObject({ sub: program.sub ?? 'ada', name: 'Ada Moore' })
      expect(refreshed).toBe(200)
      for (const [what, forged] of Object.entries(forgedRequests(server.baseUrl, url))) {
        const response = await fetch(`${url}?request=${await forged}`, { redirect: 'manual' })
        expect([response.status, response.headers.get('location')], what).toEqual([400, null])
      }
    },
    600_000,
  )
})

it.skipIf(!isThere(DJANGO) && !process.env.CI)(
  'the receiver in Django ends the grants of a user whom Django deletes',
  async () => {
    const { server, program, run } = await open(DJANGO, { ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on' })
    const { refresh } = await signInThrough(server, program)
    const { clientId, clientSecret } = await server.clients.add({
      clientName: 'Users of Django',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['admin:write'],
      tokenEndpointAuthMethod: 'client_secret_basic',
    })
    const deletes = 'from django.contrib.auth.models import User; User.objects.get().delete()'
    await run(`.venv/bin/python application.py shell -c '${deletes}'`, {
      ADMIN_CLIENT: `${clientId}:${clientSecret}`,
    })
    expect(await refresh()).toBe(400)
  },
  600_000,
)
