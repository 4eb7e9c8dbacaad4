import { afterEach, describe, expect, it, vi } from 'vitest'
import { userCheck } from './users.ts'

afterEach(() => void vi.useRealTimers())

describe('userCheck', () => {
  it('asks once for all who ask within the time, and then again', async () => {
    vi.useFakeTimers()
    const check = vi.fn(async () => true)
    const isThere = userCheck(check, 60)
    await Promise.all([isThere('alice'), isThere('alice')])
    vi.advanceTimersByTime(59_999)
    expect(await isThere('alice')).toBe(true)
    expect(check).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    check.mockResolvedValue(false)
    expect(await isThere('alice')).toBe(false)
  })

  it('remembers each user apart', async () => {
    const isThere = userCheck(async (sub) => sub === 'alice', 60)
    expect([await isThere('alice'), await isThere('bob')]).toEqual([true, false])
  })

  it('does not remember a failure', async () => {
    const check = vi.fn(async () => true)
    check.mockRejectedValueOnce(new Error('down'))
    const isThere = userCheck(check, 60)
    await expect(isThere('alice')).rejects.toMatchObject({ error: 'temporarily_unavailable' })
    expect(await isThere('alice')).toBe(true)
  })

  it.each([
    [
      'throws at once',
      () => {
        throw new Error('down')
      },
    ],
    ['returns no boolean', async () => 'yes' as unknown as boolean],
    ['returns nothing', async () => undefined as unknown as boolean],
  ])('is temporarily unavailable if the check %s', async (_, check) => {
    await expect(userCheck(check, 60)('alice')).rejects.toMatchObject({ error: 'temporarily_unavailable' })
  })

  it('waits five seconds at most', async () => {
    vi.useFakeTimers()
    const waiting = userCheck(() => new Promise(() => {}), 60)('alice')
    const refused = expect(waiting).rejects.toMatchObject({ error: 'temporarily_unavailable' })
    await vi.advanceTimersByTimeAsync(5000)
    await refused
  })
})
