import type { StepEvent } from '@grantkit/explain'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { type AttemptRecording, attemptRecording } from './recording.ts'

const at = Date.parse('2026-01-01T08:00:00Z') / 1000
let database: Database
let recording: AttemptRecording
const warnings: string[] = []

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  database = await openDatabase('memory:', () => {})
  await migrate(database)
  warnings.length = 0
  recording = attemptRecording(database, { days: 14, onWarning: (warning) => warnings.push(warning) })
})
afterEach(async () => {
  await recording.close()
  await database.destroy()
  vi.useRealTimers()
})

function happen(step: Partial<StepEvent> & Pick<StepEvent, 'reference' | 'step'>): void {
  recording.onEvent({ type: 'step', at, outcome: 'ok', ...step })
}

async function rows() {
  await recording.flush()
  return database.selectFrom('attempt_steps').selectAll().orderBy('id').execute()
}

async function steps() {
  return (await rows()).map(({ facts }) => JSON.parse(facts).step as string)
}

describe('what the database gets', () => {
  it('is nothing as long as no user is known and nothing is refused', async () => {
    happen({ reference: 'AAAA0001', step: 'requested' })
    happen({ reference: 'AAAA0001', step: 'sign_in_shown' })
    expect(await steps()).toEqual([])
  })

  it('is the whole attempt once its user signs in, and each step after that', async () => {
    const reference = 'AAAA0001'
    happen({ reference, step: 'requested', clientId: 'app' })
    happen({ reference, step: 'signed_in', subject: 'ada' })
    expect(await steps()).toEqual(['requested', 'signed_in'])
    happen({ reference, step: 'code_redeemed', outcome: 'refused', reason: 'code_expired' })
    const [first, , last] = await rows()
    expect(first, 'the user of the attempt is on its first row').toMatchObject({
      ...{ reference, subject: 'ada', client_id: 'app', failed: 0, kept_until: '2026-01-15' },
    })
    expect(last).toMatchObject({ reference, subject: 'ada', failed: 1 })
    expect(await rows()).toHaveLength(3)
  })

  it('is what unauthenticated callers are refused, for three days', async () => {
    happen({ reference: 'AAAA0001', step: 'requested' })
    const reason = 'client_unknown'
    happen({
      reference: 'AAAA0001',
      step: 'client_found',
      outcome: 'refused',
      reason,
      network: '192.0.2.0/24',
    })
    const [row, ...others] = await rows()
    expect(others).toEqual([])
    expect(row).toMatchObject({ subject: null, failed: 1, kept_until: '2026-01-04' })
    expect(JSON.parse(row?.facts ?? '')).toEqual({
      at,
      step: 'client_found',
      outcome: 'refused',
      reason,
      network: '192.0.2.0/24',
    })
  })

  it('is no refresh that succeeds, until a later step fails', async () => {
    const user = { reference: 'AAAA0001', subject: 'ada' } as const
    happen({ ...user, step: 'signed_in' })
    happen({ ...user, step: 'refreshed' })
    expect(await steps()).toEqual(['signed_in'])
    happen({ ...user, step: 'refreshed', outcome: 'refused', reason: 'refresh_token_reused' })
    expect(await steps()).toEqual(['signed_in', 'refreshed', 'refreshed'])
  })
})

