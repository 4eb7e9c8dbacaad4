import { describe, expect, it } from 'vitest'
import { formatReference, parseReference } from './reference.ts'

describe('a reference', () => {
  it('is shown in groups', () => {
    expect(formatReference('7K3MQ2WD')).toBe('7K3M-Q2WD')
  })

  it.each(['7K3M-Q2WD', '7k3m q2wd', '  7K3M-Q2WD\n', '(ref 7K3M-Q2WD)', 'ref 7K3M-Q2WD', '7k3mq2wd'])(
    'is read in %j',
    (text) => {
      expect(parseReference(text)).toBe('7K3MQ2WD')
    },
  )

  it('is read with the letters that people take for digits', () => {
    expect(parseReference('oO1i-Ll0Z')).toBe('0011110Z')
  })

  it.each(['', '7K3M-Q2W', '7K3M-Q2WDE', '7K3M-Q2WU', '7K3M_Q2WD', '7K3M-Q2WD-R4X8', '7K3MÖQ2WD', 'ref'])(
    'is not read in %j',
    (text) => {
      expect(parseReference(text)).toBeUndefined()
    },
  )
})
