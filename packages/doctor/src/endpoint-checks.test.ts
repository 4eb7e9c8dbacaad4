import { describe, expect, it } from 'vitest'
import { AS, ISSUER, member, NOW, openService, type Spoil, sendTo, status } from '../test/spoilt-server.ts'
import { diagnose } from './diagnose.ts'

describe('the registration of the doctor', () => {
  const noteWith = async (spoils: Readonly<Record<string, Spoil>>, register = true) => {
    const findings = await diagnose(ISSUER, sendTo(openService(), spoils), { now: () => NOW, register })
    return findings.find(({ id }) => id === 'registration')
  }

  it('is reported where there was one, and only there', async () => {
    expect(await noteWith({})).toMatchObject({
      verdict: 'passed',
      note: expect.stringContaining('Grantkit doctor'),
    })
    const none = { verdict: 'skipped', reason: 'the doctor registered no client, or got no answer' }
    expect(await noteWith({}, false)).toMatchObject(none)
    expect(await noteWith({ [AS]: member('registration_endpoint', undefined) })).toMatchObject(none)
    const refused = await noteWith({ '/api/oauth/register': status(403) })
    expect(refused).toMatchObject({ verdict: 'failed', seen: expect.stringContaining('403') })
    expect(refused).not.toHaveProperty('note')
  })
})

it('registration that needs an initial access token is no fault', async () => {
  for (const register of [true, false]) {
    const send = sendTo(openService([], { initialAccessToken: true }), {})
    const findings = await diagnose(ISSUER, send, { now: () => NOW, register })
    const verdicts = findings.filter(({ id }) => ['registration', 'https-registration'].includes(id))
    const needsToken = 'registration needs an initial access token'
    expect(verdicts.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['skipped', register ? needsToken : 'the doctor registered no client, or got no answer'],
      ['skipped', needsToken],
    ])
    expect(findings.filter(({ verdict }) => verdict === 'failed')).toEqual([])
  }
})
