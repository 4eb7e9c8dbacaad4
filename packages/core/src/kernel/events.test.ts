import { afterEach, describe, expect, it, vi } from 'vitest'
import { shielded } from './events.ts'

const EVENT = { type: 'refused' }

afterEach(() => vi.restoreAllMocks())

describe('without a listener', () => {
  const cause = new TypeError('session is undefined')
  it.each([
    ['failed', { path: '/oauth/authorize', reason: 'unexpected' }, cause],
    ['failed', { path: '/oauth/token', reason: 'unexpected' }],
    ['signing_keys_refused', {}, cause],
    ['limiter_failed', { limit: 'registration' }, cause],
    ['client_document_failed', { clientId: 'https://app.example/', fault: 'status_404' }],
    ['grant_ended', { grantId: '1', reason: 'refresh_token_reused' }],
  ])('%s goes to the console with its facts and cause', (type, facts, ...causes) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    shielded()({ type, ...facts, cause: causes[0] })
    expect(logged.mock.calls).toEqual([[`Grantkit: ${type}`, facts, ...causes]])
  })

  it('what is no fault stays off the console', () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    shielded()(EVENT)
    expect(logged).not.toHaveBeenCalled()
  })
})

describe('a listener that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('and %s affects no request, and is logged once', async (_, listener) => {
    const warned = vi.spyOn(console, 'error').mockReturnValue()
    const emit = shielded(listener)
    emit(EVENT)
    emit(EVENT)
    await new Promise(setImmediate)
    expect(warned.mock.calls).toEqual([[expect.stringContaining('onEvent'), new Error('the log is full')]])
  })
})
