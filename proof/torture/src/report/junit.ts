import type { Finding } from '../history/finding.ts'
import type { FailOn, Report } from './report.ts'

/** The report as JUnit XML, one test for each check, so that a build server shows it. */
export function junitReport({ issuer, seed, findings }: Report, failOn: FailOn = 'lossy'): string {
  const failing = failingVerdicts(failOn)
  const count = (verdicts: readonly string[]) =>
    findings.filter(({ verdict }) => verdicts.includes(verdict)).length
  const counts = `tests="${findings.length}" failures="${count(failing)}" errors="0" skipped="${count(SKIPPED)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(`torture ${issuer} seed ${seed}`)}" ${counts}>`,
    ...findings.map((finding) => testCase(finding, failing)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const SKIPPED = ['skipped', 'unknown']

function failingVerdicts(failOn: FailOn): readonly string[] {
  if (failOn === 'unsafe') return ['unsafe']
  return failOn === 'lossy' ? ['unsafe', 'lossy'] : ['unsafe', 'lossy', 'noisy']
}

function testCase(finding: Finding, failing: readonly string[]): string {
  const { id, title, verdict, seen, fix, rfc, counterexample = [], rerun = '' } = finding
  const start = `    <testcase classname="torture" name="${xml(`${id}: ${title}`)}"`
  if (SKIPPED.includes(verdict)) return `${start}><skipped message="${xml(seen)}"/></testcase>`
  const details = xml([...counterexample, `Fix: ${fix} (${rfc})`, rerun].join('\n'))
  const message = xml(`${verdict}: ${seen}`)
  if (failing.includes(verdict))
    return `${start}><failure type="${verdict}" message="${message}">${details}</failure></testcase>`
  return verdict === 'passed'
    ? `${start}/>`
    : `${start}><system-out>${message}\n${details}</system-out></testcase>`
}

/** XML 1.0 allows no control characters but tab and the ends of lines, and no lone surrogates. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
