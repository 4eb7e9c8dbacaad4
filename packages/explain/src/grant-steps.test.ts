import type { Grant, GrantId } from '@grantkit/core/feature'
import type { BaseEvent } from '@grantkit/core/internal'
import { describe, expect, it } from 'vitest'
import { firstTimes, grantSteps } from './grant-steps.ts'

const NOW = 1_800_000_000
const API = 'https://api.example'
const REQUEST = { path: '/api/oauth/token', remoteAddress: '203.0.113.7' }

/** A use, a call and the end of a grant. @returns the events */
function eventsOf(reference: string | undefined, resources: readonly string[] = []): BaseEvent[] {
  const events: BaseEvent[] = []
  const steps = grantSteps({ emit: (event) => void events.push(event), now: () => NOW })
  const record = { id: 'g' as GrantId, clientId: 'app', subject: 'alice', scopes: ['openid'], resources }
  const times = { createdAt: NOW, usedAt: NOW, expiresAt: NOW }
  const grant: Grant = { ...record, ...times, accessTokens: [], reference }
  steps.used(grant, 'refreshed', REQUEST, grant)
  steps.called(grant, API, REQUEST)
  steps.ended(grant, { by: 'user' })
  return events
}

describe('the steps of a grant', () => {
  it('have its facts, and those of the request', () => {
    const common = { type: 'step', reference: '7K3MQ2WD', at: NOW, outcome: 'ok' }
    const known = { ...common, clientId: 'app', grantId: 'g', subject: 'alice' }
    const network = '203.0.113.0/24'
    expect(eventsOf('7K3MQ2WD')).toEqual([
      { ...known, step: 'refreshed', scopes: ['openid'], network },
      { ...known, step: 'first_call', resource: API, network },
      { ...known, step: 'ended', by: 'user' },
    ])
  })

  it('do not exist for a grant without a reference', () => {
    expect(eventsOf(undefined)).toEqual([])
  })

  it('name all resources of the tokens', () => {
    expect(eventsOf('7K3MQ2WD', [API, 'https://mcp.example'])[0]).toMatchObject({
      resource: `${API} https://mcp.example`,
    })
  })
})

it('a grant is new once at each resource, and again after many others', () => {
  const isFirst = firstTimes(4)
  const calls = ['a x', 'a x', 'a y', 'a x', 'b x', 'c x', 'a y', 'd x', 'e x', 'a x']
  const news = calls.filter((call) => isFirst(...(call.split(' ') as [string, string])))
  expect(news).toEqual(['a x', 'a y', 'b x', 'c x', 'd x', 'e x', 'a x'])
})
