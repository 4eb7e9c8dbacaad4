import type { Store } from '@grantkit/core'
import { expect, it } from 'vitest'
import type { Tokens } from '../client/answer.ts'

import { openFlow, SCOPE } from './flow.ts'
import type { Subject } from './subject.ts'

/** A thief of the store gets no usable credential. */
export function secretPromises(subject: Subject): void {
  it('never gets a secret', async () => {
    const received: string[] = []
    const flow = await openFlow(recordingStore(subject.store, received), subject.clock.now)
    const approval = await flow.approve(SCOPE)
    const first = (await flow.redeem(approval)) as Tokens
    const second = (await flow.refresh(first.refresh_token)) as Tokens
    await flow.refresh(first.refresh_token)
    await flow.introspect(second.access_token)
    await flow.revoke(second.access_token)
    await flow.redeem(approval)
    const tokens = [approval.code, ...Object.values(tokensOf(first)), ...Object.values(tokensOf(second))]
    const secrets = [flow.clientSecret ?? '', approval.verifier, ...tokens.map(secretOf)]
    expect(received.length).toBeGreaterThan(10)
    for (const secret of secrets) {
      expect(secret.length, 'a secret was made').toBeGreaterThan(20)
      for (const text of received) expect(text).not.toContain(secret)
    }
  })
}

function tokensOf({ access_token, refresh_token }: Tokens): Pick<Tokens, 'access_token' | 'refresh_token'> {
  return { access_token, refresh_token }
}

/** The grant id before the dot is no secret; the last part is. */
function secretOf(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1)
}

/** Wraps the store, and records everything it is given as text. */
function recordingStore({ clients, grants }: Store, received: string[]): Store {
  const spied = <T extends object>(records: T): T =>
    new Proxy(records, {
      get: (target, verb) => {
        const call = Reflect.get(target, verb) as (...given: unknown[]) => unknown
        return (...given: unknown[]) => {
          received.push(JSON.stringify(given))
          return call.apply(target, given)
        }
      },
    })
  return { clients: spied(clients), grants: spied(grants) }
}
