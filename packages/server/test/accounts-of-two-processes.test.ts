import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { expect, it, onTestFinished } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Call } from './account-process.ts'
import { connected } from './connected.ts'
import { DANA } from './people.ts'

/** Two processes with one database, as two replicas. Both have read the account before it changes. */

async function resultOf(process: ChildProcess): Promise<unknown> {
  const [{ result }] = (await once(process, 'message')) as [{ result: unknown }]
  return result
}

async function otherProcess(url: string) {
  const process = fork(join(import.meta.dirname, 'account-process.ts'), [url])
  onTestFinished(() => {
    process.disconnect()
  })
  await resultOf(process)
  return (...call: Call) => {
    process.send(call)
    return resultOf(process)
  }
}

async function twoProcesses(url: string) {
  const here = accountRows(await connected(url), () => {})
  await here.add(DANA)
  const there = await otherProcess(url)
  for (let n = 0; n < 3; n++) {
    expect(await here.claims(DANA.id)).toMatchObject({ name: DANA.name })
    expect(await here.find(DANA.id)).toMatchObject({ sessionEpoch: 0 })
    expect(await there('claims', DANA.id)).toMatchObject({ name: DANA.name })
  }
  return { here, there }
}

onBothDatabases((newDatabase) => {
  it('an account that another process disables and enables is that here at the next read', async () => {
    const { here, there } = await twoProcesses(await newDatabase())
    for (let n = 0; n < 5; n++) {
      await there('setDisabled', DANA.id, true)
      expect([await here.claims(DANA.id), await here.find(DANA.id)]).toEqual([undefined, undefined])
      await there('setDisabled', DANA.id, false)
      expect(await here.claims(DANA.id)).toMatchObject({ name: DANA.name })
    }
  })

  it('an account that is disabled here is disabled at another process at its next read', async () => {
    const { here, there } = await twoProcesses(await newDatabase())
    for (let n = 0; n < 5; n++) {
      await here.setDisabled(DANA.id, true)
      expect(await there('claims', DANA.id)).toBeUndefined()
      await here.setDisabled(DANA.id, false)
      expect(await there('claims', DANA.id)).toMatchObject({ name: DANA.name })
    }
  })

  it('a password reset and a lost role at another process end the sessions here', async () => {
    const { here, there } = await twoProcesses(await newDatabase())
    await there('setPassword', DANA.id, 'another hash')
    expect(await here.find(DANA.id)).toMatchObject({ password: 'another hash', sessionEpoch: 1 })
    await there('setAdmin', DANA.id, true)
    await there('setAdmin', DANA.id, false)
    expect(await here.find(DANA.id)).toMatchObject({ sessionEpoch: 2 })
  })
})
