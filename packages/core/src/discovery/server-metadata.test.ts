import { expect, it } from 'vitest'
import { serverMetadata } from './server-metadata.ts'

it('joins the members of all modules, of which a later one may override a false', () => {
  const parts = [{ a: false, b: undefined, c: 1 }, { a: true }, { b: 2, d: undefined }]
  expect(serverMetadata(parts)).toStrictEqual({ a: true, b: 2, c: 1 })
})

it('rejects a member that two modules set', () => {
  expect(() => serverMetadata([{ a: 1 }, { a: 2 }])).toThrow('metadata: a is set twice')
})
