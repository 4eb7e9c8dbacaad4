import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireSystemPart } from '@grantkit/test-servers/system-parts'
import { describe, expect, it } from 'vitest'
import { GATEWAY, INSTALLATIONS, SUITE } from './installations.ts'

/** The names of the suite and of the service are in four files. */

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'proof/conformance')
const installations = Object.values(INSTALLATIONS)
const hosts = [SUITE, GATEWAY, ...installations.map(({ issuer }) => issuer)].map(
  (url) => new URL(url).hostname,
)

/** The sites of the Caddyfile as Caddy understands them: hosts, and where their requests go. */
function sites(): string {
  const options = ['adapt', '--config', join(FOLDER, 'Caddyfile'), '--adapter', 'caddyfile']
  const env = { PATH: process.env.PATH, HOME: '/', CADDY_STORAGE: '/nowhere' }
  return execFileSync(requireSystemPart('Caddy'), options, { env, encoding: 'utf8', stdio: 'pipe' })
}

describe('the names of the OpenID suite and of the service', () => {
  it('have a site of Caddy each, in front of the port of the installation', () => {
    const adapted = sites()
    for (const host of hosts) expect(adapted).toContain(`"host":["${host}"]`)
    for (const { port } of installations) expect(adapted).toContain(`"dial":"127.0.0.1:${port}"`)
  })

  it('are known in the container of the suite', () => {
    const text = readFileSync(join(FOLDER, 'compose.yaml'), 'utf8')
    const known = [...text.matchAll(/- "(.*):host-gateway"/g)].map(([, host]) => host)
    expect(known.toSorted()).toEqual(hosts.toSorted())
  })

  it('are known on the machine of the workflow, which runs each installation', () => {
    const text = readFileSync(join(ROOT, '.github/workflows/conformance.yml'), 'utf8')
    expect(text).toContain(`installation: [${Object.keys(INSTALLATIONS).join(', ')}]\n`)
    expect(text).toContain(`BASE_URL: ${SUITE}\n`)
    const [, names = ''] = /echo 127\.0\.0\.1 \{(.*)\}\.example\.com/.exec(text) ?? []
    const named = names.split(',').map((name) => `${name}.example.com`)
    expect(named.toSorted()).toEqual(hosts.toSorted())
  })
})
