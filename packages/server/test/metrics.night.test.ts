import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import type { StartedProgram } from '@grantkit/test-servers/started-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** The metrics of a server that has had some requests. */

/** Of a user: their password, and the name in their address. */
const [NAME, PASSWORD] = ['ada', 'correct horse']

const PARTNER = {
  id: 'partner',
  preset: 'keycloak',
  issuer: 'https://partner.example',
  clientId: 'c',
  clientSecret: 's',
}
let server: StartedProgram
let baseUrl: string
let folder: string
let app: SignedIn
let exposition: string
beforeAll(async () => {
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())]
  folder = await mkdtemp(join(tmpdir(), 'grantkit-metrics-'))
  const UPSTREAM_FILE = join(folder, 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers: [PARTNER] }))
  const program = grantkitProgram(folder, { PORT, METRICS_PORT, UPSTREAM_FILE })
  server = await program.launch()
  await program.run(['users', 'add', '--email', `${NAME}@example.com`, '--name', 'Ada'], `${PASSWORD}\n`)
  baseUrl = server.url
  app = await signedIn(baseUrl, 'openid', undefined, `${NAME}:${PASSWORD}`)
  await fetch(`${baseUrl}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'x' }),
  })
  await fetch(`${baseUrl}/login/with/partner/callback?error=access_denied`)
  await fetch(`${baseUrl}/secret-path?of=secret-query`, { method: 'PROPFIND' })
  const response = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain')
  exposition = await response.text()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

/** The value of a sample with at least these labels. */
function sample(name: string, labels: Record<string, string>): number | undefined {
  const line = exposition.split('\n').find((candidate) => {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    return candidate.startsWith(`${name}{`) && wanted.every((text) => candidate.includes(text))
  })
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

describe('the metrics', () => {
  it('count events, and exist before the first one', () => {
    const events = (type: string) => sample('grantkit_events_total', { type })
    const happened = ['client_registered', 'sign_in_succeeded', 'consent_granted', 'code_redeemed']
    expect(happened.map(events)).toEqual([1, 1, 1, 1])
    expect(['grant_ended', 'failed', 'sign_in_failed'].map(events)).toEqual([0, 0, 0])
    expect(sample('grantkit_refusals_total', { error: 'invalid_client' })).toBe(1)
  })

  it('time the answers by route and status', () => {
    const answers = (labels: Record<string, string>) =>
      sample('grantkit_http_request_duration_seconds_count', labels)
    expect(answers({ route: '/api/oauth/token', status: '200', method: 'POST' })).toBe(1)
    expect(answers({ route: '/api/oauth/token', status: '401', method: 'POST' })).toBe(1)
  })

  it('contain no personal data and no input of a caller', () => {
    const sent = ['secret-path', 'secret-query', 'PROPFIND', '127.0.0.1']
    for (const text of [app.client_id, `${NAME}@example.com`, PASSWORD, 'Ada', ...sent])
      expect(exposition).not.toContain(text)
  })

  it('are not on the public port', async () => {
    expect((await fetch(`${baseUrl}/metrics`)).status).toBe(404)
  })
})

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

/** Every metric in an expression, with the labels it uses. */
function selected(expression: string): { name: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '))
  return [...expression.matchAll(/([a-z]\w*)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...grouped, ...[...matchers.matchAll(/([a-z_]+)=/g)].map(([, label = '']) => label)],
  }))
}

function offered(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of exposition.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm))
    found.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)))
  return found
}

/** The labels that Prometheus itself adds to each sample. */
const ADDED = ['job', 'instance']

describe.each([
  ['the Grafana dashboard', 'docs/operations/grafana.json', /"expr": ("(?:[^"\\]|\\.)*")/g, JSON.parse],
  ['the alerts', 'docs/operations/monitoring.md', /^ +expr: (.*)$/gm, (text: string) => text],
] as const)('%s', (_, path, pattern, decode) => {
  it('uses existing metrics and labels', async () => {
    const expressions = [...(await read(path)).matchAll(pattern)].map(([, text = '']) => String(decode(text)))
    expect(expressions.length).toBeGreaterThan(3)
    const metrics = offered()
    for (const expression of expressions) {
      expect(selected(expression), expression).not.toEqual([])
      for (const { name, labels } of selected(expression)) {
        const known = metrics.get(name)
        expect(known, `${name} in ${expression}`).toBeDefined()
        expect(labels.filter((label) => !known?.has(label) && !ADDED.includes(label))).toEqual([])
      }
    }
  })
})
