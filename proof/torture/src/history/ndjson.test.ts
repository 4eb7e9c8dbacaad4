import { expect, it } from 'vitest'
import { written } from '../../test/written-history.ts'
import { IDEAL } from './declared.ts'
import { readHistory, writeHistory } from './ndjson.ts'

const ROUND = {
  check: 'code-twice' as const,
  seed: '7',
  declared: { ...IDEAL, lateRepeatSeconds: 900, replacedSeconds: 70 },
  operations: written('0-1 user approve: ok C1\n2-3 app@https://a.example redeem C1: ok A1 R1 forgotten'),
}

const GOOD = '{"process":"app","f":"redeem","family":"g","result":"ok","invoked":0,"returned":1}'

it('a history that is read is the one that was written', () => {
  expect(readHistory(writeHistory([ROUND, { operations: ROUND.operations }]))).toEqual([
    ROUND,
    { operations: ROUND.operations },
  ])
})

it('a history from elsewhere needs no header and no numbers', () => {
  const [round] = readHistory(`${GOOD}\n\n${GOOD}\n`)
  expect(round?.operations.map(({ id }) => id)).toEqual([0, 1])
})

it.each([
  ['{"process":', 'Line 2: it is not JSON.'],
  ['[]', 'Line 2: it is not a JSON object.'],
  ['{"history":2}', 'Line 2: "history" must be 1, the only version that this program reads.'],
  ['{"history":1,"check":"all"}', 'Line 2: "check" must be one of code-twice'],
  [
    '{"history":1,"declared":{"rotation":"maybe"}}',
    'Line 2: "rotation" must be one of strict, same-pair, overlap, none.',
  ],
  [GOOD.replace('"redeem"', '"buy"'), 'Line 2: "f" must be one of approve'],
  [GOOD.replace('"app"', '7'), 'Line 2: "process" must be a string.'],
  [GOOD.replace('"family":"g",', ''), 'Line 2: "family" is missing.'],
  [GOOD.replace('"invoked":0', '"invoked":2'), 'Line 2: "returned" is before "invoked".'],
])('%s is refused with the number of its line', (line, message) => {
  expect(() => readHistory(`${GOOD}\n${line}\n`)).toThrow(message)
})
