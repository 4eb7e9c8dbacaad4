import { describe, expect, it } from 'vitest'
import { together } from './together.ts'

/** Calls that end when the test says so. */
function someCalls() {
  const calls: { readonly all: readonly string[]; readonly end: PromiseWithResolvers<string> }[] = []
  const ask = together((all: readonly string[]) => {
    const end = Promise.withResolvers<string>()
    calls.push({ all, end })
    return end.promise
  })
  const sent = (count: number) => expect.poll(() => calls.length, { interval: 1 }).toBe(count)
  return { ask, sent, all: () => calls.map(({ all }) => all), end: (call: number) => calls[call]?.end }
}

describe('calls', () => {
  it('in one turn of the event loop is one call, and all of them get its answer', async () => {
    const { ask, sent, all, end } = someCalls()
    const answers = [ask('a'), ask('b')]
    await sent(1)
    end(0)?.resolve('answer')
    expect(await Promise.all(answers)).toEqual(['answer', 'answer'])
    expect(all()).toEqual([['a', 'b']])
  })

  it('while a call is under way is the next one: the call may have read already', async () => {
    const { ask, sent, all, end } = someCalls()
    const first = ask('a')
    await sent(1)
    const later = [ask('a'), ask('b')]
    end(0)?.resolve('first')
    await sent(2)
    end(1)?.resolve('second')
    expect(await Promise.all([first, ...later])).toEqual(['first', 'second', 'second'])
    expect(all()).toEqual([['a'], ['a', 'b']])
  })

  it('is not held up by a call that gets no answer', async () => {
    const { ask, sent, end } = someCalls()
    void ask('a')
    await sent(1)
    const later = ask('b')
    await sent(2)
    end(1)?.resolve('answer')
    expect(await later).toBe('answer')
  })

  it('fails with its own call and with no other', async () => {
    const { ask, sent, end } = someCalls()
    const failing = Promise.allSettled([ask('a'), ask('b')])
    await sent(1)
    const later = ask('c')
    end(0)?.reject(new Error('lost'))
    await sent(2)
    end(1)?.resolve('answer')
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await later).toBe('answer')
  })
})
