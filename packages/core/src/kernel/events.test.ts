import { afterEach, describe, expect, it, vi } from 'vitest'
import { shielded } from './events.ts'

const EVENT = { type: 'refused' }

afterEach(() => vi.restoreAllMocks())

describe('without a listener', () => {
  it('a fault is told on the console, with what was thrown, and nothing else is', () => {
    const told = vi.spyOn(console, 'error').mockReturnValue()
    const emit = shielded()
    const cause = new TypeError('session is undefined')
    emit({ type: 'failed', path: '/oauth/authorize', error: 'server_error', reason: 'unexpected', cause })
    emit(EVENT)
    expect(told.mock.calls).toEqual([['Grantkit: /oauth/authorize failed:', cause]])
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
  ])('and %s stops nobody, and the operator is told once', async (_, listener) => {
    const told = vi.spyOn(console, 'error').mockReturnValue()
    const emit = shielded(listener)
    emit(EVENT)
    emit(EVENT)
    await new Promise(setImmediate)
    expect(told.mock.calls).toEqual([[expect.stringContaining('onEvent'), new Error('the log is full')]])
  })
})
