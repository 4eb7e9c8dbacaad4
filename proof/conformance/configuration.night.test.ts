import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { addClients } from './clients.ts'
import { GATEWAY, INSTALLATIONS, SUITE, settingsOf } from './installations.ts'
import { configurationOf, PLANS } from './plans.ts'

/** The clients of the suite of the OpenID Foundation, added by our commands, and what it gets to know of them. */

const { openid, fapi2 } = INSTALLATIONS
const addresses = { issuer: fapi2.issuer, suite: SUITE, gateway: GATEWAY, alias: 'test' }

function planOf(id: string) {
  const plan = PLANS.find((plan) => plan.id === id)
  if (plan === undefined) throw new Error(`There is no plan ${id}`)
  return plan
}

describe('the configuration of the OpenID suite', () => {
  it('has clients with secrets for the Basic plan, which the operator has added', async () => {
    const folder = await temporaryFolder()
    const { client } = openid.clients
    const settings = settingsOf('openid', { ...addresses, issuer: openid.issuer }, folder)
    const added = await addClients({ client }, addresses, settings, folder)
    expect(configurationOf(planOf('basic'), added, addresses)).toMatchObject({
      description: 'basic',
      client: { client_id: expect.any(String), client_secret: expect.any(String) },
    })
  })

  it('has private keys for the FAPI plans, of which the operator saw only the public ones', async () => {
    const folder = await temporaryFolder()
    const { client2 } = fapi2.clients
    const settings = settingsOf('fapi2', addresses, folder)
    const added = await addClients({ client2 }, addresses, settings, folder)
    const key = { kty: 'EC', alg: 'ES256', d: expect.any(String) }
    expect(configurationOf(planOf('fapi2-openid'), added, addresses)).toMatchObject({
      client2: { scope: 'openid profile courses:read', jwks: { keys: [key] } },
    })
    const files = readdirSync(folder).filter((file) => file.endsWith('.jwks.json'))
    expect(files).toEqual(['client2.jwks.json'])
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('"d"')
  })
})
