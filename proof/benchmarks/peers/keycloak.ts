import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import { authorizationRequest, get, postForm, REDIRECT_URI } from '../src/requests.ts'
import type { StartTarget, Target } from '../src/workloads.ts'
import { actionOf, Browser } from './browser.ts'

const ADMIN = { username: 'admin', password: 'the password of the benchmark' }
const USER = { username: 'alice', password: 'a password' }
const OPENID = '/realms/bench/protocol/openid-connect'

/** Keycloak with its defaults, in its own Postgres. Refresh tokens rotate, as in the other servers. */
export const start: StartTarget = async (port) => {
  const postgres = await onGeneratorCore(() => startPostgres())
  return startOn(postgres, port).catch(async (error) => {
    await postgres.close()
    throw error
  })
}

async function startOn(postgres: PostgresServer, port: number): Promise<Target> {
  const origin = `http://127.0.0.1:${port}`
  const stop = await startKeycloak(port, new URL(postgres.url))
  await createRealm(origin)
  const consent = await consentPage(origin)
  return {
    workloads: {
      refresh: async (count) => {
        const made: string[] = []
        while (made.length < count) made.push(await refreshRequest(origin))
        return made
      },
      consent: (count) => Array<string>(count).fill(consent),
    },
    close: async () => {
      await stop()
      await postgres.close()
    },
  }
}

/** @returns what ends it */
async function startKeycloak(port: number, { port: databasePort }: URL): Promise<() => Promise<unknown>> {
  const options = ['--optimized', '--http-enabled=true', '--hostname-strict=false', '--http-host=127.0.0.1']
  const database = ['--db-username=postgres', '--db-password=unused', '--cache=local']
  const url = `--db-url=jdbc:postgresql://127.0.0.1:${databasePort}/postgres`
  const program = join(process.env.KEYCLOAK_HOME ?? '', 'bin/kc.sh')
  const keycloak = spawn(program, ['start', ...options, ...database, url, `--http-port=${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
  })
  const ended = once(keycloak, 'exit')
  // Its script is the parent of the Java machine.
  const kill = () => {
    if (keycloak.exitCode === null && keycloak.signalCode === null)
      process.kill(-(keycloak.pid ?? 0), 'SIGKILL')
  }
  process.once('exit', kill)
  while (
    !(await fetch(`http://127.0.0.1:${port}/realms/master`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (keycloak.exitCode !== null) throw new Error(`Keycloak ended with ${keycloak.exitCode}`)
    await sleep(200)
  }
  return () => {
    kill()
    return ended
  }
}

async function createRealm(origin: string): Promise<void> {
  const token = await tokens(origin, 'master', { client_id: 'admin-cli', ...ADMIN })
  const client = { publicClient: true, redirectUris: [REDIRECT_URI], enabled: true }
  const realm = {
    realm: 'bench',
    enabled: true,
    revokeRefreshToken: true,
    // Only the sign-ins before the clock runs check it.
    passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
    clients: [
      { ...client, clientId: 'native', directAccessGrantsEnabled: true },
      { ...client, clientId: 'page', consentRequired: true },
    ],
    users: [
      {
        username: USER.username,
        ...{ enabled: true, email: 'alice@example.com', firstName: 'Alice', lastName: 'Example' },
        credentials: [{ type: 'password', value: USER.password }],
      },
    ],
  }
  const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}/admin/realms`, {
    method: 'POST',
    headers,
    body: JSON.stringify(realm),
  })
  if (answer.status !== 201)
    throw new Error(`The realm was answered with ${answer.status}: ${await answer.text()}`)
}

/** By the password grant: each call is a session of its own. */
async function tokens(origin: string, realm: string, form: Record<string, string>) {
  const body = new URLSearchParams({ grant_type: 'password', ...form })
  const answer = await fetch(`${origin}/realms/${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    body,
  })
  if (!answer.ok) throw new Error(`A sign-in was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { access_token: string; refresh_token: string }
}

async function refreshRequest(origin: string): Promise<string> {
  const { refresh_token } = await tokens(origin, 'bench', { client_id: 'native', ...USER })
  return postForm(`${OPENID}/token`, { grant_type: 'refresh_token', client_id: 'native', refresh_token })
}

/** A user signs in. @returns the request of their browser for the consent page */
async function consentPage(origin: string): Promise<string> {
  const browser = new Browser(origin)
  // At a client that needs no consent: the session of a user begins when nothing is left to ask.
  const login = await browser.follow(authorizationAddress('native'))
  await browser.follow(actionOf(login.text), USER)
  // Without the cookie of the sign-in: it would make all requests tabs of one sign-in.
  const cookie = browser.cookie
    .split('; ')
    .filter((one) => one.startsWith('KEYCLOAK_'))
    .join('; ')
  const page = await browser.follow(authorizationAddress('page'))
  if (!actionOf(page.text).includes('/login-actions/consent')) throw new Error('This is no consent page')
  return get(authorizationAddress('page'), { cookie })
}

function authorizationAddress(clientId: string): string {
  const request = authorizationRequest(clientId, { scope: 'openid profile email' })
  return `${OPENID}/auth?${new URLSearchParams(request)}`
}
