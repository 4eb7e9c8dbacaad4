import { afterEach, describe, expect, it, vi } from 'vitest'
import { shielded } from './events.ts'

const EVENT = { type: 'refused' }

describe('a listener that fails', () => {
  afterEach(() => vi.restoreAllMocks())

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
