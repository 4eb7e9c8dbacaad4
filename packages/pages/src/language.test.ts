import { expect, it } from 'vitest'
import { onceForEach } from './language.ts'

it('a formatter is created once for each language', () => {
  const created: string[] = []
  const formatterOf = onceForEach((tag) => created.push(tag))
  expect(['de', 'en', 'de', 'en'].map(formatterOf)).toEqual([1, 2, 1, 2])
  expect(created).toEqual(['de', 'en'])
})
