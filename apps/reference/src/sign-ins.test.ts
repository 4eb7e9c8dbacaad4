import { describe, expect, it } from 'vitest'
import { signInsInMemory } from './sign-ins.ts'

const at = (time: number) => ({ sessionId: `session ${time}`, at: time })

describe('the sign-ins of a user', () => {
  it('are the last five, the newest first', () => {
    const signIns = signInsInMemory()
    for (let time = 1; time <= 7; time++) signIns.add('alice', at(time))
    expect(signIns.list('alice').map((signIn) => signIn.at)).toEqual([7, 6, 5, 4, 3])
    expect(signIns.list('bob')).toEqual([])
  })

  it('are dropped first for the user with the oldest sign-in', () => {
    const signIns = signInsInMemory(2)
    for (const [time, subject] of ['alice', 'bob', 'alice', 'carol'].entries()) signIns.add(subject, at(time))
    expect(['alice', 'bob', 'carol'].map((subject) => signIns.list(subject).length)).toEqual([2, 0, 1])
  })
})
