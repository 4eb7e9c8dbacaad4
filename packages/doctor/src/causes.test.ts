import { VERDICTS } from '@grantkit/explain'
import { expect, it } from 'vitest'
import { CLIENT_CHECKS } from './client-checks.ts'
import { examine } from './diagnose.ts'
import { report } from './report.ts'

/** A deployment that answers nothing. */
const FINDINGS = examine({ baseUrl: 'https://auth.example', answers: {}, now: 0 })

it('every check that a verdict names exists', () => {
  const checks: unknown[] = [...FINDINGS, ...CLIENT_CHECKS].map(({ id }) => id)
  const named = Object.values(VERDICTS).flatMap(({ doctorCheck }) => doctorCheck ?? [])
  expect(named.filter((id) => !checks.includes(id))).toEqual([])
})

it('a failed check names the verdict on the sign-ins that its fault stops', () => {
  const failed = FINDINGS.find(({ id }) => id === 'server-metadata')
  expect(failed).toMatchObject({ verdict: 'failed', causes: 'never_requested' })
  expect(report('https://auth.example', FINDINGS).join('\n')).toContain('Stops sign-ins: never_requested')
})

it('the report says why a check was skipped', () => {
  const reason = 'no metadata came with a Date header'
  expect(report('https://auth.example', FINDINGS).join('\n')).toContain(`, ${reason}`)
})

it('a check without a fault causes nothing', () => {
  expect(FINDINGS.filter(({ verdict, causes }) => verdict !== 'failed' && causes !== undefined)).toEqual([])
})
