import { expect, it } from 'vitest'
import { History } from '../history.ts'

const REFRESH = { f: 'refresh', family: 'g', process: 'app', credential: 'first' } as const

function pair(name: string) {
  return async () => ({ status: 200, access_token: `access ${name}`, refresh_token: `refresh ${name}` })
}

it('the history of the load finds a refresh token that gave two successors', async () => {
  const history = new History()
  await Promise.all([history.record(REFRESH, pair('a')), history.record(REFRESH, pair('b'))])
  expect(history.findings()).toEqual([
    expect.stringMatching(/^unsafe: The refresh token R1 was accepted twice/),
  ])
})

it('the history of the load finds no fault in an outage, or in a retry that gets the same pair', async () => {
  const history = new History()
  await history.record(REFRESH, async () => undefined)
  await history.record(REFRESH, async () => ({ status: 503, error: 'temporarily_unavailable' }))
  await history.record(REFRESH, pair('a'))
  await history.record(REFRESH, pair('a'))
  expect(history.findings()).toEqual([])
})

it('the history of the load finds a live refresh token that was refused', async () => {
  const history = new History()
  await history.record(REFRESH, pair('a'))
  await history.record({ ...REFRESH, credential: 'refresh a' }, async () => ({
    status: 400,
    error: 'invalid_grant',
  }))
  expect(history.findings()).toEqual([expect.stringMatching(/^lossy: The refresh token R2 was refused/)])
})
