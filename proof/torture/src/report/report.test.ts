import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Finding, Verdict } from '../history/finding.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { mergeRounds } from './merge.ts'
import { exitCode, type FailOn, type Report } from './report.ts'
import { recheckLine, rerunLine } from './rerun.ts'
import { textReport } from './text.ts'

const BAD: Finding = {
  id: 'code-twice',
  title: 'A code gives tokens once',
  verdict: 'unsafe',
  seen: 'The code C1 gave tokens twice.',
  fix: 'Use a compare-and-swap.',
  rfc: 'RFC 6749 section 4.1.2',
  counterexample: ['> 4.0 - 9.0 ms  app  redeems C1'],
  rerun: 'npx @grantkit/torture https://as.example --only code-twice --seed 7',
}

function found(verdict: Verdict): Finding {
  return { ...BAD, verdict }
}

function reportOf(findings: readonly Finding[], ended = 10): Report {
  return { issuer: 'https://as.example', seed: '7', findings, rounds: { planned: 10, ended } }
}

function textOf(report: Report): string {
  return stripVTControlCharacters(textReport(report).join('\n'))
}

describe('exitCode', () => {
  it.each<[verdict: Verdict, failOn: FailOn, code: number]>([
    ['unsafe', 'unsafe', 1],
    ['unsafe', 'lossy', 1],
    ['lossy', 'unsafe', 0],
    ['lossy', 'lossy', 1],
    ['noisy', 'lossy', 0],
    ['noisy', 'noisy', 1],
    ['declared', 'noisy', 0],
    ['passed', 'lossy', 0],
    ['unknown', 'lossy', 3],
    ['skipped', 'lossy', 3],
  ])('of %s with --fail-on %s is %i', (verdict, failOn, code) => {
    expect(exitCode(reportOf([found(verdict)]), failOn)).toBe(code)
  })

  it('is 3 if most rounds did not come to an end, and 1 if one of the others found something', () => {
    expect(exitCode(reportOf([found('passed')], 4))).toBe(3)
    expect(exitCode(reportOf([found('unsafe')], 4))).toBe(1)
  })
})

describe('mergeRounds', () => {
  it('keeps the worst round, and says in how many it was seen', () => {
    const merged = mergeRounds([
      found('passed'),
      found('lossy'),
      found('unsafe'),
      found('unsafe'),
      found('skipped'),
    ])
    expect(merged).toMatchObject({
      verdict: 'unsafe',
      seen: 'The code C1 gave tokens twice. Seen in 2 of 4 rounds.',
    })
  })

  it('is undecided if a round is, and no other found something', () => {
    expect(mergeRounds([found('passed'), found('unknown'), found('declared')]).verdict).toBe('unknown')
  })
})

describe('textReport', () => {
  it('shows the sentence, the timeline, the cure and the command', () => {
    const text = textOf(
      reportOf([BAD, { ...found('passed'), id: 'crash', title: 'What was acknowledged survives' }]),
    )
    expect(text).toBe(`
https://as.example (seed 7)

  ✓ crash: What was acknowledged survives

  ✗ code-twice: A code gives tokens once
    unsafe: The code C1 gave tokens twice.
      > 4.0 - 9.0 ms  app  redeems C1
    Fix: Use a compare-and-swap. (RFC 6749 section 4.1.2)
    Again: npx @grantkit/torture https://as.example --only code-twice --seed 7

  In a timeline '>' marks the requests that break the rule. Bars show which ones overlap.

1 unsafe, 1 passed. 10 of 10 rounds came to an end.`)
  })

  it('escapes what a server says, so that it forges no line', () => {
    const text = textReport(reportOf([{ ...BAD, seen: 'x\n  ✓ All is well\u001b[2J\u202e' }])).join('\n')
    expect(text).not.toContain('\n  ✓ All is well')
    expect(text).not.toContain('\u001b[2J')
    expect(text).not.toContain('\u202e')
  })
})

it('jsonReport is the report, in ASCII', () => {
  const report = reportOf([{ ...BAD, seen: 'Größe\u202e' }])
  expect(JSON.parse(jsonReport(report))).toEqual(report)
  expect(jsonReport(report)).toMatch(/^[\n\x20-\x7e]*$/)
})

describe('junitReport', () => {
  it('has one test for each check, with the failure and its timeline', () => {
    const xml = junitReport(reportOf([BAD, found('passed'), found('skipped'), found('declared')]))
    expect(xml).toContain('<testsuites tests="4" failures="1" errors="0" skipped="1">')
    expect(xml).toContain(
      '<failure type="unsafe" message="unsafe: The code C1 gave tokens twice.">&gt; 4.0 - 9.0 ms',
    )
  })

  it('fails what --fail-on names', () => {
    expect(junitReport(reportOf([found('noisy')]))).toContain('failures="0"')
    expect(junitReport(reportOf([found('noisy')]), 'noisy')).toContain('failures="1"')
  })

  it('stays XML whatever a server says', () => {
    const xml = junitReport(reportOf([{ ...BAD, seen: '<a>&"\u0000\u001b\ud800' }]))
    expect(xml).toContain('message="unsafe: &lt;a&gt;&amp;&quot;??\ufffd"')
  })
})

it('the command to run again can be pasted into a shell', () => {
  const rerun = {
    issuer: 'https://as.example',
    check: 'crash' as const,
    seed: '7',
    args: ['--crash', "kill -9 'x'"],
  }
  expect(rerunLine(rerun)).toBe(
    `npx @grantkit/torture https://as.example --only crash --seed 7 --crash 'kill -9 '\\''x'\\'''`,
  )
  expect(recheckLine('my file.ndjson', 'crash')).toBe(
    `npx @grantkit/torture check 'my file.ndjson' --only crash`,
  )
})