describe('an attempt without a user, whose next step is overdue', () => {
  const shown = (reference: string) =>
    happen({ reference, step: 'sign_in_shown', clientId: `app of ${reference}` })
  const minute = () => vi.advanceTimersByTimeAsync(60_000)

  it('gets the rows that explain it, once', async () => {
    happen({ reference: 'AAAA0001', step: 'registered', clientId: 'unused' })
    happen({ reference: 'BBBB0001', step: 'registered', clientId: 'used' })
    happen({ reference: 'BBBB0002', step: 'requested', clientId: 'used' })
    expect(await steps()).toEqual([])
    await minute()
    await minute()
    const [row, ...others] = await rows()
    expect(row).toMatchObject({
      reference: 'AAAA0001',
      client_id: 'unused',
      failed: 0,
      kept_until: '2026-01-04',
    })
    expect(others).toEqual([])
  })

  it('has three of them if the sign-in page comes again and again', async () => {
    shown('AAAA0001')
    await minute()
    expect(await steps()).toEqual(['sign_in_shown'])
    for (let n = 0; n < 5; n++) shown('AAAA0001')
    await minute()
    await minute()
    expect(await steps()).toHaveLength(3)
  })

  it('has all its steps once its user signs in after all', async () => {
    const reference = 'AAAA0001'
    happen({ reference, step: 'requested' })
    shown(reference)
    await minute()
    happen({ reference, step: 'signed_in', subject: 'ada' })
    expect(await steps()).toEqual(['requested', 'sign_in_shown', 'signed_in'])
  })

  it('is one of three in a minute, within the rows of unauthenticated callers', async () => {
    for (let n = 0; n < 40; n++) shown(`AAAA10${10 + n}`)
    await minute()
    expect(await rows()).toHaveLength(3)
    await minute()
    expect(await rows()).toHaveLength(6)
  })
})

describe('what callers cause in a minute', () => {
  const flood = (count: number, reasons: number) => {
    for (let n = 0; n < count; n++)
      happen({
        reference: String(n).padStart(8, '0'),
        ...{ step: 'request_refused', outcome: 'refused', reason: `reason_${n % reasons}` },
        network: `10.${n % 8}.${n % 125}.0/24`,
      })
  }

  it('is three rows for a reason without a user, and twenty for all reasons', async () => {
    flood(500, 1)
    expect(await rows()).toHaveLength(3)
    flood(500, 100)
    expect(await rows()).toHaveLength(20)
    await vi.advanceTimersByTimeAsync(60_000)
    flood(500, 100)
    expect(await rows()).toHaveLength(40)
  })

  it('is sixty rows for a user, and takes none from another user', async () => {
    const refused = { step: 'refreshed', outcome: 'refused', reason: 'refresh_token_unknown' } as const
    for (let n = 0; n < 100; n++) happen({ ...refused, reference: `MMMM${1000 + n}`, subject: 'mallory' })
    happen({ reference: 'AAAA0001', step: 'allowed', subject: 'ada' })
    const subjects = (await rows()).map(({ subject }) => subject)
    expect([subjects.length, subjects.at(-1)]).toEqual([61, 'ada'])
  })

  it('leaves the attempt of a user readable in a flood of 100,000 refused requests from 1,000 networks', async () => {
    const reference = 'AAAA0001'
    happen({ reference, step: 'requested', network: '192.0.2.0/24' })
    flood(100_000, 40)
    happen({ reference, step: 'allowed', subject: 'ada', network: '192.0.2.0/24' })
    const written = await rows()
    expect(written).toHaveLength(22)
    expect(written.filter(({ subject }) => subject === 'ada')).toHaveLength(2)
    expect(recording.inMemory(reference)).toHaveLength(2)
  })
})

describe('a database that cannot be written', () => {
  it('loses steps beyond a number, waits for the others, and throws nothing', async () => {
    await database.schema.alterTable('attempt_steps').renameTo('elsewhere').execute()
    for (let n = 0; n < 6000; n++)
      happen({ reference: String(n).padStart(8, '0'), step: 'allowed', subject: `user ${n}` })
    await recording.flush()
    expect(warnings).toEqual([expect.stringContaining('record of sign-in attempts waits for its database')])
    await database.schema.alterTable('elsewhere').renameTo('attempt_steps').execute()
    expect(await rows()).toHaveLength(5000)
  })
})

it('forgets the attempts of a removed account', () => {
  happen({ reference: 'AAAA0001', step: 'allowed', subject: 'ada' })
  recording.onEvent({ type: 'account_removed', subject: 'ada' })
  expect(recording.inMemory('AAAA0001')).toEqual([])
})
