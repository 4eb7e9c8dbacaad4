import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { freePort, onGeneratorCore } from '../src/machine.ts'
import { authorizationRequest, CLIENT_METADATA, codeForm, postForm, SCOPE, SUBJECT } from '../src/requests.ts'
import type { StartTarget, Target } from '../src/workloads.ts'
import { Browser } from './browser.ts'

const PROGRAM = process.env.HYDRA_PATH ?? ''
const HYDRA_SCOPE = `offline_access ${SCOPE}`

interface Hydra {
  readonly origin: string
  readonly admin: string
  readonly clientId: string
}

/** Ory Hydra with its defaults, in its own Postgres. Its sign-in and consent pages are of the application that embeds it. */
export const start: StartTarget = async (port) => {
  const postgres = await onGeneratorCore(() => startPostgres())
  return startOn(postgres, port).catch(async (error) => {
    await postgres.close()
    throw error
  })
}

async function startOn(postgres: PostgresServer, port: number): Promise<Target> {
  const adminPort = await freePort()
  const [origin, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`]
  const stop = await startHydra(`${postgres.url}?sslmode=disable`, port, adminPort)
  const metadata = { ...CLIENT_METADATA, scope: HYDRA_SCOPE }
  const { client_id: clientId = '' } = await call('POST', `${admin}/admin/clients`, metadata)
  return {
    workloads: {
      refresh: async (count) => {
        const made: string[] = []
        while (made.length < count) made.push(await refreshRequest({ origin, admin, clientId }))
        return made
      },
    },
    close: async () => {
      await stop()
      await postgres.close()
    },
  }
}

/** @returns what ends it */
async function startHydra(dsn: string, port: number, adminPort: number): Promise<() => Promise<unknown>> {
  const origin = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    DSN: dsn,
    SECRETS_SYSTEM: 'one-secret-of-the-benchmark',
    URLS_SELF_ISSUER: origin,
    URLS_LOGIN: 'http://127.0.0.1:7001/login',
    URLS_CONSENT: 'http://127.0.0.1:7001/consent',
    SERVE_PUBLIC_PORT: String(port),
    SERVE_ADMIN_PORT: String(adminPort),
    LOG_LEVEL: 'error',
    SQA_OPT_OUT: 'true',
  }
  execFileSync(PROGRAM, ['migrate', 'sql', '-e', '--yes'], { env, stdio: 'ignore' })
  const hydra = spawn(PROGRAM, ['serve', 'all', '--dev'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(hydra, 'exit')
  process.once('exit', () => hydra.kill('SIGKILL'))
  while (
    !(await fetch(`${origin}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (hydra.exitCode !== null) throw new Error(`Hydra ended with ${hydra.exitCode}`)
    await sleep(100)
  }
  return () => {
    hydra.kill('SIGKILL')
    return ended
  }
}

/** The application accepts the sign-in and the consent of its user (Hydra's admin API). */
async function refreshRequest({ origin, admin, clientId }: Hydra): Promise<string> {
  const browser = new Browser(origin)
  const accept = async (step: 'login' | 'consent', { location }: { location: string }, body: object) => {
    const challenge = new URL(location).searchParams.get(`${step}_challenge`)
    const address = `${admin}/admin/oauth2/auth/requests/${step}/accept?${step}_challenge=${challenge}`
    return browser.open((await call('PUT', address, body)).redirect_to ?? '')
  }
  const request = authorizationRequest(clientId, { scope: HYDRA_SCOPE })
  const asked = await browser.open(`/oauth2/auth?${new URLSearchParams(request)}`)
  const signedIn = await accept('login', asked, { subject: SUBJECT })
  const allowed = await accept('consent', signedIn, { grant_scope: HYDRA_SCOPE.split(' ') })
  const code = new URL(allowed.location).searchParams.get('code') ?? ''
  const body = new URLSearchParams(codeForm(clientId, code))
  const answer = await fetch(`${origin}/oauth2/token`, { method: 'POST', body })
  const { refresh_token } = (await answer.json()) as { refresh_token: string }
  return postForm('/oauth2/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token })
}

async function call(method: string, url: string, body: object): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok)
    throw new Error(`${method} ${url} was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}
