import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@grantkit/core'
import { createLogger, logObservers } from '@grantkit/server'
import { schoolConfig } from '../../../apps/reference/src/config.ts'
import { listenOnFastify } from '../../../apps/reference/src/frameworks/fastify.ts'
import { createService, openSchoolStorage } from '../../../apps/reference/src/service.ts'
import { CODE_LIFETIME } from '../src/requests.ts'
import type { StartTarget, Target } from '../src/workloads.ts'
import { hiddenField } from './client.ts'
import { SECRET, signingKeys } from './service.ts'
import { serverTarget } from './target.ts'

/** The reference service on Fastify as it comes, with its log and its limits, but records and accounts in memory. */
export const start: StartTarget = (port) => startService(port, {})

/** @param environment its variables: where it keeps records and accounts */
export async function startService(port: number, environment: Record<string, string>): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-bench-'))
  const KEYS_FILE = join(folder, 'keys.json')
  await writeFile(KEYS_FILE, JSON.stringify({ keys: await signingKeys() }))
  const config = schoolConfig({
    PORT: String(port),
    SECRET,
    KEYS_FILE,
    STORE_URL: 'memory:',
    DATABASE_URL: 'memory:',
    CODE_LIFETIME: String(CODE_LIFETIME),
    ...environment,
  })
  const logged = logObservers(createLogger(config))
  const storage = await openSchoolStorage(config, logged.onWarning)
  const service = await createService(config, logged, { ...storage, store: withoutLists(storage.store) })
  await listenOnFastify(service, { host: '127.0.0.1', port, hsts: false })

  const cookie = await signIn(config.baseUrl)
  const browser = { cookieOf: () => cookie }
  const scopes = { scope: 'courses:read courses:write', openId: 'openid profile courses:read' }
  const target = await serverTarget(service, { ...scopes, mcp: '/mcp', browser })
  return { ...target, close: () => rm(folder, { recursive: true }) }
}

/** All grants of a round are of one user and client. Where no list names them, their limit ends none. */
function withoutLists({ grants, ...store }: Store): Store {
  return { ...store, grants: { ...grants, list: async () => ({ grants: [] }) } }
}

/** Signs the demo account in, over HTTP. @returns the session cookie */
async function signIn(baseUrl: string): Promise<string> {
  const page = await fetch(`${baseUrl}/login`)
  const form = { token: hiddenField('token', await page.text()), email: 'demo@example.com', password: 'demo' }
  const headers = { cookie: cookieOf(page) }
  const sent = { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) } as const
  const answer = await fetch(`${baseUrl}/login`, sent)
  if (answer.status !== 303) throw new Error(`Signing in was answered with ${answer.status}`)
  return cookieOf(answer)
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
